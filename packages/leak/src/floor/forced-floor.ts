import { forceGc } from './forced-gc.ts';

export interface ForcedFloorSettings {
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** Someone waits for a verdict about the whole life of the process, however short it is. */
  readonly isSupervised: boolean;
}

/** What is known when it is asked whether a probe is due. */
export interface ForcedFloorState {
  /** The last floor, or what is in use before the first. */
  readonly heapBytes: number;
  /** Floors so far, and when the newest was read. */
  readonly floors: number;
  readonly newestAt: number;
}

const youngMs = 30_000;
const restMs = 1000;
/** A short run has no second to spare: it is asked this often at first, then ever less, so that a life of any length has floors enough. */
const shortRestMs = 25;
const restsPerLife = 12;
/** A probe may take this part of the time. */
const costRatio = 0.01;
/** In its first half minute it may take twice as much: a short run is owed a verdict, too. */
const youngCostRatio = 0.02;
/** Under a supervisor that reports, heaps that usually take no longer than this keep to the rests of a short run instead. */
const shortPauseMs = 50;
const shortCostRatio = 0.4;
const longestProbeMs = 200;
const usualMsPerByte = 1e-6;
const enoughFloors = 24;
const enoughWhenYoung = 96;

/**
 * Natural collections are rare: a program with a small heap is asked now and then what of it is alive, for a small part of its time.
 * What a probe takes is measured, because the same heap takes several times as long on a busy machine.
 */
export class ForcedFloor {
  readonly #settings: ForcedFloorSettings;
  #probedAt: number;
  #msPerByte = usualMsPerByte;
  #count = 0;

  constructor(settings: ForcedFloorSettings) {
    this.#settings = settings;
    this.#probedAt = settings.startedAt;
  }

  /** Probes so far: floors that the program would not have had. */
  get count(): number {
    return this.#count;
  }

  /** What a probe of so many live bytes is expected to take. */
  pauseMsOf(heapBytes: number): number {
    return heapBytes * this.#msPerByte;
  }

  isDue(now: number, { heapBytes, floors, newestAt }: ForcedFloorState): boolean {
    const { startedAt, maxPauseMs, isSupervised } = this.#settings;
    const ageMs = now - startedAt;
    const isYoung = ageMs <= youngMs;
    // What is alive is marked; garbage costs nothing.
    const pauseMs = this.pauseMsOf(heapBytes);
    // What is allowed goes by the usual pace: one probe that the machine held up must not have been the last.
    const usualMs = heapBytes * usualMsPerByte;
    if (usualMs > Math.min(longestProbeMs, maxPauseMs)) return false;
    if (floors >= (isYoung && isSupervised ? enoughWhenYoung : enoughFloors)) return false;
    const isShort = isYoung && isSupervised && usualMs <= shortPauseMs;
    const rest = isShort
      ? Math.max(shortRestMs, ageMs / restsPerLife, pauseMs / shortCostRatio)
      : Math.max(restMs, pauseMs / (isYoung ? youngCostRatio : costRatio));
    return now - Math.max(newestAt, this.#probedAt) >= rest;
  }

  /** Collects once; `heapBytes` is what was alive before. */
  probe(now: number, heapBytes: number): void {
    this.#probedAt = now;
    this.#count++;
    const started = performance.now();
    forceGc();
    if (heapBytes > 0) this.#msPerByte = (performance.now() - started) / heapBytes;
  }
}
