import { formatByteSize } from '@plimsoll/core/units';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

/** More load than this is not the usual one, and growth under it says nothing about the policy. */
const normalLoadFactor = 1.5;
/** The usual slope counts double, because it is an estimate, too. */
const usualFactor = 2;
const judgedFloors = 3;

/** The floor after one major GC, with the work done until then. */
interface SeenFloor {
  readonly bytes: number;
  readonly operations: number;
  readonly nowMs: number;
}

/**
 * Memory that grew since a policy is enforced, at usual load, beyond what it grew before: 20 MiB is the seed of the rule. Growth as
 * usual is a leak of the application, and giving up the governor over it would take away the one thing that holds it. Without anything
 * to compare with, only what Plimsoll itself holds is judged.
 */
export class GrowthTrigger {
  readonly #bytes: number;
  readonly #usual: Usual | undefined;
  #floors: SeenFloor[] = [];
  #majors = -1;
  /** Where growth is counted from. */
  #base: SeenFloor | undefined;
  #selfBase: number | undefined;

  constructor(bytes: number, usual: Usual | undefined) {
    this.#bytes = bytes;
    this.#usual = usual;
  }

  /** `isSettled` is false while the process warms up: the highest floor until then is where growth begins. */
  take(signals: RollbackSignals, isSettled: boolean): Trip | undefined {
    if (!isSettled || this.#selfBase === undefined)
      this.#selfBase = Math.max(this.#selfBase ?? 0, signals.selfBytes);
    const own = signals.selfBytes - this.#selfBase;
    if (own > this.#bytes) return selfTrip(own, this.#bytes);
    if (signals.floor === undefined || signals.majors === this.#majors) return undefined;
    this.#majors = signals.majors;
    const floor = { bytes: signals.floor, operations: signals.operations, nowMs: signals.nowMs };
    if (!isSettled || this.#base === undefined) {
      this.#base = { ...floor, bytes: Math.max(this.#base?.bytes ?? 0, floor.bytes) };
      return undefined;
    }
    this.#floors.push(floor);
    return this.#floors.length < judgedFloors ? undefined : this.#judge(this.#base, floor);
  }

  #judge(base: SeenFloor, now: SeenFloor): Trip | undefined {
    const usual = this.#usual;
    if (usual === undefined) {
      this.#floors = [];
      return undefined;
    }
    const lately = rate(this.#floors[0] as SeenFloor, now);
    if (lately > normalLoadFactor * usual.operationsPerSecond) {
      // What came with a surge of work may stay after it; growth is counted anew from there.
      this.#base = now;
      this.#floors = [];
      return undefined;
    }
    const grown = Math.min(...this.#floors.map(({ bytes }) => bytes)) - base.bytes;
    this.#floors.shift();
    const operations = now.operations - base.operations;
    const asUsual = Math.max(0, usual.bytesPerOperation) * operations;
    if (grown <= this.#bytes + usualFactor * asUsual) return undefined;
    const load = `${rate(base, now).toFixed(1)} operations/s, usual ${usual.operationsPerSecond.toFixed(1)}`;
    return {
      trigger: 'growth',
      text: `live memory grew by ${formatByteSize(grown)} since this policy is enforced, at usual load (${load}); ${formatByteSize(asUsual)} would have been usual, more than ${formatByteSize(this.#bytes)} beyond that is not.`,
      evidence: { grownBytes: grown, usualBytes: asUsual, boundBytes: this.#bytes, operations },
    };
  }
}

/** Operations per second. */
function rate(from: SeenFloor, to: SeenFloor): number {
  return (1000 * (to.operations - from.operations)) / Math.max(1, to.nowMs - from.nowMs);
}

function selfTrip(own: number, bytes: number): Trip {
  return {
    trigger: 'growth',
    text: `Plimsoll itself holds ${formatByteSize(own)} more than when this policy began to be enforced; the bound is ${formatByteSize(bytes)}.`,
    evidence: { selfGrownBytes: own, boundBytes: bytes },
  };
}
