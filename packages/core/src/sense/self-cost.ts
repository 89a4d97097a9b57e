import { startWork } from './clock.ts';
import type { Clock } from './clock.ts';
import type { SelfCostReading } from './reading.ts';

/** Heap that the loaded modules of core and one running sampler keep; `npm run bench -- sense` measures it. */
const moduleBytes = 1_900_000;
const windowMs = 60_000;

/**
 * What Plimsoll costs the host: parts report the time they spend and the bytes they retain.
 *
 * Time is the CPU time our own callbacks took on their thread, over the last one to two minutes. It leaves out the collector's work on our
 * garbage and whatever runs in other threads. Bytes are a fixed part for code and what the parts count of their own structures; nothing
 * is inferred from the heap, where our objects cannot be told from the user's.
 */
export class SelfCost {
  readonly #clock: Clock;
  readonly #parts = new Map<string, () => number>();
  #windowStart: number;
  #spentMs = 0;
  #previous = { ms: 0, spentMs: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windowStart = clock.monotonic();
  }

  /** Runs our own work on the account; errors pass through. */
  measure<T>(work: () => T): T {
    const spent = startWork(this.#clock);
    try {
      return work();
    } finally {
      this.spend(spent());
    }
  }

  spend(ms: number): void {
    if (ms > 0) this.#spentMs += ms;
  }

  /** Adds a part's retained bytes to the sum; the same name again replaces it. */
  retains(part: string, bytes: () => number): void {
    this.#parts.set(part, bytes);
  }

  release(part: string): void {
    this.#parts.delete(part);
  }

  read(): SelfCostReading {
    const now = this.#clock.monotonic();
    const ms = now - this.#windowStart;
    const spentMs = this.#spentMs;
    const wallMs = this.#previous.ms + ms;
    const cpuRatio = wallMs > 0 ? (this.#previous.spentMs + spentMs) / wallMs : 0;
    if (ms >= windowMs) {
      this.#previous = { ms, spentMs };
      this.#windowStart = now;
      this.#spentMs = 0;
    }
    let bytes = moduleBytes;
    for (const part of this.#parts.values()) bytes += guarded(part);
    return { bytes, cpuRatio };
  }
}

function guarded(part: () => number): number {
  try {
    const bytes = part();
    return bytes > 0 ? bytes : 0;
  } catch {
    return 0;
  }
}
