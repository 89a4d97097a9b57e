/**
 * CPU time per call with an adapter and without it. Each variant is a process of its own, and one block of each makes a round: only one of
 * them runs at a time, so that they meet the same neighbours and do not compete. Where `taskset` is there, they share the first core and
 * the provider of the models has the last one.
 *
 * Two processes of one program differ by some percent for their whole life, because V8 does not compile the same code in the same way every
 * time. So the rounds of one group of processes count as one figure, and groups are what the result is judged by.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { startProgram } from '../../test/frameworks/frameworks.ts';
import { quantile, ratiosOf } from '../row.ts';

/** `off` and `again` are the same. */
const variants = ['off', 'on', 'again'] as const;
type Variant = (typeof variants)[number];

/** What one group of processes says. */
export interface GroupPace {
  /** CPU µs per call with the adapter. */
  readonly on: number;
  /** CPU time without the adapter, of that with it: the median over the rounds. */
  readonly ratio: number;
  /** Without, of without. */
  readonly noise: number;
}

/** CPU time that a block takes. Neighbours come and go within milliseconds: blocks of 40 ms gave three times the spread in the same time. */
const blockMs = 8;
/** The host loads its parts and V8 compiles what calls need before anything is measured. */
const warmMs = 3500;
const lastCore = availableParallelism() - 1;

/** All orders in turns, because a block may pay for what the one before it left in the caches. */
const orders: readonly (readonly number[])[] = [0, 1, 2].flatMap((first) => [
  [first, (first + 1) % 3, (first + 2) % 3],
  [first, (first + 2) % 3, (first + 1) % 3],
]);

/** Measures in so many groups of fresh processes, for so many seconds each. */
export async function paceOf(
  name: string,
  load: string,
  groups: number,
  seconds: number,
): Promise<readonly GroupPace[]> {
  const all: GroupPace[] = [];
  for (let group = 0; group < groups; group++) all.push(await groupPace(name, load, seconds));
  return all;
}

async function groupPace(name: string, load: string, seconds: number): Promise<GroupPace> {
  await using all = new AsyncDisposableStack();
  const started = variants.map(async (variant) => {
    const caller = all.use(new Caller(name, load, variant === 'on' ? 'on' : 'off'));
    await caller.ready();
    return caller;
  });
  const callers = await Promise.all(started);
  const block = (i: number, count: number): Promise<number> => (callers[i] as Caller).block(count);
  let count = 1;
  for (const until = Date.now() + warmMs; Date.now() < until;)
    for (const i of variants.keys())
      count = Math.max(1, Math.round((1000 * blockMs) / (await block(i, count))));
  const figures: Record<Variant, number[]> = { off: [], on: [], again: [] };
  const until = Date.now() + 1000 * seconds;
  for (let round = 0; Date.now() < until || round % orders.length !== 0; round++)
    for (const i of orders[round % orders.length] ?? [])
      figures[variants[i] as Variant].push(await block(i, count));
  const { off, on, again } = figures;
  const without = off.map((micros, i) => (micros + (again[i] as number)) / 2);
  return {
    on: quantile(on, 0.5),
    ratio: quantile(ratiosOf(without, on), 0.5),
    noise: quantile(ratiosOf(off, again), 0.5),
  };
}

/** A process that makes calls when it is told to. */
class Caller implements AsyncDisposable {
  readonly #child: ReturnType<typeof startProgram>;

  constructor(name: string, load: string, variant: 'on' | 'off') {
    const env = { NODE_ENV: 'production', ...(lastCore > 0 && { PROVIDER_CORE: String(lastCore) }) };
    this.#child = startProgram('call-pace.mjs', { args: [name, load, variant], env });
  }

  async ready(): Promise<void> {
    await this.#answer();
    if (lastCore > 0) spawnSync('taskset', ['-apc', '0', String(this.#child.pid)]);
  }

  /** CPU µs per call. */
  async block(count: number): Promise<number> {
    this.#child.send(count);
    return Number(await this.#answer());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((done) => this.#child.once('exit', done));
    this.#child.disconnect();
    await ended;
  }

  #answer(): Promise<unknown> {
    return new Promise((done, fail) => {
      const died = (code: number | null): void => fail(new Error(`the program ended with ${code}`));
      this.#child.once('exit', died);
      this.#child.once('message', (message) => {
        this.#child.off('exit', died);
        done(message);
      });
    });
  }
}
