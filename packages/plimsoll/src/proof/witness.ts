import v8 from 'node:v8';
import { makeFolder } from '@plimsoll/core/make-folder';
import { removeFile } from '../feed/remove-file.ts';
import { stopMsOf } from '@plimsoll/heap/capture-cost';
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
/** Time between two snapshots for findings made elsewhere, once the pair is there. */
const renewalMs = 60 * 60_000;
/** From this part of the allowed pause on a snapshot does not wait. */
const lastChanceRatio = 0.4;
const exitPauseMs = 30_000;
/** A probe costs about 1 ms per MB of heap and may take this part of the time. */
const probeCostRatio = 0.01;
/** In its first half minute it may take twice as much: a short run is owed a verdict, too. */
const youngCostRatio = 0.02;
const probeMsPerByte = 1e-6;
const longestProbeMs = 200;
const longestExitProbeMs = 300;
const enoughFloors = 24;
/** A running program is stopped for a snapshot only after this many floors: the first ones are start-up. */
const floorsBeforeCapture = 8;
/** Where scopes are in use, what outlives them is found sooner and for certain: growth is given the time to come to rest. */
const floorsWithScopes = 16;
const growingWithScopes = 4;
/** And only when so many floors in a row looked like growth: one alone is a wave of the load. */
const growingBeforeCapture = 2;
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
  #probedAt = Date.now();
  #loadedAt = 0;
  #growingFloors = 0;
  #hasScopes = false;
  #suspectedAt: number | null = null;
  #first: Capture | null = null;
  #last: Capture | null = null;
  #refused: Refusal | null = null;
  /** Someone waits for a snapshot that could not be taken yet, not older than this. */
  #wantedSince: number | undefined;
  #onEnd: (() => void) | undefined;
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

  /** The program opens scopes of its own. */
  scopesAreInUse(): void {
    this.#hasScopes = true;
  }

  /** Called when the process ends, right after a last collection and before a last snapshot. */
  onEnd(listener: () => void): void {
    this.#onEnd = listener;
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
      channels: this.#channels(points),
      suspectedAt: this.#suspectedAt,
      first: this.#first,
      last: this.#last,
      refused: this.#refused,
      floors: points.map((point) => point.heapBytes),
    };
  }

  /**
   * A snapshot for a finding made elsewhere, not older than `since`: the newest there is, or one taken now. Undefined when it is refused;
   * then one is taken at the end.
   */
  evidence(since = 0): Capture | undefined {
    const found = this.#newest(since);
    if (found !== undefined) return found;
    if (this.#settings.maxPauseMs > 0) this.#takeNext(Date.now());
    const taken = this.#newest(since);
    if (taken === undefined) this.want(since);
    return taken;
  }

  /** The pair has served its purpose after a while: from then on its second is replaced by a newer one. */
  #takeNext(now: number): void {
    if (this.#last === null) this.capture();
    else if (now - this.#last.at >= renewalMs)
      this.#last = this.#take('last', this.#settings.maxPauseMs) ?? this.#last;
  }

  /** Asks for a snapshot at the end that is not older than this. */
  want(since: number): void {
    this.#wantedSince = Math.max(since, this.#wantedSince ?? 0);
  }

  #newest(since: number): Capture | undefined {
    return [this.#last, this.#first].find((capture) => capture !== null && capture.at >= since) ?? undefined;
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

  #channels(points: readonly FloorPoint[]): Record<Channel, Judgement> {
    const of = (
      among: readonly FloorPoint[],
      value: (point: FloorPoint) => number,
      options: JudgeOptions,
    ): Judgement =>
      judge(
        among.map(value),
        options,
        among.map((point) => point.allocatedBytes),
      );
    // Memory that a snapshot of ours took stays with the process: from then on resident memory says nothing about the program.
    const before = this.#first === null ? Number.POSITIVE_INFINITY : this.#first.at - this.#first.stopMs;
    const untouched = points.filter((point) => point.at < before);
    return {
      heap: of(points, (point) => point.heapBytes, heapChannel),
      external: of(points, (point) => point.externalBytes, externalChannel),
      native: of(untouched, (point) => point.nativeBytes, nativeChannel),
    };
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
    if (!this.#log.read(outsideBytes(), now)) {
      this.#probe(now);
      return;
    }
    const points = this.#moments();
    const growing = Object.values(this.#channels(points)).filter(({ shape }) => shape === 'growing');
    this.#growingFloors = growing.length > 0 ? this.#growingFloors + 1 : 0;
    if (growing.length === 0) return;
    this.#suspectedAt ??= now;
    const enough = this.#hasScopes ? floorsWithScopes : floorsBeforeCapture;
    if (this.#growingFloors < (this.#hasScopes ? growingWithScopes : growingBeforeCapture)) return;
    if (Math.max(...growing.map(({ floors }) => floors)) < enough && !this.#isLastChance()) return;
    if (this.#settings.maxPauseMs <= 0 || now - this.#startedAt > ownSuspicionMs) return;
    if (this.#first === null) {
      if (this.#refused === null) this.capture();
    } else if (this.#last === null && this.#isPairDue(now) && this.#gained(points)) {
      this.capture();
    }
  }

  /** The heap is about to become too large to be looked at. What is alive counts: a snapshot collects the garbage first. */
  #isLastChance(): boolean {
    const { heapBytes = 0 } = this.#log.points.at(-1) ?? {};
    return stopMsOf(heapBytes) > lastChanceRatio * this.#settings.maxPauseMs;
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
    return shape === 'growing' || this.#channels(points).native.shape === 'growing';
  }

  /** Natural collections are rare: a program with a small heap is asked now and then what of it is alive, for a hundredth of its time. */
  #probe(now: number): void {
    const { heapBytes: floor = v8.getHeapStatistics().used_heap_size, at: newest = this.#startedAt } =
      this.#log.points.at(-1) ?? {};
    // What is alive is marked; garbage costs nothing.
    const pauseMs = floor * probeMsPerByte;
    const costRatio = now - this.#startedAt > slowAfterMs ? probeCostRatio : youngCostRatio;
    const restMs = Math.max(pauseMs / costRatio, slowBeatMs);
    if (
      pauseMs > Math.min(longestProbeMs, this.#settings.maxPauseMs) ||
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
    this.#log.read(outsideBytes(), now);
    const pauseMs = v8.getHeapStatistics().used_heap_size * probeMsPerByte;
    const isShort = this.#moments().length < enoughFloorsAtExit;
    if ((isShort || this.#onEnd !== undefined) && pauseMs <= longestExitProbeMs) {
      probeGc();
      if (isShort) this.#log.read(outsideBytes(), now);
      this.#onEnd?.();
    }
    const isOld = now - this.#startedAt > ownSuspicionMs;
    const isGrowing =
      this.#last === null &&
      !isOld &&
      Object.values(this.#channels(this.#moments())).some(({ shape }) => shape === 'growing');
    const isWanted = this.#wantedSince !== undefined && this.#newest(this.#wantedSince) === undefined;
    // A server that ends after long service is waited for; a short run is there for its verdict.
    const pauseMsAtEnd = isOld ? this.#settings.maxPauseMs : exitPauseMs;
    if (isGrowing || isWanted) this.#last = this.#take('last', pauseMsAtEnd) ?? this.#last;
  }
}

/** Resident memory that V8 has not committed for its heap; garbage that waits for a collection is not native. */
function outsideBytes(): number {
  return process.memoryUsage.rss() - v8.getHeapStatistics().total_heap_size;
}
