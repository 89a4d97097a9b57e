import { forceGc } from './forced-gc.ts';

export interface ForcedFloorSettings {
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** True when a verdict about the whole life of the process is wanted, however short it is. */
  readonly isSupervised: boolean;
  /** Ms until the shared allowance covers the next collection. Without it floors take at most 1 % of a core. */
  readonly restMs?: () => number | undefined;
  /** CPU time of the process in ms; default that of `process.cpuUsage`. */
  readonly cpuMs?: () => number;
  /** Collects; default one full GC. */
  readonly collect?: () => void;
}

/** Input of the decision whether a forced floor is due. */
interface ForcedFloorState {
  /** The last floor, or the bytes in use before the first one. */
  readonly heapBytes: number;
  /** Heap limit of V8. */
  readonly limitBytes: number;
  /** When the newest floor was read. */
  readonly newestAt: number;
  /** True when a second snapshot waits for floors that show whether growth continues. */
  readonly isAwaited?: boolean;
  /** True when natural floors do not show the memory outside of the heap. */
  readonly isChurning?: boolean;
}

const restMs = 1000;
/** First interval in a run that may be over in a second. Later the interval is a twelfth of its age. */
const shortRestMs = 25;
const restsPerLife = 12;
/** Time that counts as a short run and as start-up. Its floors are not counted against the allowance. */
const youngMs = 20_000;
/** Share of a core for forced floors. It is measured in CPU time, so that a busy machine does not reduce the number of floors. */
const costRatio = 0.01;
const youngCostRatio = 0.02;
/** In a young supervised run, floors that take less than this time may use this share instead. */
const shortPauseMs = 50;
const shortCostRatio = 0.4;
/** Least pause between floors that a snapshot or the memory outside of the heap waits for. They are not counted against the allowance. */
const awaitedRestMs = 4000;
/** Most share of a core for floors for the memory outside of the heap, which continue for the whole life. */
const churnCostRatio = 0.005;
/** Longest forced collection, and its most share of the allowed stop. */
const longestMs = 500;
const pauseRatio = 0.25;
/** Near its limit V8 counts collections that free little and gives up after some. There natural ones are frequent enough. */
const mostOfLimit = 0.6;
/** A full mark and compact takes 0.3 to 1 ms per MB of live heap. */
const usualMsPerByte = 1e-6;

/**
 * Forces floors where natural collections are rare, over the whole life of a program. They take at most 1 % of a core, or the rest of a
 * shared allowance. The cost is measured in CPU time, because wall time on a busy machine measures the machine.
 */
export class ForcedFloor {
  readonly #settings: ForcedFloorSettings;
  readonly #cpuMs: () => number;
  readonly #collect: () => void;
  #askedAt: number;
  #cpuMsPerByte = usualMsPerByte;
  #wallMsPerByte = usualMsPerByte;
  #count = 0;

  constructor(settings: ForcedFloorSettings) {
    this.#settings = settings;
    this.#cpuMs = settings.cpuMs ?? processCpuMs;
    this.#collect = settings.collect ?? forceGc;
    this.#askedAt = settings.startedAt;
  }

  /** Forced floors so far. */
  get count(): number {
    return this.#count;
  }

  /** Expected wall time of a collection at this number of live bytes. */
  pauseMsOf(heapBytes: number): number {
    return heapBytes * this.#wallMsPerByte;
  }

  isDue(now: number, state: ForcedFloorState): boolean {
    const { heapBytes, limitBytes, newestAt, isAwaited = false, isChurning = false } = state;
    const { startedAt, maxPauseMs, isSupervised } = this.#settings;
    const ageMs = now - startedAt;
    const isYoung = ageMs <= youngMs;
    // The usual pace bounds it, so that one collection that the machine delayed does not prevent later ones.
    const usualMs = heapBytes * usualMsPerByte;
    if (usualMs > Math.min(longestMs, pauseRatio * maxPauseMs) || heapBytes > mostOfLimit * limitBytes)
      return false;
    const cpuMs = heapBytes * this.#cpuMsPerByte;
    const isShort = isYoung && isSupervised && usualMs <= shortPauseMs;
    const idleMs = now - Math.max(isChurning ? 0 : newestAt, this.#askedAt);
    if (isShort) return idleMs >= Math.max(shortRestMs, ageMs / restsPerLife, cpuMs / shortCostRatio);
    if (isAwaited && idleMs >= awaitedRestMs) return true;
    if (isChurning && idleMs >= Math.max(awaitedRestMs, cpuMs / churnCostRatio)) return true;
    const sharedMs = isYoung ? undefined : this.#settings.restMs?.();
    if (sharedMs !== undefined) return idleMs >= restMs && sharedMs <= 0;
    return idleMs >= Math.max(restMs, cpuMs / (isYoung ? youngCostRatio : costRatio));
  }

  /** Collects once. `heapBytes` are the live bytes before. */
  ask(now: number, heapBytes: number): void {
    this.#askedAt = now;
    this.#count++;
    const cpuBefore = this.#cpuMs();
    const started = performance.now();
    this.#collect();
    if (heapBytes === 0) return;
    this.#wallMsPerByte = (performance.now() - started) / heapBytes;
    this.#cpuMsPerByte = (this.#cpuMs() - cpuBefore) / heapBytes;
  }
}

function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
