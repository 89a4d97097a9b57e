import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getHeapStatistics } from 'node:v8';
import { keeperRows } from '@plimsoll/core/keeper';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { BoxError, BoxReading } from '../../protocol/black-box.ts';
import type { Part } from '../part.ts';
import { BoxWriter } from './box-writer.ts';
import { reportFatalErrors } from './fatal-reports.ts';

const mostFrames = 8;
const mostFrameChars = 160;

interface BlackBoxOptions {
  readonly dir: string;
  readonly target: string;
  readonly startedAt: number;
  /** Version of the program. */
  readonly release: string | null;
  /** What the other parts say at a reading. */
  readonly facts: () => Pick<
    BoxReading,
    'level' | 'source' | 'refused' | 'actions' | 'incident' | 'fingerprint'
  > & {
    readonly scopes: readonly { readonly path: string; readonly bytes: number }[];
  };
  /** Open scopes by kind; called at every tenth reading. */
  readonly open: () => BoxReading['open'];
  /** The reason of the exit when it is a restart. */
  readonly exitReason: () => string | undefined;
}

const mostNamed = 6;
const mostChars = 96;
/** Keepers and kinds are read at every tenth reading. In between the last rows stay. */
const rareEvery = 10;

/** Writes each reading into the black box, and the end of the process as far as the process can see it. */
export class BlackBoxPart implements Part {
  readonly #options: BlackBoxOptions;
  readonly #onError = (error: unknown, origin: BoxError['origin']): void => this.#error(error, origin);
  readonly #onWorker = (): void => void this.#workers++;
  #writer: BoxWriter | undefined;
  #workers = 0;
  #keepers: BoxReading['keepers'] = [];
  #open: BoxReading['open'] = {};
  #readings = 0;

  constructor(options: BlackBoxOptions) {
    this.#options = options;
  }

  start(): void {
    const { dir, target, startedAt, release } = this.#options;
    this.#writer = new BoxWriter(dir, process.pid);
    const { pid, version: node } = process;
    const { heap_size_limit: heapLimit } = getHeapStatistics();
    this.#writer.write({
      kind: 'start',
      at: startedAt,
      pid,
      node,
      target: target.slice(0, 500),
      heapLimit,
      release,
    });
    subscribe('worker_threads', this.#onWorker);
    // A monitor does not change how the error is handled.
    process.on('uncaughtExceptionMonitor', this.#onError);
    reportFatalErrors(dir);
  }

  take(reading: Reading): void {
    const { scopes, ...facts } = this.#options.facts();
    if (this.#readings++ % rareEvery === 0) {
      this.#keepers = topKeepers();
      this.#open = this.#options.open();
    }
    const { at, used, limit, heapUsed, external, arrayBuffers, rss, loopDelayMs } = reading;
    const record: BoxReading = {
      kind: 'reading',
      at,
      used,
      limit,
      heapUsed,
      floor: reading.floor ?? null,
      external,
      arrayBuffers,
      rss,
      loopDelayMs,
      ...facts,
      incident: facts.incident?.slice(0, 300) ?? null,
      scopes: scopes.slice(0, mostNamed).map(({ path, bytes }) => [path.slice(-mostChars), bytes]),
      keepers: this.#keepers,
      open: this.#open,
      workers: this.#workers,
    };
    // Names in other scripts take up to four bytes per character.
    if (this.#writer?.write(record) === false)
      this.#writer.write({ ...record, scopes: [], keepers: [], actions: [], incident: null });
  }

  /** A clean end needs no autopsy, so it leaves no file. */
  exit(code: number): void {
    if (code === 0) {
      this.#writer?.close(true);
      return;
    }
    const frames = exitFrames();
    const reason = this.#options.exitReason() ?? null;
    this.#writer?.write({ kind: 'exit', at: Date.now(), code, reason, frames });
  }

  stop(): void {
    process.off('uncaughtExceptionMonitor', this.#onError);
    unsubscribe('worker_threads', this.#onWorker);
    this.#writer?.close(true);
  }

  #error(error: unknown, origin: BoxError['origin']): void {
    const known = error instanceof Error ? error : undefined;
    const code: unknown = (known as { code?: unknown } | undefined)?.code;
    this.#writer?.write({
      kind: 'error',
      at: Date.now(),
      origin,
      name: known?.name.slice(0, 100) ?? typeof error,
      code: typeof code === 'string' ? code.slice(0, 100) : null,
      phrase: phraseOf(known?.message),
      frames: framesOf(known?.stack),
    });
  }
}

/** The caller of `process.exit`. Its frames are on the stack while the exit is handled. */
function exitFrames(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 30;
  const { stack } = new Error('exit');
  Error.stackTraceLimit = stackTraceLimit;
  return framesOf(stack, 'process.exit (');
}

function topKeepers(): BoxReading['keepers'] {
  return keeperRows()
    .slice(0, mostNamed)
    .map(({ kind, name, bytes }) => [`${kind}:${name}`.slice(0, mostChars), bytes]);
}

/** The functions and places of a stack, without the message before them: `load (file:///app/server.js:41:7)`. With `after`, those below that one. */
export function framesOf(stack: string | undefined, after?: string): string[] {
  if (typeof stack !== 'string') return [];
  const lines = stack.split('\n').map((line) => line.trim());
  const from = after === undefined ? 0 : lines.findLastIndex((line) => line.includes(after));
  if (from === -1) return [];
  return lines
    .slice(from)
    .filter(
      (line) => /^at .+:\d+:\d+\)?$/.test(line) && !line.includes('(node:') && !line.includes('at node:'),
    )
    .slice(0, mostFrames)
    .map((line) => line.slice(3, 3 + mostFrameChars));
}

/** Phrases of V8 and Node that name the cause and contain nothing of the user's. */
const phrases = [
  'Array buffer allocation failed',
  'Maximum call stack size exceeded',
  'Invalid string length',
  'Invalid array length',
  'Map maximum size exceeded',
  'Set maximum size exceeded',
  'reaching memory limit',
  'no space left on device',
  'Cannot create a string longer than',
] as const;

/** The known phrase that a message contains. */
export function phraseOf(message: string | undefined): string | null {
  return phrases.find((phrase) => message?.includes(phrase) === true) ?? null;
}
