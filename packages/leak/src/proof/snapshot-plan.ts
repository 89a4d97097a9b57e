import { stopMsOf } from '@plimsoll/heap/capture-cost';
import { dataBytesOf, type FloorPoint } from '../floor/floor-series.ts';
import type { FloorRhythm } from './floor-rhythm.ts';
import type { Capture } from './growth-record.ts';
import type { JudgedSeries } from './judged-floors.ts';

/** After this age the long run takes the snapshots, because it knows the load and the time of day. */
export const ownSuspicionMs = 30 * 60_000;
/** A second snapshot of a running program comes this long after the first. */
const pairDistanceMs = 25_000;
/** Longest wait for floors, as a multiple of this distance. */
const waitDistances = 2;
/** It is due when this share of the whole growth came after the first snapshot. */
const gainedRatio = 0.2;
/** A first snapshot waits until growth has lasted this long, or until the program had this many natural collections. */
const lastingMs = 6000;
const naturalFloors = 12;
/** A refused snapshot is tried again after this time, because the machine may be less busy then. */
const retryMs = 10_000;
/** After a stop that was this many times longer than allowed, no more snapshots are taken while the program serves. */
const overrunRatio = 1.5;
/** When the expected pause reaches this share of the allowed one, a snapshot does not wait any longer. */
const lastChanceRatio = 0.4;
/** A running program is stopped for a snapshot only after this many floors, because the first ones are start-up. */
const floorsBeforeCapture = 8;
/** With scopes, survivor detection is faster and exact, so wait for 16 floors instead of 8 before a growth snapshot. */
const floorsWithScopes = 16;
/** Least floors in a row that look like growth, because a single one may be a wave of the load. */
const growingBeforeCapture = 2;
const growingWithScopes = 4;

/** What the plan needs to know of the floors. */
type FloorFacts = Pick<FloorRhythm, 'naturalFloors' | 'earlyFloors' | 'newest'>;

/** Decides when a program that serves is stopped for a snapshot of its growth. */
export class SnapshotPlan {
  readonly #rhythm: FloorFacts;
  readonly #startedAt: number;
  readonly #maxPauseMs: number;
  #hasScopes = false;
  #suspectedAt: number | null = null;
  /** Since when every check saw growth, and over how many floors. */
  #growingSince: number | undefined;
  #growingFloors = 0;
  #refusedAt: number | undefined;
  /** True after a stop that was much longer than allowed. No other follows while the program serves. */
  #hasOverrun = false;

  constructor(rhythm: FloorFacts, startedAt: number, maxPauseMs: number) {
    this.#rhythm = rhythm;
    this.#startedAt = startedAt;
    this.#maxPauseMs = maxPauseMs;
  }

  /** When growth was first suspected. */
  get suspectedAt(): number | null {
    return this.#suspectedAt;
  }

  /** True after a stop that was much longer than allowed. */
  get hasOverrun(): boolean {
    return this.#hasOverrun;
  }

  scopesAreInUse(): void {
    this.#hasScopes = true;
  }

  /** Takes the result of a stop; null when it was refused. */
  stopped(capture: Capture | null, maxStopMs: number, now: number): void {
    if (capture === null) this.#refusedAt = now;
    else if (capture.stopMs > overrunRatio * maxStopMs) this.#hasOverrun = true;
  }

  /** Whether the second snapshot waits for floors. With a large heap the allowance covers too few of them. */
  awaitsFloor(now: number, first: Capture | null, last: Capture | null): boolean {
    if (first === null || last !== null || !this.#mayStop(now)) return false;
    const ageMs = now - first.at;
    return ageMs >= pairDistanceMs && ageMs < waitDistances * pairDistanceMs;
  }

  /** Takes a new floor. True when the next snapshot of the pair is due. */
  isDue(now: number, judged: JudgedSeries, first: Capture | null, last: Capture | null): boolean {
    const growing = Object.values(judged.channels).filter(({ shape }) => shape === 'growing');
    if (growing.length === 0) {
      this.#growingFloors = 0;
      this.#growingSince = undefined;
      return false;
    }
    this.#growingFloors++;
    this.#suspectedAt ??= now;
    this.#growingSince ??= now;
    if (this.#growingFloors < (this.#hasScopes ? growingWithScopes : growingBeforeCapture)) return false;
    const isLastChance = this.#isLastChance();
    const floors = Math.max(...growing.map((each) => each.floors)) - this.#rhythm.earlyFloors(now);
    if (floors < (this.#hasScopes ? floorsWithScopes : floorsBeforeCapture) && !isLastChance) return false;
    if (!this.#mayStop(now)) return false;
    if (first === null) return isLastChance || this.#hasLasted(now, this.#growingSince);
    const isApart = now - first.at >= pairDistanceMs || isLastChance;
    return last === null && isApart && hasGained(judged, first);
  }

  /**
   * Whether a serving program may be stopped: it is wanted, the process is young enough, no stop was too long, and the last refusal is old
   * enough.
   */
  #mayStop(now: number): boolean {
    if (this.#maxPauseMs <= 0 || now - this.#startedAt > ownSuspicionMs || this.#hasOverrun) return false;
    return this.#refusedAt === undefined || now - this.#refusedAt >= retryMs;
  }

  /** Whether growth has lasted for a while, or the program had many natural collections. Caches that fill at the start need no snapshot. */
  #hasLasted(now: number, since: number): boolean {
    return this.#rhythm.naturalFloors >= naturalFloors || now - since >= lastingMs;
  }

  /** Whether the heap will soon be too large for a snapshot. Live bytes count, because a snapshot collects garbage first. */
  #isLastChance(): boolean {
    return stopMsOf(this.#rhythm.newest?.heapBytes ?? 0) > lastChanceRatio * this.#maxPauseMs;
  }
}

/** Whether a fifth of the growth came after the first snapshot, so that a second one is worth its pause. */
function hasGained({ points, channels }: JudgedSeries, first: Capture): boolean {
  const { heap, external, native } = channels;
  if (native.shape === 'growing') return true;
  const since = points.filter(({ at }) => at >= first.at).map(bytesOf);
  const before = points.filter(({ at }) => at < first.at).map(bytesOf);
  const gain = Math.max(...since) - (before.at(-1) ?? since[0] ?? 0);
  return since.length >= 3 && gain >= gainedRatio * (heap.growthBytes + external.growthBytes);
}

function bytesOf(point: FloorPoint): number {
  return dataBytesOf(point) + point.flushedBytes + point.externalBytes;
}
