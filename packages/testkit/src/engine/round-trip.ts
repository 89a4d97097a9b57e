import { setImmediate as turn } from 'node:timers/promises';
import { liveBytes, type LiveBytes } from './live-bytes.ts';
import { settle } from './settle.ts';

/** The function that a check calls repeatedly, with the number of the call from 0. */
export type Work = (call: number) => unknown;

/** Live bytes after so many calls. */
export interface Point extends LiveBytes {
  readonly calls: number;
}

export interface RoundTripOptions {
  /** Awaited before each reading, for work that goes on after a call has returned, such as a flush. */
  readonly settle?: (() => unknown) | undefined;
}

/** A round yields to the event loop this often, so that timers and sockets of the program go on. */
const breathMs = 20;

/** Calls the function in rounds and reads the live bytes after each. It drops the function's results. */
export class RoundTrip {
  readonly #work: Work;
  readonly #settle: (() => unknown) | undefined;
  #calls = 0;
  #ms = 0;

  constructor(work: Work, options: RoundTripOptions = {}) {
    // V8 does not inline a call through a proxy, so allocations keep the program's function as their site.
    this.#work = new Proxy(work, {});
    this.#settle = options.settle;
  }

  get calls(): number {
    return this.#calls;
  }

  /** Mean time of a call in the last run. */
  get msPerCall(): number {
    return this.#ms;
  }

  /** Calls the function `calls` times, one after the other. */
  async run(calls: number): Promise<void> {
    const started = performance.now();
    let breath = started;
    for (let i = 0; i < calls; i++) {
      const result = this.#work(this.#calls++);
      if (isThenable(result)) await result;
      // Reading the clock costs more than a short call; every eighth is enough.
      if ((i & 7) !== 7) continue;
      const now = performance.now();
      if (now - breath < breathMs) continue;
      await turn();
      breath = now;
    }
    this.#ms = (performance.now() - started) / Math.max(1, calls);
  }

  /** Settles and reads. */
  async read(): Promise<Point> {
    await this.#settle?.();
    await settle();
    return { calls: this.#calls, ...liveBytes() };
  }

  /** Runs rounds of equal size with a reading after each. */
  async rounds(count: number, callsEach: number): Promise<readonly Point[]> {
    // All points are allocated at once. Points that were added between the readings would be growth themselves.
    const values = new Float64Array(4 * count);
    for (let i = 0; i < count; i++) {
      await this.run(callsEach);
      const { calls, heap, external, rss } = await this.read();
      values.set([calls, heap, external, rss], 4 * i);
    }
    return Array.from({ length: count }, (_, i) => {
      const [calls, heap, external, rss] = values.subarray(4 * i) as unknown as [
        number,
        number,
        number,
        number,
      ];
      return { calls, heap, external, rss };
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
