import { GcEffectiveness } from './gc-effectiveness.ts';
import type { RollbackSignals } from './rollback-signals.ts';

/** The usual behaviour of a process over some time. A policy that is enforced later is compared with it. */
export interface Usual {
  readonly spanMs: number;
  readonly operationsPerSecond: number;
  /** Growth of the floor per operation. A leak of the application makes it positive and is then not blamed on a policy. */
  readonly bytesPerOperation: number;
  readonly gcEffectiveness: number | null;
  /** Share of readings with a loop delay at the bound or above. */
  readonly unresponsiveRatio: number;
}

const mostFloors = 32;
const leastFloors = 3;
const leastSpanMs = 60_000;

/** Measures the usual values in bounded memory. When there are too many floors, every other one is dropped. */
export class UsualMeter {
  readonly #loopDelayMs: number;
  readonly #gc = new GcEffectiveness();
  #floors: { operations: number; bytes: number }[] = [];
  #stride = 1;
  #skipped = 0;
  #majors = -1;
  #first: RollbackSignals | undefined;
  #last: RollbackSignals | undefined;
  #readings = 0;
  #unresponsive = 0;

  /** `loopDelayMs` is the delay from which a reading counts as unresponsive. */
  constructor(loopDelayMs: number) {
    this.#loopDelayMs = loopDelayMs;
  }

  /** Undefined until there is at least a minute with enough collections. */
  get usual(): Usual | undefined {
    const first = this.#first;
    const last = this.#last;
    if (first === undefined || last === undefined || this.#floors.length < leastFloors) return undefined;
    const spanMs = last.nowMs - first.nowMs;
    if (spanMs < leastSpanMs) return undefined;
    return {
      spanMs,
      operationsPerSecond: (1000 * (last.operations - first.operations)) / spanMs,
      bytesPerOperation: slope(this.#floors),
      gcEffectiveness: this.#gc.ratio,
      unresponsiveRatio: this.#unresponsive / this.#readings,
    };
  }

  take(signals: RollbackSignals): void {
    this.#first ??= signals;
    this.#last = signals;
    this.#readings += 1;
    if (signals.loopDelayMs >= this.#loopDelayMs) this.#unresponsive += 1;
    this.#gc.take(signals);
    if (signals.floor === undefined || signals.majors === this.#majors) return;
    this.#majors = signals.majors;
    this.#skipped += 1;
    if (this.#skipped < this.#stride) return;
    this.#skipped = 0;
    this.#floors.push({ operations: signals.operations, bytes: signals.floor });
    if (this.#floors.length <= mostFloors) return;
    this.#floors = this.#floors.filter((_, at) => at % 2 === 0);
    this.#stride *= 2;
  }
}

/** Bytes per operation, as the median slope of all pairs (Theil and Sen). One outlier does not change it. */
function slope(floors: readonly { readonly operations: number; readonly bytes: number }[]): number {
  const slopes: number[] = [];
  for (const [at, later] of floors.entries()) {
    for (const earlier of floors.slice(0, at)) {
      const operations = later.operations - earlier.operations;
      if (operations > 0) slopes.push((later.bytes - earlier.bytes) / operations);
    }
  }
  slopes.sort((a, b) => a - b);
  return slopes[slopes.length >> 1] ?? 0;
}
