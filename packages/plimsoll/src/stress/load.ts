import type { CallResult, HttpClient, ReaderManner } from './http-client.ts';
import { Latencies } from './latencies.ts';
import type { Random } from './random.ts';
import { fieldOf } from './recipe.ts';
import type { SessionPlan, CallStep } from './recipe.ts';

/** Sums of a load. */
export class LoadTally {
  sessions = 0;
  calls = 0;
  errors = 0;
  /** 503 and 429: the program refused work, which is not a failure. */
  refused = 0;
  misbehaved = 0;
  readonly latencies = new Latencies();
  readonly rows = new Map<string, { count: number; errors: number; readonly latencies: Latencies }>();
  readonly faults = new Map<string, number>();

  count(name: string, result: CallResult, isFault: boolean): void {
    this.calls++;
    this.latencies.add(result.ms);
    const row = this.#row(name);
    row.count++;
    row.latencies.add(result.ms);
    if (result.hasMisbehaved) this.misbehaved++;
    if (result.status === 503 || result.status === 429) this.refused++;
    else if (isFault) {
      this.errors++;
      row.errors++;
      const why = `${name}: ${result.error ?? `status ${result.status}`}`;
      if (this.faults.size < mostFaults || this.faults.has(why))
        this.faults.set(why, (this.faults.get(why) ?? 0) + 1);
    }
  }

  merge(other: LoadTally): void {
    this.sessions += other.sessions;
    this.calls += other.calls;
    this.errors += other.errors;
    this.refused += other.refused;
    this.misbehaved += other.misbehaved;
    this.latencies.merge(other.latencies);
    for (const [name, row] of other.rows) {
      const own = this.#row(name);
      own.count += row.count;
      own.errors += row.errors;
      own.latencies.merge(row.latencies);
    }
    for (const [why, count] of other.faults) this.faults.set(why, (this.faults.get(why) ?? 0) + count);
  }

  #row(name: string): { count: number; errors: number; readonly latencies: Latencies } {
    let row = this.rows.get(name);
    if (row === undefined) this.rows.set(name, (row = { count: 0, errors: 0, latencies: new Latencies() }));
    return row;
  }
}

const mostFaults = 20;

export interface LoadOptions {
  readonly client: HttpClient;
  readonly sessions: readonly SessionPlan[];
  readonly random: Random;
  readonly parallel: number;
  /** The load ends when either bound is reached. */
  readonly forMs: number;
  readonly mostSessions?: number;
  /** Size of `{text}` in bodies. */
  readonly textBytes?: number;
  /** Additional repeats of steps with a saved value in their path, for longer conversations. */
  readonly turns?: number;
  /** How the answer of a call is read; completely by default. */
  readonly readingOf?: (random: Random) => ReaderManner;
  readonly signal: AbortSignal;
}

/** Runs sessions in parallel until the time is over. */
export async function runLoad(options: LoadOptions): Promise<LoadTally> {
  const tally = new LoadTally();
  const until = performance.now() + options.forMs;
  const most = options.mostSessions ?? Number.POSITIVE_INFINITY;
  const weighted = options.sessions.flatMap((plan) => Array.from({ length: plan.weight }, () => plan));
  if (weighted.length === 0) return tally;
  let begun = 0;
  const isOver = (): boolean => options.signal.aborted || performance.now() >= until || begun >= most;
  const user = async (): Promise<void> => {
    while (!isOver()) {
      begun++;
      const before = tally.errors;
      await runSession(
        options.random.pick(weighted),
        options,
        tally,
        () => options.signal.aborted || performance.now() >= until,
      );
      tally.sessions++;
      // Without this pause a server that refuses connections would cause a busy loop.
      if (tally.errors > before) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, user));
  return tally;
}

/**
 * One session from beginning to end. When the time is over, repeats are cut short but the last steps still run, because a session that is
 * never closed would look like a leak of the program.
 */
async function runSession(
  plan: SessionPlan,
  options: LoadOptions,
  tally: LoadTally,
  isLate: () => boolean,
): Promise<void> {
  const saved = new Map<string, string>();
  for (const step of plan.steps) {
    const isTurn =
      step.repeat > 1 || (options.turns !== undefined && /\{\w+\}/.test(step.path) && step.method === 'POST');
    const times = isTurn ? (options.turns ?? step.repeat) : step.repeat;
    for (let i = 0; i < times; i++) {
      if (options.signal.aborted || (i > 0 && isLate())) break;
      const filled = fill(step, saved, options);
      if (filled === undefined) return;
      const reading = options.readingOf?.(options.random);
      const result = await options.client.call(filled, {
        signal: options.signal,
        ...(reading === undefined ? {} : { reading }),
      });
      if (result.error === 'stopped') return;
      const isFault = !isAccepted(step, result);
      tally.count(`${step.method} ${step.path}`, result, isFault);
      if (isFault) return;
      keep(step, result, saved);
    }
  }
}

function isAccepted(step: CallStep, { status, error }: CallResult): boolean {
  if (error !== null) return false;
  return step.statuses.length === 0 ? status > 0 && status < 400 : step.statuses.includes(status);
}

function keep(step: CallStep, result: CallResult, saved: Map<string, string>): void {
  const names = Object.entries(step.save);
  if (names.length === 0) return;
  const answer = parsed(result.text);
  for (const [name, path] of names) {
    const header = /^header\.(.+)$/.exec(path)?.[1];
    const value = header === undefined ? fieldOf(answer, path) : result.headers[header.toLowerCase()];
    if (typeof value === 'string' || typeof value === 'number') saved.set(name, String(value));
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The step with its values in place; undefined when one of them was never saved. */
function fill(
  step: CallStep,
  saved: ReadonlyMap<string, string>,
  options: Pick<LoadOptions, 'random' | 'textBytes'>,
): CallStep | undefined {
  let isMissing = false;
  const replace = (text: string): string =>
    text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
      if (name === 'text') return options.random.text(options.textBytes ?? 40);
      const value = saved.get(name);
      if (value === undefined) isMissing = true;
      return value ?? whole;
    });
  const deep = (value: unknown): unknown => {
    if (typeof value === 'string') return replace(value);
    if (Array.isArray(value)) return value.map(deep);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, deep(each)]));
  };
  const isText = typeof step.body === 'string';
  const filled = {
    ...step,
    path: replace(step.path),
    headers: deep(step.headers) as CallStep['headers'],
    // A recorded body is sent unchanged, because braces in it are JSON.
    body: isText ? step.body : deep(step.body),
  };
  return isMissing ? undefined : filled;
}
