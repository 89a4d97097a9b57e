import v8 from 'node:v8';
import { makeFolder } from '../feed/make-folder.ts';
import { removeFile } from '../feed/remove-file.ts';
import { costNow } from '@plimsoll/heap/capture-cost';
import type { Refusal } from './admission.ts';
import { FloorLog, moments } from './floor-log.ts';
import type { FloorPoint } from './floor-log.ts';
import { externalChannel, heapChannel, judge, nativeChannel } from './growth-judge.ts';
import type { JudgeOptions, Judgement } from './growth-judge.ts';
import { probeGc } from './probe-gc.ts';
import { takeSnapshot } from './snapshot-file.ts';
import { writeTestimony } from './testimony.ts';
import type { Capture, Channel, Testimony } from './testimony.ts';

export interface WitnessSettings {
  readonly dir: string;
  /** Longest stop of the event loop for a snapshot while the program serves; 0 takes none before the end. */
  readonly maxPauseMs: number;
  /** Someone reads the testimony once the process has ended; without, nothing is left behind. */
  readonly isSupervised: boolean;
}

const beatMs = 100;
const slowBeatMs = 1000;
const slowAfterMs = 30_000;
/** Later than this, growth is the detector's business: it knows the load and the hours of the day. */
const ownSuspicionMs = 30 * 60_000;
/** A second snapshot of a running program comes this long after the first. */
const pairDistanceMs = 60_000;
/** From this part of the allowed pause on a snapshot does not wait. */
const lastChanceRatio = 0.4;
const exitPauseMs = 30_000;
/** A probe costs about 1 ms per MB of heap and may take this part of the time. */
const probeCostRatio = 0.01;
const probeMsPerByte = 1e-6;
const longestProbeMs = 200;
/** A loop busier than this has no time to give. */
const busyRatio = 0.95;
const longestExitProbeMs = 300;
const enoughFloors = 24;
/** A running program is stopped for a snapshot only after this many floors: the first ones are start-up. */
const floorsBeforeCapture = 8;
const enoughFloorsAtExit = 12;
/** With this many floors after our own arrival the earlier ones are left out. */
const floorsWithoutHost = 8;

/**
 * The witness inside a governed process: it watches the floors from the first moment on, takes a first snapshot when they begin to look
 * like a leak, a second one when they still do a minute later or at the end, and leaves its testimony for the analysis elsewhere.
 * A healthy process pays for reading its collections and for nothing else.
 */
export class Witness {
  readonly #settings: WitnessSettings;
  readonly #startedAt = Date.now();
  readonly #log = new FloorLog();
  readonly #onExit = (): void => this.#exit();
  #timer: NodeJS.Timeout | undefined;
  #loop = performance.eventLoopUtilization();
  #probedAt = Date.now();
  #loadedAt = 0;
  #suspectedAt: number | null = null;
  #first: Capture | null = null;
  #last: Capture | null = null;
  #refused: Refusal | null = null;
  #onPair: ((testimony: Testimony) => void) | undefined;

  constructor(settings: WitnessSettings) {
    this.#settings = settings;
  }

  start(): void {
    process.on('exit', this.#onExit);
    this.#beat();
  }

  stop(): void {
    process.off('exit', this.#onExit);
    clearTimeout(this.#timer);
    this.#log.stop();
  }

  /** Our own host has been loaded: floors from before and those that only show it arriving say nothing about the program. */
  hostIsLoaded(): void {
    this.#loadedAt = Date.now();
  }

  /** Called once when both snapshots are there while the program still runs. */
  onPair(listener: (testimony: Testimony) => void): void {
    this.#onPair = listener;
  }

  get testimony(): Testimony {
    const points = this.#moments();
    return {
      v: 1,
      pid: process.pid,
      node: process.version,
      startedAt: this.#startedAt,
      at: Date.now(),
      channels: channelsOf(points),
      suspectedAt: this.#suspectedAt,
      first: this.#first,
      last: this.#last,
      refused: this.#refused,
      floors: points.map((point) => point.heapBytes),
    };
  }

  /** A snapshot for a finding made elsewhere: the newest there is, or one taken now; undefined when it is refused. */
  evidence(): Capture | undefined {
    if (this.#first === null && this.#settings.maxPauseMs > 0) this.capture();
    return this.#last ?? this.#first ?? undefined;
  }

  /** Takes the next snapshot of the pair for a suspicion raised elsewhere; false when it is refused or both are there. */
  capture(): boolean {
    if (this.#first === null) this.#first = this.#take('first', this.#settings.maxPauseMs);
    else if (this.#last === null) {
      this.#last = this.#take('last', this.#settings.maxPauseMs);
      if (this.#last !== null) this.#onPair?.(this.testimony);
    } else return false;
    return this.#refused === null;
  }

  #moments(): readonly FloorPoint[] {
    const all = moments(this.#log.points);
    const later = moments(this.#log.points.filter((point) => point.at > this.#loadedAt));
    return later.length >= floorsWithoutHost ? later : all;
  }

  #beat(): void {
    const age = Date.now() - this.#startedAt;
    this.#timer = setTimeout(() => this.#beat(), age > slowAfterMs ? slowBeatMs : beatMs).unref();
    try {
      this.#look(Date.now());
    } catch {
      // A full disk or a V8 that refuses: the program goes on, the testimony has less in it.
    }
  }

  #look(now: number): void {
    if (!this.#log.read(process.memoryUsage.rss(), now)) {
      this.#probe(now);
      return;
    }
    const points = this.#moments();
    const isGrowing = Object.values(channelsOf(points)).some(({ shape }) => shape === 'growing');
    if (!isGrowing) return;
    this.#suspectedAt ??= now;
    if (points.length < floorsBeforeCapture && !this.#isLastChance()) return;
    if (this.#settings.maxPauseMs <= 0 || now - this.#startedAt > ownSuspicionMs) return;
    if (this.#first === null) {
      if (this.#refused === null) this.capture();
    } else if (this.#last === null && this.#isPairDue(now) && this.#gained(points)) {
      this.capture();
    }
  }

  /** The heap is about to become too large to be looked at. */
  #isLastChance(): boolean {
    return costNow().stopMs > lastChanceRatio * this.#settings.maxPauseMs;
  }

  /** After a minute, or before the heap has become too large to be looked at. */
  #isPairDue(now: number): boolean {
    const { at } = this.#first as Capture;
    return now - at >= pairDistanceMs || this.#isLastChance();
  }

  /** A second snapshot is worth its pause once as much was gained since the first as counts for a leak. */
  #gained(points: readonly FloorPoint[]): boolean {
    const since = points.filter((point) => point.at >= (this.#first as Capture).at);
    const { shape } = judge(
      since.map((point) => point.heapBytes + point.externalBytes),
      heapChannel,
    );
    return shape === 'growing' || channelsOf(points).native.shape === 'growing';
  }

  /** Natural collections are rare: an idle program with a small heap is asked now and then what of it is alive. */
  #probe(now: number): void {
    const loop = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(loop, this.#loop);
    this.#loop = loop;
    const { heapBytes: floor = v8.getHeapStatistics().used_heap_size, at: newest = this.#startedAt } =
      this.#log.points.at(-1) ?? {};
    // What is alive is marked; garbage costs nothing.
    const pauseMs = floor * probeMsPerByte;
    const restMs = Math.max(pauseMs / probeCostRatio, slowBeatMs);
    if (
      pauseMs > Math.min(longestProbeMs, this.#settings.maxPauseMs) ||
      utilization > busyRatio ||
      this.#log.points.length >= enoughFloors
    )
      return;
    if (now - Math.max(newest, this.#probedAt) < restMs) return;
    this.#probedAt = now;
    probeGc();
  }

  #take(which: 'first' | 'last', maxStopMs: number): Capture | null {
    const heapBytes = this.#log.points.at(-1)?.heapBytes ?? 0;
    const { capture, refusal } = takeSnapshot(this.#settings.dir, which, maxStopMs, heapBytes);
    this.#refused = refusal;
    return capture;
  }

  #exit(): void {
    try {
      if (!this.#settings.isSupervised) {
        this.#discard();
        return;
      }
      this.#conclude(Date.now());
      makeFolder(this.#settings.dir);
      writeTestimony(this.#settings.dir, this.testimony);
    } catch {
      // Nobody is left to tell; the run is undecided.
    }
  }

  #discard(): void {
    for (const capture of [this.#first, this.#last]) if (capture !== null) removeFile(capture.file);
  }

  #conclude(now: number): void {
    this.#log.read(process.memoryUsage.rss(), now);
    const pauseMs = v8.getHeapStatistics().used_heap_size * probeMsPerByte;
    if (this.#moments().length < enoughFloorsAtExit && pauseMs <= longestExitProbeMs) {
      probeGc();
      this.#log.read(process.memoryUsage.rss(), now);
    }
    if (this.#last !== null || now - this.#startedAt > ownSuspicionMs) return;
    const isGrowing = Object.values(channelsOf(this.#moments())).some(({ shape }) => shape === 'growing');
    if (isGrowing) this.#last = this.#take('last', exitPauseMs);
  }
}

function channelsOf(points: readonly FloorPoint[]): Record<Channel, Judgement> {
  const work = points.map((point) => point.allocatedBytes);
  const of = (value: (point: FloorPoint) => number, options: JudgeOptions): Judgement =>
    judge(points.map(value), options, work);
  return {
    heap: of((point) => point.heapBytes, heapChannel),
    external: of((point) => point.externalBytes, externalChannel),
    native: of((point) => point.rssBytes - point.heapBytes - point.externalBytes, nativeChannel),
  };
}
