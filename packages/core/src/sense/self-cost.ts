import { startWork } from './clock.ts';
import type { Clock } from './clock.ts';
import type { SelfCostReading } from './reading.ts';

/** Heap that the loaded modules of core and one running sampler keep; `npm run bench -- sense` measures it. */
const moduleBytes = 1_900_000;
const windowMs = 60_000;

/** What our CPU time is spent on, and the share of the allowance that each may take before it is slowed. */
const shares = {
  /** Readings and what the parts of the host do with them. */
  looks: 0.35,
  /** Frames and answers for watchers. */
  frames: 0.2,
  census: 0.6,
  /** Collections that are asked for, snapshots, and the search for who holds what. */
  proofs: 0.3,
} as const;

type SelfPart = keyof typeof shares;

const allParts = Object.keys(shares) as SelfPart[];

/** Our share of a core, for all parts together: at the levels normal and warning, and at critical and above. */
export const allowanceRatio = { calm: 0.01, urgent: 0.03 } as const;

const judgeMs = 10_000;
/** One step of slowing down or of going back, and the most that a part is slowed. */
const slowStep = 1.5;
const mostSlow = 10;

interface PartTime {
  spentMs: number;
  previousMs: number;
  /** Spent since the parts were judged last. */
  freshMs: number;
  slowdown: number;
}

/**
 * What Plimsoll costs the host: parts report the time they spend and the bytes they retain.
 *
 * Time is the CPU time our own callbacks took on their thread, over the last one to two minutes. It leaves out the collector's work on our
 * garbage and whatever runs in other threads. Bytes are a fixed part for code and what the parts count of their own structures; nothing
 * is inferred from the heap, where our objects cannot be told from the user's.
 *
 * All parts share one allowance. Every ten seconds a part that took more than its share of it, while all together took more than the
 * allowance, is slowed by half; parts go back step by step once all together take less than 80 % of it. No part is stopped.
 */
export class SelfCost {
  readonly #clock: Clock;
  readonly #parts = new Map<string, () => number>();
  readonly #times = new Map<SelfPart, PartTime>(
    allParts.map((part) => [part, { spentMs: 0, previousMs: 0, freshMs: 0, slowdown: 1 }]),
  );
  #windowStart: number;
  #previousMs = 0;
  #judgedAt: number;
  #allowance: number = allowanceRatio.calm;
  /** Time of measured work inside the work that is being measured. */
  #insideMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#windowStart = clock.monotonic();
    this.#judgedAt = this.#windowStart;
  }

  /** Runs our own work on the account of a part; errors pass through. Work measured inside it goes to its own part only. */
  measure<T>(part: SelfPart, work: () => T): T {
    const outsideMs = this.#insideMs;
    this.#insideMs = 0;
    const spent = startWork(this.#clock);
    try {
      return work();
    } finally {
      const ms = Math.max(0, spent());
      this.spend(part, ms - this.#insideMs);
      this.#insideMs = outsideMs + ms;
    }
  }

  spend(part: SelfPart, ms: number): void {
    if (!(ms > 0)) return;
    const time = this.#times.get(part) as PartTime;
    time.spentMs += ms;
    time.freshMs += ms;
  }

  /** Sets what all parts together may take; more when memory is short. */
  allow(ratio: number): void {
    this.#allowance = ratio;
  }

  /** How many times longer than usual a part waits between two pieces of its work: 1 to 10. */
  slowdown(part: SelfPart): number {
    this.#judge();
    return (this.#times.get(part) as PartTime).slowdown;
  }

  /** Adds a part's retained bytes to the sum; the same name again replaces it. */
  retains(part: string, bytes: () => number): void {
    this.#parts.set(part, bytes);
  }

  release(part: string): void {
    this.#parts.delete(part);
  }

  read(): SelfCostReading {
    this.#judge();
    const now = this.#clock.monotonic();
    const ms = now - this.#windowStart;
    const wallMs = this.#previousMs + ms;
    const parts = allParts.map((part) => {
      const { spentMs, previousMs, slowdown } = this.#times.get(part) as PartTime;
      return { part, cpuRatio: wallMs > 0 ? (previousMs + spentMs) / wallMs : 0, slowdown };
    });
    const cpuRatio = parts.reduce((sum, part) => sum + part.cpuRatio, 0);
    if (ms >= windowMs) {
      this.#previousMs = ms;
      this.#windowStart = now;
      for (const time of this.#times.values()) Object.assign(time, { previousMs: time.spentMs, spentMs: 0 });
    }
    let bytes = moduleBytes;
    for (const part of this.#parts.values()) bytes += guarded(part);
    return { bytes, cpuRatio, allowanceRatio: this.#allowance, parts };
  }

  #judge(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#judgedAt;
    if (ms < judgeMs) return;
    this.#judgedAt = now;
    let sumMs = 0;
    for (const { freshMs } of this.#times.values()) sumMs += freshMs;
    const allowedMs = ms * this.#allowance;
    for (const [part, time] of this.#times) {
      if (sumMs > allowedMs) {
        if (time.freshMs > shares[part] * allowedMs)
          time.slowdown = Math.min(mostSlow, time.slowdown * slowStep);
      } else if (sumMs < 0.8 * allowedMs) time.slowdown = Math.max(1, time.slowdown / slowStep);
      time.freshMs = 0;
    }
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
