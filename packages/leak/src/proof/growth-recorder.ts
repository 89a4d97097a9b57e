import v8 from 'node:v8';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { stopMsOf } from '@plimsoll/heap/capture-cost';
import type { Refusal } from './capture.ts';
import { FloorSeries, moments } from '../floor/floor-series.ts';
import type { FloorPoint } from '../floor/floor-series.ts';
import { externalChannel, heapChannel, judgeGrowth, nativeChannel } from '../judge/growth-shape.ts';
import type { ChannelBounds, Judgement, Shape } from '../judge/growth-shape.ts';
import { forceGc } from '../floor/forced-gc.ts';
import { ForcedFloor } from '../floor/forced-floor.ts';
import { MachinePace } from '../floor/machine-pace.ts';
import { takeSnapshot } from './capture.ts';
import { handledSignals } from './last-look.ts';
import { writeGrowthRecord } from './growth-record.ts';
import type { AddingSite, Capture, RecordedChannel, GrowthRecord } from './growth-record.ts';
import type { SiteSampler } from '../sites/site-sampler.ts';

export interface GrowthRecorderSettings {
  readonly dir: string;
  /** Longest stop of the event loop for a snapshot while the program serves; 0 takes none before the end. */
  readonly maxPauseMs: number;
  /** Someone reads the record once the process has ended; without, nothing is left behind. */
  readonly isSupervised: boolean;
  /** Process id of the one who reads it. When that process is gone, nothing is proved any more and no snapshot stays. */
  readonly supervisor?: number | undefined;
}

const beatMs = 100;
/** A run that someone waits to hear about may be over in half a second. */
const shortBeatMs = 25;
const shortRunMs = 3000;
const slowBeatMs = 1000;
const slowAfterMs = 30_000;
/** After this age the long run takes the snapshots, because it knows the load and the time of day. */
const ownSuspicionMs = 30 * 60_000;
/** A second snapshot of a running program comes this long after the first. */
const pairDistanceMs = 25_000;
/** A first snapshot waits until growth has been seen for this long, or until the program has collected so often by itself. */
const lastingMs = 6000;
const naturalFloors = 12;
/** A snapshot that was refused is tried again after this time: the machine may be less busy then. */
const retryMs = 10_000;
/** A stop this many times longer than allowed is the last one. */
const overrunRatio = 1.5;
/** And when this part of the whole growth came after it. */
const gainedRatio = 0.2;
/** Time between two snapshots for findings made elsewhere, once the pair is there. */
const renewalMs = 60 * 60_000;
/** From this part of the allowed pause on a snapshot does not wait. */
const lastChanceRatio = 0.4;
/** At its end a program may stand still for this long; orchestrators kill after 30 s. */
const exitPauseMs = 20_000;
const longestExitProbeMs = 2000;
/** A pair of snapshots is followed by a third at the end when this much time lies between. */
const againMs = 12_000;
/** Sites are read this often at most: each read walks all live samples. */
const sitesMs = 3000;
const mostSites = 5;
/** A running program is stopped for a snapshot only after this many floors: the first ones are start-up. */
const floorsBeforeCapture = 8;
/** With scopes, survivor detection is faster and exact, so wait for 16 floors instead of 8 before a growth snapshot. */
const floorsWithScopes = 16;
const growingWithScopes = 4;
/** And only when so many floors in a row looked like growth: one alone is a wave of the load. */
const growingBeforeCapture = 2;
/** With this many floors after our own arrival the earlier ones are left out. */
const floorsWithoutHost = 6;

/**
 * The recorder inside a governed process: it watches the floors from the first moment on, takes a first snapshot when they begin to look
 * like a leak, a second one when they still do a minute later or at the end, and leaves its record for the analysis elsewhere.
 * A healthy process pays for reading its collections and for the probes that make up for rare ones, and is stopped for no snapshot.
 */
export class GrowthRecorder {
  readonly #settings: GrowthRecorderSettings;
  readonly #startedAt = Date.now();
  readonly #log = new FloorSeries();
  readonly #onExit = (): void => this.leave();
  readonly #forced: ForcedFloor;
  readonly #pace = new MachinePace();
  #timer: NodeJS.Timeout | undefined;
  #loadedAt = 0;
  #growingFloors = 0;
  #hasScopes = false;
  #suspectedAt: number | null = null;
  /** Since when every look saw growth. */
  #growingSince: number | undefined;
  #refusedAt: number | undefined;
  /** A stop took much longer than allowed: none follows while the program serves. */
  #hasOverrun = false;
  #first: Capture | null = null;
  #middle: Capture | null = null;
  #last: Capture | null = null;
  #refused: Refusal | null = null;
  /** Someone waits for a snapshot that could not be taken yet, not older than this. */
  #wantedSince: number | undefined;
  #sampler: SiteSampler | undefined;
  #sitesAt = 0;
  /** What was seen when a signal asked the program to end. */
  #concluded: GrowthRecord | undefined;
  #onEnd: (() => void) | undefined;
  #onPair: ((record: GrowthRecord) => void) | undefined;

  constructor(settings: GrowthRecorderSettings) {
    this.#settings = settings;
    const collect = (): void => this.#collect(Date.now());
    this.#forced = new ForcedFloor({ ...settings, startedAt: this.#startedAt, collect });
  }

  start(): void {
    process.on('exit', this.#onExit);
    this.#beat();
    // A verdict was asked for: the functions that allocate what stays are part of it, also where no snapshot fits.
    if (this.#settings.isSupervised && this.#settings.maxPauseMs > 0) void this.#sample();
  }

  stop(): void {
    process.off('exit', this.#onExit);
    clearTimeout(this.#timer);
    this.#log.stop();
    this.#sampler?.[Symbol.dispose]();
  }

  /**
   * Takes the last look while the program still holds what it holds: a signal asks it to end, and a handler may let go of everything.
   * What is written at the end is what was seen here.
   */
  lookBeforeEnd(): void {
    if (!this.#settings.isSupervised || this.#concluded !== undefined) return;
    try {
      this.#conclude(Date.now());
      this.#concluded = this.record;
    } catch {
      // A full disk or a V8 that refuses: the look at the exit has to do.
    }
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
  onPair(listener: (record: GrowthRecord) => void): void {
    this.#onPair = listener;
  }

  get record(): GrowthRecord {
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
      middle: this.#middle,
      last: this.#last,
      refused: this.#refused,
      handled: handledSignals(),
      floors: points.map((point) => point.heapBytes),
      sites: this.#addingSites(),
    };
  }

  /**
   * A snapshot for a finding made elsewhere, not older than `since`: the newest there is, or one taken now. Undefined when it is refused;
   * then one is taken at the end.
   */
  snapshotSince(since = 0): Capture | undefined {
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
    if (this.#isOrphaned()) return false;
    if (this.#first === null) this.#first = this.#take('first', this.#settings.maxPauseMs);
    else if (this.#last === null) {
      this.#last = this.#take('last', this.#settings.maxPauseMs);
      if (this.#last !== null) this.#onPair?.(this.record);
    } else return false;
    return this.#refused === null;
  }

  /** The floors to judge by, of those before a moment. */
  #moments(before = Number.POSITIVE_INFINITY): readonly FloorPoint[] {
    const points = this.#log.points.filter((point) => point.at < before);
    const all = moments(points);
    const later = moments(points.filter((point) => point.at > this.#loadedAt));
    return later.length >= floorsWithoutHost ? later : all;
  }

  #channels(points: readonly FloorPoint[]): Record<RecordedChannel, Judgement> {
    const of = (
      among: readonly FloorPoint[],
      value: (point: FloorPoint) => number,
      bounds: ChannelBounds,
    ): Judgement =>
      judgeGrowth(
        among.map((point) => ({ at: point.at, work: point.allocatedBytes, bytes: value(point) })),
        bounds,
      );
    // Memory that a snapshot of ours took stays with the process: from then on resident memory says nothing about the program.
    const untouched = this.#first === null ? points : this.#moments(this.#first.at - this.#first.stopMs);
    return {
      heap: of(points, (point) => point.heapBytes + point.flushedBytes, heapChannel),
      external: of(points, (point) => point.externalBytes, externalChannel),
      native: of(untouched, (point) => point.nativeBytes, nativeChannel),
    };
  }

  #beat(): void {
    if (this.#isOrphaned()) {
      this.#discard();
      this.stop();
      return;
    }
    const age = Date.now() - this.#startedAt;
    this.#timer = setTimeout(() => this.#beat(), this.#beatMs(age)).unref();
    try {
      this.#pace.look();
      this.#log.discount(() => this.#look(Date.now()));
    } catch {
      // A full disk or a V8 that refuses: the program goes on, the record has less in it.
    }
  }

  #beatMs(ageMs: number): number {
    if (ageMs > slowAfterMs) return slowBeatMs;
    return this.#settings.isSupervised && ageMs < shortRunMs ? shortBeatMs : beatMs;
  }

  #look(now: number): void {
    if (!this.#log.read(outsideBytes(), now) && !this.#probe(now)) return;
    const points = this.#moments();
    const growing = Object.values(this.#channels(points)).filter(({ shape }) => shape === 'growing');
    this.#growingFloors = growing.length > 0 ? this.#growingFloors + 1 : 0;
    if (growing.length === 0) {
      this.#growingSince = undefined;
      return;
    }
    this.#suspectedAt ??= now;
    this.#growingSince ??= now;
    const enough = this.#hasScopes ? floorsWithScopes : floorsBeforeCapture;
    if (this.#growingFloors < (this.#hasScopes ? growingWithScopes : growingBeforeCapture)) return;
    const floors = Math.max(...growing.map((each) => each.floors)) - this.#earlyProbes(now);
    if (floors < enough && !this.#isLastChance()) return;
    if (!this.#mayStop(now)) return;
    if (this.#first === null) {
      if (this.#hasLasted(now) || this.#isLastChance()) this.capture();
    } else if (this.#last === null && this.#isPairDue(now) && this.#gained(points)) {
      this.capture();
    }
  }

  /** A program that serves is stopped at all: asked for, young enough, no stop was longer than allowed, and the last refusal is old. */
  #mayStop(now: number): boolean {
    const { maxPauseMs } = this.#settings;
    if (maxPauseMs <= 0 || now - this.#startedAt > ownSuspicionMs || this.#hasOverrun) return false;
    return this.#refusedAt === undefined || now - this.#refusedAt >= retryMs;
  }

  /** Growth has gone on for a while, or the program itself collects often: caches that fill at start need no snapshot. */
  #hasLasted(now: number): boolean {
    const natural = this.#log.points.filter(({ isProbe }) => !isProbe).length;
    return natural >= naturalFloors || now - (this.#growingSince ?? now) >= lastingMs;
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

  /** A second snapshot is worth its pause once a fifth of the growth came after the first. */
  #gained(points: readonly FloorPoint[]): boolean {
    const first = this.#first as Capture;
    const { heap, external, native } = this.#channels(points);
    if (native.shape === 'growing') return true;
    const since = points.filter((point) => point.at >= first.at).map(bytesOf);
    const before = points.filter((point) => point.at < first.at).map(bytesOf);
    const gain = Math.max(...since) - (before.at(-1) ?? since[0] ?? 0);
    return since.length >= 3 && gain >= gainedRatio * (heap.growthBytes + external.growthBytes);
  }

  /** In the first seconds probes are many and what they show is start-up: they stop nobody for a snapshot. */
  #earlyProbes(now: number): number {
    return now - this.#startedAt < shortRunMs ? this.#forced.count : 0;
  }

  /** True when there is a floor more than before. */
  #probe(now: number): boolean {
    const { points } = this.#log;
    const { heapBytes = v8.getHeapStatistics().used_heap_size, at: newestAt = this.#startedAt } =
      points.at(-1) ?? {};
    const limitBytes = v8.getHeapStatistics().heap_size_limit;
    if (!this.#forced.isDue(now, { heapBytes, limitBytes, newestAt })) return false;
    this.#forced.ask(now, heapBytes);
    return this.#log.read(outsideBytes(), now, true);
  }

  async #sample(): Promise<void> {
    try {
      const { SiteSampler } = await import('../sites/site-sampler.ts');
      const sampler = new SiteSampler();
      if (await sampler.start()) this.#sampler = sampler;
    } catch {
      // Without sites the snapshots alone name who holds what.
    }
  }

  /** One full collection; it is a read of the sites where that is due, which collects by itself. */
  #collect(now: number): void {
    const sampler = this.#sampler;
    if (sampler === undefined || now - this.#sitesAt < sitesMs) {
      forceGc();
      return;
    }
    this.#sitesAt = now;
    if (!sampler.readCollects) forceGc();
    if (!sampler.read(now)) forceGc();
  }

  #addingSites(): readonly AddingSite[] {
    const rows = this.#sampler?.growth()?.rows.filter(({ isAdded }) => isAdded) ?? [];
    return rows.slice(0, mostSites).flatMap(({ site, perHour, low, high }) => {
      const place = this.#sampler?.site(site);
      return place === undefined
        ? []
        : [{ ...place, perHour: Math.round(perHour), low: Math.round(low), high: Math.round(high) }];
    });
  }

  /** At the end nothing follows that would have to be compared with what was before. */
  #take(which: 'first' | 'last' | 'end', maxStopMs: number, isEnd = false): Capture | null {
    if (this.#isOrphaned()) return null;
    const heapBytes = this.#log.points.at(-1)?.heapBytes ?? 0;
    const onAdmitted = (): void => {
      forceGc();
      this.#log.read(outsideBytes(), Date.now(), true);
    };
    const { dir } = this.#settings;
    const { slowness } = this.#pace;
    const taken = takeSnapshot({
      dir,
      name: which,
      maxStopMs,
      heapBytes,
      slowness,
      ...(!isEnd && { onAdmitted }),
    });
    if (taken.capture !== null && !isEnd) this.#log.readSnapshot();
    this.#refused = taken.refusal;
    if (taken.refusal !== null) this.#refusedAt = Date.now();
    if ((taken.capture?.stopMs ?? 0) > overrunRatio * maxStopMs) this.#hasOverrun = true;
    const work = this.#log.points.at(-1)?.allocatedBytes;
    return taken.capture && { ...taken.capture, ...(work !== undefined && { work }) };
  }

  /** Leaves the record for the analysis elsewhere; called when the process ends. */
  leave(): void {
    try {
      if (!this.#settings.isSupervised || this.#isOrphaned()) {
        this.#discard();
        return;
      }
      if (this.#concluded === undefined) this.#conclude(Date.now());
      makeOwnFolder(this.#settings.dir);
      writeGrowthRecord(this.#settings.dir, this.#concluded ?? this.record);
    } catch {
      // Nobody is left to tell; the run is undecided.
    }
  }

  #isOrphaned(): boolean {
    const { supervisor } = this.#settings;
    return supervisor !== undefined && !isAlive(supervisor);
  }

  #discard(): void {
    for (const capture of [this.#first, this.#middle, this.#last])
      if (capture !== null) removeFile(capture.file);
    this.#first = null;
    this.#middle = null;
    this.#last = null;
  }

  #conclude(now: number): void {
    this.#log.read(outsideBytes(), now);
    const pauseMs = this.#forced.pauseMsOf(v8.getHeapStatistics().used_heap_size);
    // There is always a floor at the end: what the last part of a life did is what a verdict is about.
    if (pauseMs <= longestExitProbeMs) {
      this.#log.discount(() => {
        this.#collect(now);
        this.#log.read(outsideBytes(), now, true);
      });
      this.#onEnd?.();
    }
    const isOld = now - this.#startedAt > ownSuspicionMs;
    const isGrowing =
      !isOld &&
      (this.#last === null
        ? Object.values(this.#channels(this.#moments())).some(({ shape }) => isOpen(shape))
        : now - this.#last.at >= againMs);
    const isWanted = this.#wantedSince !== undefined && this.#newest(this.#wantedSince) === undefined;
    // A server that ends after long service is waited for; a short run is there for its verdict.
    const pauseMsAtEnd = isOld ? this.#settings.maxPauseMs : exitPauseMs;
    if (!isGrowing && !isWanted) return;
    const before = this.#last;
    const taken = this.#take(before === null ? 'last' : 'end', pauseMsAtEnd, true);
    if (taken === null) return;
    this.#middle = before;
    this.#last = taken;
  }
}

/** Shapes that a last snapshot may decide. */
function isOpen(shape: Shape): boolean {
  return shape === 'growing' || shape === 'slowing' || shape === 'unclear';
}

function bytesOf({ heapBytes, flushedBytes, externalBytes }: FloorPoint): number {
  return heapBytes + flushedBytes + externalBytes;
}

/** Resident memory that V8 has not committed for its heap; garbage that waits for a collection is not native. */
function outsideBytes(): number {
  return process.memoryUsage.rss() - v8.getHeapStatistics().total_heap_size;
}
