import v8 from 'node:v8';
import { probeGc } from './probe-gc.ts';

export interface ProberSettings {
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** Someone waits for a verdict about the whole life of the process, however short it is. */
  readonly isSupervised: boolean;
  /** Processor time of this thread, in ms. */
  readonly cpuMs?: () => number;
  /** Where V8 gives up; default its own limit. */
  readonly limitBytes?: number;
}

/** What is known when it is asked whether a probe is due. */
export interface ProbeState {
  /** The last floor, or what is in use before the first. */
  readonly heapBytes: number;
  /** Floors so far, and when the newest was read. */
  readonly floors: number;
  readonly newestAt: number;
  /** Turns of the event loop so far, and at the newest floor. */
  readonly turns: number;
  readonly newestTurn: number;
  /** It opens scopes: nobody waits for it to end in a moment. */
  readonly isServer?: boolean;
}

const youngMs = 30_000;
const restMs = 1000;
/** A short run has no second to spare: it is asked this often at first, then ever less, so that a life of any length has floors enough. */
const shortRestMs = 25;
const shortRestTurns = 4;
const restsPerLife = 12;
/** A probe may take this part of the time. */
const costRatio = 0.01;
/** In its first half minute it may take twice as much: a short run is owed a verdict, too. */
const youngCostRatio = 0.02;
/** Under a supervisor that reports, heaps that usually take no longer than this keep to the rests of a short run instead, */
const shortPauseMs = 100;
/** within this time for all its probes, and a part of the program's own that is larger in its first seconds. */
const shortSpendMs = 400;
const shortCostRatio = 0.1;
const shortCostMs = 5000;
const laterCostRatio = 0.04;
/** So many probes of one size are to last while the turns of the loop become so many times as many. */
const turnsGrowth = 20;
const longestProbeMs = 200;
/** V8 gives up after a few collections on end that free little near its limit: ours must not be among them. */
const mostOfLimit = 0.6;
const usualMsPerByte = 1e-6;
const enoughFloors = 24;
const enoughWhenYoung = 96;

/**
 * Natural collections are rare: a program with a small heap is asked now and then what of it is alive, for a small part of its time.
 * What a probe takes is measured, because the same heap takes several times as long on a busy machine.
 */
export class Prober {
  readonly #settings: ProberSettings;
  #probedAt: number;
  #msPerByte = usualMsPerByte;
  #cpuMsPerByte = usualMsPerByte;
  #spentMs = 0;
  readonly #cpuMs: () => number;
  readonly #mostBytes: number;

  constructor(settings: ProberSettings) {
    this.#settings = settings;
    this.#cpuMs = settings.cpuMs ?? threadCpuMs;
    this.#mostBytes = mostOfLimit * (settings.limitBytes ?? v8.getHeapStatistics().heap_size_limit);
    this.#probedAt = settings.startedAt;
  }

  /** Processor time of all probes so far. */
  get spentMs(): number {
    return this.#spentMs;
  }

  /** What a probe of so many live bytes is expected to take. */
  pauseMsOf(heapBytes: number): number {
    return heapBytes * this.#msPerByte;
  }

  isDue(now: number, state: ProbeState): boolean {
    const { heapBytes, floors, newestAt, turns, newestTurn, isServer = false } = state;
    if (heapBytes > this.#mostBytes) return false;
    const { startedAt, maxPauseMs, isSupervised } = this.#settings;
    const ageMs = now - startedAt;
    const isYoung = ageMs <= youngMs;
    // What is alive is marked; garbage costs nothing.
    const pauseMs = this.pauseMsOf(heapBytes);
    // What is allowed goes by the usual pace: one probe that the machine held up must not have been the last.
    const usualMs = heapBytes * usualMsPerByte;
    if (usualMs > Math.min(longestProbeMs, maxPauseMs)) return false;
    if (floors >= (isYoung && isSupervised ? enoughWhenYoung : enoughFloors)) return false;
    const restedMs = now - Math.max(newestAt, this.#probedAt);
    if (isYoung && isSupervised && !isServer && usualMs <= shortPauseMs) {
      const expectedMs = Math.min(usualMs, heapBytes * this.#cpuMsPerByte);
      if (this.#spentMs + expectedMs > allowanceMs(ageMs)) return false;
      const restTurns = Math.max(shortRestTurns, turns * turnRatio(expectedMs));
      return restedMs >= Math.max(shortRestMs, ageMs / restsPerLife) || turns - newestTurn >= restTurns;
    }
    return restedMs >= Math.max(restMs, pauseMs / (isYoung ? youngCostRatio : costRatio));
  }

  /** Collects once; `heapBytes` is what was alive before. */
  probe(now: number, heapBytes: number): void {
    this.#probedAt = now;
    const started = performance.now();
    const startedCpuMs = this.#cpuMs();
    probeGc();
    const takenMs = this.#cpuMs() - startedCpuMs;
    this.#spentMs += takenMs;
    if (heapBytes > 0) this.#cpuMsPerByte = takenMs / heapBytes;
    if (heapBytes > 0) this.#msPerByte = (performance.now() - started) / heapBytes;
  }
}

/** Processor time of this thread: on a busy machine probes take longer, and so does all that the program does. */
function threadCpuMs(): number {
  if (typeof process.threadCpuUsage !== 'function') return performance.now();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** What all probes of a short run may take together by an age of the program. */
function allowanceMs(ageMs: number): number {
  const early = Math.min(ageMs, shortCostMs);
  return shortSpendMs + shortCostRatio * early + laterCostRatio * (ageMs - early);
}

/** The part of all turns that has to pass before the next probe: the dearer they are, the fewer of them have to last. */
function turnRatio(pauseMs: number): number {
  return Math.max(1 / restsPerLife, (Math.log(turnsGrowth) * pauseMs) / shortSpendMs);
}
