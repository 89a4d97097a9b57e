import { connect } from 'node:net';
import type { InjectionRow } from '../report/stress-section.ts';
import type { StressChild } from './child.ts';
import type { LoadDriver, Stretch } from './driver.ts';
import type { HttpClient } from './http-client.ts';
import type { FaultName, Mended } from './inside/protocol.ts';
import { LoadTally } from './load.ts';
import { step } from './recipe.ts';
import type { Recipe } from './recipe.ts';

interface ChaosContext {
  readonly child: StressChild;
  readonly driver: LoadDriver;
  /** Undefined for a module. */
  readonly client: HttpClient | undefined;
  readonly recipe: Recipe;
  /** Time for each fault. */
  readonly forMs: number;
  readonly signal: AbortSignal;
  readonly onFault: (name: string) => void;
}

/** The effect of one fault, before the check whether the program goes on. */
interface Happened {
  readonly happened: number;
  readonly proof: string;
  /** Why the program was harmed although it goes on; null when it was not. */
  readonly hurt?: string | null;
  readonly note?: string;
}

interface Injection {
  readonly name: string;
  readonly what: string;
  readonly of: 'server' | 'module' | 'both';
  readonly run: (context: ChaosContext, tally: LoadTally) => Promise<Happened>;
}

const malformedBodies: readonly string[] = [
  'add(4822)',
  '{"a":',
  'null',
  '[]',
  '"',
  '{"text":{"$ne":null}}',
  String.raw`{"text":"\ud800"}`,
  '['.repeat(20_000),
  '{"__proto__":{"polluted":true}}',
];
const largeBytes = 80 * 1024;

function reader(name: string, what: string, proof: string, reading: Stretch['readingOf']): Injection {
  return {
    name,
    what,
    of: 'server',
    async run({ driver, forMs }, tally) {
      const done = await driver.load({
        forMs,
        parallel: 16,
        ...(reading === undefined ? {} : { readingOf: reading }),
      });
      tally.merge(done);
      return {
        happened: done.misbehaved,
        proof: `${count(done.misbehaved)} ${proof}`,
        note:
          done.misbehaved === 0 ? 'every answer arrived in one piece before the client could misbehave' : '',
      };
    },
  };
}

function inside(name: string, fault: FaultName, what: string, met: string, missing: string): Injection {
  return {
    name,
    what,
    of: 'both',
    async run({ child, driver, forMs }, tally) {
      await child.link.ask(child.pid, { op: 'fault', name: fault });
      const done = await driver.load({ forMs, parallel: 8 });
      // A fault is meant to cause failures, so they do not count as failed calls of the plan.
      tally.sessions += done.sessions;
      tally.calls += done.calls;
      const mended = await child.link.ask<readonly Mended[]>(child.pid, { op: 'mend' });
      const happened = mended.find((each) => each.name === fault)?.happened ?? 0;
      const failed =
        done.errors === 0 ? 'no call failed' : `${count(done.errors)} of ${count(done.calls)} calls failed`;
      return {
        happened,
        proof: `${count(happened)} ${met}`,
        note: happened === 0 ? missing : `${failed} while it lasted`,
      };
    },
  };
}

const injections: readonly Injection[] = [
  reader(
    'client leaves',
    'the client goes away after the first byte',
    'connections cut in the middle of an answer',
    () => ({ kind: 'leave' }),
  ),
  reader('slow reader', 'the client stops reading for 300 ms', 'answers held up with more to come', () => ({
    kind: 'pause',
    ms: 300,
  })),
  reader('abandoned reader', 'the client takes the head and never reads', 'answers left unread', () => ({
    kind: 'abandon',
    ms: 500,
  })),
  {
    name: 'malformed bodies',
    what: 'add(4822), broken JSON, deep nesting and wrong types',
    of: 'server',
    run: sendMalformed,
  },
  {
    name: 'broken requests',
    what: 'half a request line, garbage instead of HTTP',
    of: 'server',
    run: sendGarbage,
  },
  { name: 'event flood', what: 'as many calls as fit, one after the other', of: 'both', run: flood },
  moduleRound('cyclic inputs', 'inputs that contain themselves', 'cyclic', 200),
  moduleRound('malformed inputs', 'add(4822), null, NaN, symbols', 'malformed', 120),
  moduleRound('aborted turns', 'the signal is aborted after 5 ms', 'aborted', 200),
  inside(
    'disk full',
    'disk-full',
    'every write to a file fails with ENOSPC',
    'writes of the program refused',
    'the program wrote no file',
  ),
  inside(
    'clock goes forward',
    'clock-forward',
    'the clock jumps by an hour',
    'reads of the clock shifted',
    'the program did not read the clock',
  ),
  inside(
    'clock goes back',
    'clock-back',
    'the clock jumps back by an hour',
    'reads of the clock shifted',
    'the program did not read the clock',
  ),
  inside(
    'calls throw',
    'calls-throw',
    'outgoing HTTP calls fail with ECONNRESET',
    'outgoing calls failed',
    'the program makes no outgoing HTTP call',
  ),
  inside(
    'calls hang',
    'calls-hang',
    'outgoing HTTP calls hang for 2 s and fail',
    'outgoing calls held',
    'the program makes no outgoing HTTP call',
  ),
  inside(
    'calls are slow',
    'calls-slow',
    'outgoing fetch calls take 500 ms longer',
    'outgoing calls delayed',
    'the program makes no outgoing fetch call',
  ),
  inside(
    'stages are slow',
    'timers-slow',
    'timers of the program take five times as long',
    'timers stretched',
    'the program set no timer',
  ),
  inside(
    'child killed',
    'child-killed',
    'a child process of the program is killed',
    'child processes killed',
    'the program has no child process',
  ),
];

function moduleRound(
  name: string,
  what: string,
  mode: NonNullable<Stretch['mode']>,
  turns: number,
): Injection {
  return {
    name,
    what,
    of: 'module',
    async run({ driver, forMs }, tally) {
      const done = await driver.load({ forMs, parallel: 8, mostSessions: turns, mode });
      tally.sessions += done.sessions;
      tally.calls += done.calls;
      const [fault] = done.faults.keys();
      return {
        happened: done.calls,
        proof: `${count(done.calls)} calls with such inputs returned`,
        note: fault === undefined ? 'no call threw' : `${count(done.errors)} calls threw: ${fault}`,
      };
    },
  };
}

async function sendMalformed(
  { client, recipe, forMs, signal }: ChaosContext,
  tally: LoadTally,
): Promise<Happened> {
  const steps = recipe.sessions.flatMap((plan) => plan.steps);
  const bodied = steps.filter(({ method, path }) => method !== 'GET' && !/\{\w+\}/.test(path));
  const targets = bodied.length > 0 ? bodied : steps.filter(({ path }) => !/\{\w+\}/.test(path)).slice(0, 3);
  const until = performance.now() + forMs;
  const bad = new Map<string, number>();
  let answered = 0;
  for (let round = 0; round < 20 && performance.now() < until && !signal.aborted; round++)
    for (const each of targets)
      for (const body of malformedBodies) {
        const method = each.method === 'GET' ? 'POST' : each.method;
        const headers = { ...each.headers, 'content-type': 'application/json' };
        const result = await (client as HttpClient).call(
          { method, path: each.path, headers, body },
          { signal, timeoutMs: 10_000 },
        );
        if (result.error === 'stopped') continue;
        tally.calls++;
        if (result.status > 0) answered++;
        if (result.status >= 500 && result.status !== 503) {
          const why = `${method} ${each.path} answered ${result.status} to ${body.slice(0, 24)}`;
          if (bad.size < 20) bad.set(why, (bad.get(why) ?? 0) + 1);
        }
      }
  const [first] = bad.keys();
  return {
    happened: answered,
    proof: `${count(answered)} malformed requests were answered`,
    hurt: first === undefined ? null : `${first}: a request that is wrong is answered with 4xx`,
  };
}

async function sendGarbage({ client, forMs, signal }: ChaosContext): Promise<Happened> {
  const { hostname, port } = (client as HttpClient).base;
  const texts = [
    'GET / HT',
    '\u0000\u0001\u0002 nonsense\r\n\r\n',
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nhalf`,
  ];
  const until = performance.now() + forMs;
  let sent = 0;
  for (let i = 0; i < 150 && performance.now() < until && !signal.aborted; i++) {
    await new Promise<void>((resolve) => {
      const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) }, () => {
        socket.write(texts[i % texts.length] as string, () => {
          sent++;
          setTimeout(() => socket.destroy(), 5);
        });
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
    });
  }
  return { happened: sent, proof: `${count(sent)} broken requests were written to the socket` };
}

async function flood(
  { driver, forMs, recipe, client, signal }: ChaosContext,
  tally: LoadTally,
): Promise<Happened> {
  const probes = [...recipe.golden, ...recipe.state].map((probe) => probe.step);
  const simple = [...recipe.sessions.flatMap((plan) => plan.steps), ...probes].find(
    ({ method, path }) => method === 'GET' && !/\{/.test(path),
  );
  if (driver.kind === 'server' && simple === undefined && client !== undefined) {
    // Without a route for events, whole sessions are used.
    const done = await driver.load({ forMs, parallel: 64, textBytes: largeBytes });
    tally.merge(done);
    return {
      happened: done.calls,
      proof: `${count(done.calls)} of ${count(recipe.events)} events were answered in time`,
    };
  }
  const done = new LoadTally();
  if (driver.kind === 'module')
    done.merge(await driver.load({ forMs, parallel: 64, mostSessions: recipe.events, mode: 'events' }));
  else {
    const until = performance.now() + forMs;
    const target = simple ?? step('GET', '/');
    const worker = async (): Promise<void> => {
      while (done.calls < recipe.events && performance.now() < until && !signal.aborted) {
        const result = await (client as HttpClient).call(target, { signal });
        if (result.error === 'stopped') return;
        done.count(`${target.method} ${target.path}`, result, result.error !== null || result.status >= 500);
      }
    };
    await Promise.all(Array.from({ length: 64 }, worker));
  }
  tally.merge(done);
  const isWhole = done.calls >= recipe.events;
  return {
    happened: done.calls,
    proof: `${count(done.calls)} of ${count(recipe.events)} events were answered${isWhole ? '' : ' in the time there was'}`,
    hurt:
      done.errors > 0.01 * done.calls ? `${count(done.errors)} of ${count(done.calls)} calls failed` : null,
  };
}

/** Injects one fault after the other. After each, the program has to work as before. */
export async function runChaos(context: ChaosContext, tally: LoadTally): Promise<readonly InjectionRow[]> {
  const rows: InjectionRow[] = [];
  const all = injections.filter((each) => each.of === 'both' || each.of === context.driver.kind);
  for (const { name, what, run } of all) {
    const head = { plan: 'chaos', name, what };
    if (context.signal.aborted || context.child.hasEnded) {
      const note = context.signal.aborted ? 'the run was stopped before' : 'the process was gone by then';
      rows.push({ ...head, happened: 0, proof: 'it was not begun', outcome: 'not reached', note });
      continue;
    }
    context.onFault(name);
    let found: Happened;
    try {
      found = await run(context, tally);
    } catch (error) {
      found = { happened: 0, proof: (error as Error).message };
    }
    rows.push({ ...head, ...(await outcomeOf(found, context)) });
  }
  return rows;
}

async function outcomeOf(
  { happened, proof, hurt, note = '' }: Happened,
  { child, driver, signal }: ChaosContext,
): Promise<Pick<InjectionRow, 'happened' | 'proof' | 'outcome' | 'note'>> {
  if (child.hasEnded && !signal.aborted)
    return { happened, proof, outcome: 'hurt', note: 'the process ended' };
  if (happened === 0) return { happened, proof, outcome: 'not reached', note: note === '' ? proof : note };
  if (hurt != null) return { happened, proof, outcome: 'hurt', note: hurt };
  // A program may refuse work for a moment, so it is asked again.
  for (let i = 0; i < 3; i++) {
    if (await driver.works())
      return {
        happened,
        proof,
        outcome: 'held',
        note: `${note === '' ? '' : `${note}; `}it works afterwards`,
      };
    if (signal.aborted) break;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return {
    happened,
    proof,
    outcome: signal.aborted ? 'not reached' : 'hurt',
    note: 'an ordinary session fails afterwards',
  };
}

const count = (value: number): string => value.toLocaleString('en-US');
