import { forceGc } from './forced-gc.ts';

export interface ForcedFloorSettings {
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** Someone waits for a verdict about the whole life of the process, however short it is. */
  readonly isSupervised: boolean;
  /** Ms until an allowance that is shared with others pays for the next collection; without it floors take at most 1 % of a core. */
  readonly restMs?: () => number | undefined;
  /** CPU time of the process in ms; default that of `process.cpuUsage`. */
  readonly cpuMs?: () => number;
  /** Collects; default one full GC. */
  readonly collect?: () => void;
}

/** What is known when it is asked whether a forced floor is due. */
interface ForcedFloorState {
  /** The last floor, or what is in use before the first. */
  readonly heapBytes: number;
  /** Heap limit of V8. */
  readonly limitBytes: number;
  /** When the newest floor was read. */
  readonly newestAt: number;
  /** A second snapshot waits for floors that say whether growth goes on. */
  readonly isAwaited?: boolean;
  /** Natural floors say nothing about the memory outside of the heap. */
  readonly isChurning?: boolean;
}

const restMs = 1000;
/** A run that may be over in a second is asked this often at first, then every twelfth of its age. */
const shortRestMs = 25;
const restsPerLife = 12;
/** The first seconds count as a short run, and as start-up: they are not held against the allowance. */
const youngMs = 20_000;
/** Share of a core that forced floors may take, by CPU time: a machine that holds us up must not cost us our floors. */
const costRatio = 0.01;
const youngCostRatio = 0.02;
/** In a young supervised run, heaps that are collected within this time may take this share instead. */
const shortPauseMs = 50;
const shortCostRatio = 0.4;
/** Floors that a snapshot or the memory outside of the heap waits for are not held against the allowance, but rest for this long. */
const awaitedRestMs = 4000;
/** And those for the memory outside of the heap, which go on, take this share at most. */
const churnCostRatio = 0.005;
/** The longest collection that is asked for, and the part of the allowed stop that it may take. */
const longestMs = 500;
const pauseRatio = 0.25;
/** Near its limit V8 counts collections that free little and gives up after some. There natural ones are frequent enough. */
const mostOfLimit = 0.6;
/** A full mark and compact takes 0.3 to 1 ms per MB of live heap. */
const usualMsPerByte = 1e-6;

/**
 * Natural collections are rare, so a program is asked now and then what of it is alive. It is asked over its whole life, for at most 1 % of
 * a core, or for what an allowance shared with others leaves. What a collection takes is measured in CPU time, because on a busy machine wall time says how busy the machine is.
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

  /** What a collection of so many live bytes is expected to take by the clock. */
  pauseMsOf(heapBytes: number): number {
    return heapBytes * this.#wallMsPerByte;
  }

  isDue(now: number, state: ForcedFloorState): boolean {
    const { heapBytes, limitBytes, newestAt, isAwaited = false, isChurning = false } = state;
    const { startedAt, maxPauseMs, isSupervised } = this.#settings;
    const ageMs = now - startedAt;
    const isYoung = ageMs <= youngMs;
    // By the usual pace: one collection that the machine held up must not be the last.
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

  /** Collects once; `heapBytes` is what was alive before. */
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
