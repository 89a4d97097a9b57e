import { formatByteSize } from '@plimsoll/core/units';
import type { RollbackSignals, Trip } from './rollback-signals.ts';
import type { Usual } from './usual.ts';

/** Above this factor of the usual load, growth is not attributed to the policy. */
const normalLoadFactor = 1.5;
/** Factor on the usual slope, because that slope is an estimate. */
const usualFactor = 2;
const judgedFloors = 3;

/** The floor after one major GC, with the operations until then. */
interface SeenFloor {
  readonly bytes: number;
  readonly operations: number;
  readonly nowMs: number;
}

/**
 * Trigger: at usual load, memory grows more since the policy is enforced than it grew before. The usual growth is a leak of the
 * application; giving up the policy for it would remove the only thing that bounds it. Without earlier measurements only Plimsoll's own
 * bytes are judged.
 */
export class GrowthTrigger {
  readonly #bytes: number;
  readonly #usual: Usual | undefined;
  #floors: SeenFloor[] = [];
  #majors = -1;
  /** The floor from which growth is counted. */
  #base: SeenFloor | undefined;
  #selfBase: number | undefined;

  constructor(bytes: number, usual: Usual | undefined) {
    this.#bytes = bytes;
    this.#usual = usual;
  }

  /** `isSettled` is false while the process warms up. Growth is counted from the highest floor of that time. */
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
      // Memory from a surge of work may stay after it, so growth is counted from there again.
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
      text: `live memory grew by ${formatByteSize(grown)} since this policy is enforced, at usual load (${load}); ${formatByteSize(asUsual)} is usual, and the bound is ${formatByteSize(this.#bytes)} more.`,
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
