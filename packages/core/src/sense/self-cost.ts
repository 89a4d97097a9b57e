import { startWork } from './clock.ts';
import type { Clock } from './clock.ts';
import type { SelfCostReading } from './reading.ts';

/** Heap that the loaded modules of core and one running sampler keep; `npm run bench -- sense` measures it. */
const moduleBytes = 1_900_000;

/**
 * What our CPU time is spent on. `looks`: readings and what the parts of the host do with them. `frames`: frames and answers for watchers.
 * `census`: the walk over scope roots. `floors`: collections that are asked for, allocation sites and containers read after them, and
 * their judgement. `proofs`: snapshots.
 */
const allParts = ['looks', 'frames', 'census', 'floors', 'proofs'] as const;

type SelfPart = (typeof allParts)[number];

/** Our share of a core, for all parts together but snapshots: at the levels normal and warning, and at critical and above. */
export const allowanceRatio = { calm: 0.01, urgent: 0.03 } as const;

/** The window over which time is shown and held against the allowance, in steps. */
const stepMs = 5000;
const windowSteps = 12;
/** Work before this age is start-up: it is shown, but not held against the allowance. */
const startUpMs = 20_000;
const startUpSteps = startUpMs / stepMs;
/** The parts aim at this much of the allowance, so that pieces of work that come together still fit. */
const targetRatio = 0.9;

/** Parts that are due by the clock. Above its share of the allowance a part is slowed, step by step, while all together are above it. */
const clockedShares = { looks: 0.35, frames: 0.2 } as const;
const judgeMs = 10_000;
const slowStep = 1.5;
const mostSlow = 10;
/** What these two are expected to take before they were measured for a while, and how many ms of measurement that is worth. */
const expectedRatio = 0.0025;
const expectedMs = 20_000;

/** Parts that take what the others leave: their part of that, and the share of a core at which they count as not slowed. */
const restShares = {
  census: { part: 0.3, usualRatio: 0.005 },
  floors: { part: 0.7, usualRatio: 0.01 },
} as const;
/** These parts never get less than this part of the allowance, all together. */
const leastRatio = 0.15;
/** At most this much is owed: one slow collection must not be the last for an hour. */
const mostDebtMs = 1500;

type Clocked = keyof typeof clockedShares;
type Resting = keyof typeof restShares;

interface PartTime {
  /** Ms of each step of the window; the newest is at `#step % windowSteps`. */
  readonly steps: Float64Array;
  /** Their sum, and the part of it after start-up. */
  sumMs: number;
  ratedMs: number;
  /** Spent since the parts were judged last. */
  freshMs: number;
  slowdown: number;
  /** Spent and not yet paid off at the granted share. */
  debtMs: number;
}

/**
 * What Plimsoll costs the host: parts report the time they spend and the bytes they retain.
 *
 * Time is the CPU time of our own callbacks, collections that they force included, over the last minute. It leaves out the collector's
 * work on our garbage and whatever runs in threads of ours. Bytes are a fixed part for code and what the parts count of their own
 * structures; nothing is inferred from the heap, where our objects cannot be told from the user's.
 *
 * All parts but snapshots share one allowance. Readings and frames are due by the clock and are slowed by half when they are above their
 * share and all together are above the allowance. Census and floors get what these two leave, each at least its part of it, and more
 * while the other needs less. Snapshots are bounded by `--max-pause` instead.
 */
export class SelfCost {
  readonly #clock: Clock;
  readonly #retained = new Map<string, () => number>();
  readonly #times = new Map<SelfPart, PartTime>(
    allParts.map((part) => [
      part,
      { steps: new Float64Array(windowSteps), sumMs: 0, ratedMs: 0, freshMs: 0, slowdown: 1, debtMs: 0 },
    ]),
  );
  readonly #startedAt: number;
  /** Number of the step that time is spent in now. */
  #step = 0;
  #judgedAt: number;
  #paidAt: number;
  #allowance: number = allowanceRatio.calm;
  /** Time of measured work inside the work that is being measured. */
  #insideMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
    this.#judgedAt = this.#startedAt;
    this.#paidAt = this.#startedAt;
  }

  /** Runs our own work on the account of a part; errors pass through. Work measured inside it goes to its own part only. */
  measure<T>(part: SelfPart, work: () => T): T {
    const outsideMs = this.#insideMs;
    this.#insideMs = 0;
    const spent = startWork(this.#clock, part === 'floors');
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
    this.#advance();
    const time = this.#timeOf(part);
    const at = this.#step % windowSteps;
    time.steps[at] = (time.steps[at] as number) + ms;
    time.sumMs += ms;
    if (this.#step >= startUpSteps) time.ratedMs += ms;
    time.freshMs += ms;
    if (!this.#isStartUp()) time.debtMs = Math.min(mostDebtMs, time.debtMs + ms);
  }

  /** Sets what all parts together may take; more when memory is short. */
  allow(ratio: number): void {
    this.#allowance = ratio;
  }

  /** How many times longer than usual a part waits between two pieces of its work. Readings and frames are slowed 10 times at most. */
  slowdown(part: SelfPart): number {
    if (part === 'proofs') return 1;
    if (part === 'census' || part === 'floors') return this.#restSlowdown(part);
    this.#judge();
    return this.#timeOf(part).slowdown;
  }

  /** Ms until the floors have paid for what they spent; 0 when the next one may come. */
  restMs(): number {
    this.#advance();
    const { debtMs } = this.#timeOf('floors');
    return debtMs > 0 ? debtMs / this.#granted('floors') : 0;
  }

  /** Adds a part's retained bytes to the sum; the same name again replaces it. */
  retains(part: string, bytes: () => number): void {
    this.#retained.set(part, bytes);
  }

  release(part: string): void {
    this.#retained.delete(part);
  }

  read(): SelfCostReading {
    this.#advance();
    const wallMs = this.#windowMs(this.#startedAt);
    const parts = allParts.map((part) => ({
      part,
      cpuRatio: wallMs > 0 ? this.#timeOf(part).sumMs / wallMs : 0,
      slowdown: this.slowdown(part),
    }));
    const cpuRatio = parts.reduce((sum, part) => sum + part.cpuRatio, 0);
    let bytes = moduleBytes;
    for (const part of this.#retained.values()) bytes += guarded(part);
    return { bytes, cpuRatio, allowanceRatio: this.#allowance, parts };
  }

  #timeOf(part: SelfPart): PartTime {
    return this.#times.get(part) as PartTime;
  }

  #isStartUp(): boolean {
    return this.#clock.monotonic() - this.#startedAt < startUpMs;
  }

  /** Empties the steps that have left the window, and pays debts off for the time that has passed. */
  #advance(): void {
    const now = this.#clock.monotonic();
    const step = Math.floor((now - this.#startedAt) / stepMs);
    if (step > this.#step) this.#slide(step);
    const ms = now - this.#paidAt;
    if (ms <= 0) return;
    const floors = this.#timeOf('floors');
    if (floors.debtMs > 0) floors.debtMs = Math.max(0, floors.debtMs - ms * this.#granted('floors'));
    this.#paidAt = now;
  }

  /** Takes the steps that have left the window off the sums, which are added up anew so that no error of rounding stays. */
  #slide(step: number): void {
    const first = Math.max(0, step - windowSteps + 1);
    for (const time of this.#times.values()) {
      for (let i = Math.max(this.#step + 1, first); i <= step; i++) time.steps[i % windowSteps] = 0;
      time.sumMs = 0;
      time.ratedMs = 0;
      for (let i = first; i <= step; i++) {
        const ms = time.steps[i % windowSteps] as number;
        time.sumMs += ms;
        if (i >= startUpSteps) time.ratedMs += ms;
      }
    }
    this.#step = step;
  }

  /** Length of the window, as far as it lies after this moment. */
  #windowMs(since: number): number {
    const begin = this.#startedAt + Math.max(0, this.#step - windowSteps + 1) * stepMs;
    return Math.max(0, this.#clock.monotonic() - Math.max(begin, since));
  }

  /** Share of a core that a part took in the window after start-up, with what is expected of it standing in for a measurement at first. */
  #takenRatio(part: SelfPart, expected: number): number {
    const wallMs = this.#windowMs(this.#startedAt + startUpMs);
    return (this.#timeOf(part).ratedMs + expected * expectedMs) / (wallMs + expectedMs);
  }

  /** The share of a core that census or floors may take now. */
  #granted(part: Resting): number {
    const other = part === 'census' ? 'floors' : 'census';
    const target = targetRatio * this.#allowance;
    const clocked =
      this.#takenRatio('looks', expectedRatio / 2) + this.#takenRatio('frames', expectedRatio / 2);
    const left = Math.max(leastRatio * this.#allowance, target - clocked);
    const fair = left * restShares[part].part;
    const unused = left - fair - this.#takenRatio(other, left * restShares[other].part);
    return Math.max(fair / 2, fair + unused);
  }

  #restSlowdown(part: Resting): number {
    if (this.#isStartUp()) return 1;
    return Math.max(1, restShares[part].usualRatio / this.#granted(part));
  }

  #judge(): void {
    const now = this.#clock.monotonic();
    const ms = now - this.#judgedAt;
    if (ms < judgeMs || this.#isStartUp()) return;
    this.#judgedAt = now;
    let sumMs = 0;
    for (const [part, { freshMs }] of this.#times) if (part !== 'proofs') sumMs += freshMs;
    const allowedMs = ms * this.#allowance;
    for (const part of Object.keys(clockedShares) as Clocked[]) {
      const time = this.#timeOf(part);
      if (sumMs > allowedMs) {
        if (time.freshMs > clockedShares[part] * allowedMs)
          time.slowdown = Math.min(mostSlow, time.slowdown * slowStep);
      } else if (sumMs < 0.8 * allowedMs) time.slowdown = Math.max(1, time.slowdown / slowStep);
    }
    for (const time of this.#times.values()) time.freshMs = 0;
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
