import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseByteSize, parseDuration } from '@plimsoll/core/units';
import { isLeakName, leakNames } from './leak.ts';
import type { LeakName, Leaks } from './leak.ts';
import type { LoadOptions } from './load/load.ts';

export const usage = `usage: node src/main.ts [options]

server
  --port N           port on 127.0.0.1 (default 4100, or any free one when that is taken)
  --seed N           seed of the mock model, the documents and the load (default 1)
  --token-ms N       delay before each chunk of a reply (default 12; 0: as fast as it goes)
  --tool-ms N        how long a tool takes to answer (default 20)
  --payload SIZE     usual size of a fetched document (default 24KiB)
  --idle TIME        sessions idle for so long are closed (default 60s)
  --max-sessions N   more are refused with 503 (default 10000)
  --drain TIME       how long runs may go on after SIGINT or SIGTERM (default 2s)
  --leak NAME        plant a leak, repeatable: ${leakNames.join(', ')}
                     (or AGENT_SERVER_LEAK=name,name)
  --park DIR         where sessions are parked when memory is short (default .plimsoll/parked-sessions)
  --ungoverned       open no Plimsoll scopes (or AGENT_SERVER_UNGOVERNED=1)

load, from a process of its own
  --load             start virtual users
  --users N          how many at a time (default 30)
  --think TIME       mean pause of a user between two turns (default 2s)
  --rate N           at most N new sessions per second (default 0: no bound)
  --abandon RATIO    share of users who leave in the middle and never close (default 0.15)
  --duration TIME    stop load and server after this time
  --sessions N       stop load and server after this many sessions
  --speed N          divide every delay, pause and idle time by N (default 1)
`;

/** The options of the command line, with delays already divided by the speed. */
export interface Options {
  readonly help: boolean;
  readonly port: number | undefined;
  readonly seed: number;
  readonly tokenMs: number;
  readonly toolMs: number;
  readonly payloadBytes: number;
  readonly idleMs: number;
  readonly maxSessions: number;
  readonly drainMs: number;
  readonly park: string;
  readonly leaks: Leaks;
  readonly ungoverned: boolean;
  readonly load: LoadOptions | undefined;
}

/** A bad flag. The message has the accepted form. */
export class UsageError extends Error {}

export function parseOptions(args: readonly string[], env: NodeJS.ProcessEnv = {}): Options {
  const values = flags(args);
  const speed = number(values.speed, 1, '--speed', { above: 0 });
  const seed = number(values.seed, 1, '--seed');
  return {
    help: values.help === true,
    port: values.port === undefined ? undefined : number(values.port, 0, '--port', { most: 65_535 }),
    seed,
    tokenMs: number(values['token-ms'], 12, '--token-ms') / speed,
    toolMs: number(values['tool-ms'], 20, '--tool-ms') / speed,
    payloadBytes: size(values.payload ?? '24KiB', '--payload'),
    idleMs: duration(values.idle ?? '60s', '--idle') / speed,
    maxSessions: number(values['max-sessions'], 10_000, '--max-sessions', { above: 0 }),
    drainMs: duration(values.drain ?? '2s', '--drain'),
    park: values.park ?? join(env['PLIMSOLL_DIR'] ?? '.plimsoll', 'parked-sessions'),
    leaks: parseLeaks([...(values.leak ?? []), ...(env['AGENT_SERVER_LEAK'] ?? '').split(',')]),
    ungoverned: values.ungoverned === true || env['AGENT_SERVER_UNGOVERNED'] === '1',
    load:
      values.load === true
        ? {
            seed,
            users: number(values.users, 30, '--users', { above: 0 }),
            thinkMs: duration(values.think ?? '2s', '--think') / speed,
            ratePerSecond: number(values.rate, 0, '--rate'),
            abandonRatio: number(values.abandon, 0.15, '--abandon', { most: 1 }),
            ...(values.duration === undefined ? {} : { durationMs: duration(values.duration, '--duration') }),
            ...(values.sessions === undefined
              ? {}
              : { sessions: number(values.sessions, 0, '--sessions', { above: 0 }) }),
          }
        : undefined,
  };
}

function flags(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        help: { type: 'boolean' },
        port: { type: 'string' },
        seed: { type: 'string' },
        park: { type: 'string' },
        'token-ms': { type: 'string' },
        'tool-ms': { type: 'string' },
        payload: { type: 'string' },
        idle: { type: 'string' },
        'max-sessions': { type: 'string' },
        drain: { type: 'string' },
        leak: { type: 'string', multiple: true },
        ungoverned: { type: 'boolean' },
        load: { type: 'boolean' },
        users: { type: 'string' },
        think: { type: 'string' },
        rate: { type: 'string' },
        abandon: { type: 'string' },
        duration: { type: 'string' },
        sessions: { type: 'string' },
        speed: { type: 'string' },
      },
    }).values;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}

function parseLeaks(texts: readonly string[]): Leaks {
  const names = new Set<LeakName>();
  for (const text of texts) {
    if (text === '') continue;
    if (!isLeakName(text)) throw new UsageError(`--leak ${text}: the leaks are ${leakNames.join(', ')}.`);
    names.add(text);
  }
  return names;
}

function number(
  text: string | undefined,
  fallback: number,
  flag: string,
  bound: { readonly above?: number; readonly most?: number } = {},
): number {
  if (text === undefined) return fallback;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  const { above, most = Number.MAX_SAFE_INTEGER } = bound;
  if (!(value >= 0 && value <= most && (above === undefined || value > above))) {
    const least = above === undefined ? 'from 0' : `above ${above}`;
    throw new UsageError(
      `${flag} ${text}: give a number ${least}${bound.most === undefined ? '' : ` to ${most}`}.`,
    );
  }
  return value;
}

function size(text: string, flag: string): number {
  const bytes = parseByteSize(text);
  if (bytes === undefined) throw new UsageError(`${flag} ${text}: give a size with its unit, such as 64KiB.`);
  return bytes;
}

function duration(text: string, flag: string): number {
  const ms = parseDuration(text);
  if (ms === undefined)
    throw new UsageError(`${flag} ${text}: give a time with its unit, such as 500ms or 30s.`);
  return ms;
}
