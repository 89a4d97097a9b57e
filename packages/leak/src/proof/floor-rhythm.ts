import v8 from 'node:v8';
import { buffersChurn, FloorSeries, type FloorPoint } from '../floor/floor-series.ts';
import { forceGc, noteForcedGc } from '../floor/forced-gc.ts';
import { ForcedFloor } from '../floor/forced-floor.ts';
import type { ProgramContainers } from '../containers/program-containers.ts';
import type { GrownContainer } from '../containers/container-counts.ts';
import { nearestOwn } from '../audit/installed-file.ts';
import type { Site, SiteSampler } from '../sites/site-sampler.ts';
import type { AddingSite, FunctionPlace } from './growth-record.ts';

interface FloorRhythmSettings {
  /** Wall time, ms since the epoch. */
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** True when a verdict about the whole life of the process is wanted. */
  readonly isSupervised: boolean;
  /** The account for work after a beat, with the time until the shared allowance covers the next floor. */
  readonly account?: () => FloorAccount;
}

/** The account for the CPU time of floors. */
export interface FloorAccount {
  measure<T>(work: () => T): T;
  /** Ms until the next forced floor; undefined without an account. */
  restMs(): number | undefined;
}

const beatMs = 100;
/** Interval in a supervised run, which may be over in half a second. */
const shortBeatMs = 25;
/** The first seconds of a process, in which floors are forced often and show its start-up. */
export const startMs = 3000;
const slowBeatMs = 1000;
const slowAfterMs = 30_000;
/** Longest forced collection at the end of the process. */
const longestLastMs = 2000;
/** Reading sizes of containers costs nothing, so they are read more often than there are floors. */
const countsMs = 1000;
/** Least time between two reads of the sites, because each read walks all live samples. */
const sitesMs = 3000;
/**
 * A program that collects often needs no forced floors, but sites are only read with one. So one is forced when sites were not read for
 * this time.
 */
const unreadMs = 12_000;
const mostSites = 5;
/** Part of the allowed stop that entering a function may take. It goes over the heap once at a time, as a collection does. */
const enterRatio = 0.25;

/** Reads the floors of the process in intervals: those of natural collections, and forced ones where natural ones are rare. */
export class FloorRhythm {
  readonly series = new FloorSeries();
  readonly #settings: FloorRhythmSettings;
  readonly #forced: ForcedFloor;
  #sampler: SiteSampler | undefined;
  #containers: ProgramContainers | undefined;
  #sitesAt = 0;
  #countedAt = 0;

  constructor(settings: FloorRhythmSettings) {
    this.#settings = settings;
    this.#forced = new ForcedFloor({
      ...settings,
      restMs: () => settings.account?.().restMs(),
      collect: () => {
        this.#settle();
        this.#collect(Date.now());
      },
    });
  }

  /** Starts the allocation sampler in a run with a verdict. Its sites are part of the verdict, also when no snapshot fits. */
  start(): void {
    if (this.#settings.isSupervised && this.#settings.maxPauseMs > 0) void this.#sample();
  }

  stop(): void {
    this.series.stop();
    this.#sampler?.[Symbol.dispose]();
    this.#containers?.stop();
  }

  get newest(): FloorPoint | undefined {
    return this.series.points.at(-1);
  }

  /** Number of floors of natural collections. */
  get naturalFloors(): number {
    return this.series.points.filter(({ isProbe }) => !isProbe).length;
  }

  /** Number of forced floors in the first seconds. They show start-up, so no snapshot is taken because of them. */
  earlyFloors(now: number): number {
    return now - this.#settings.startedAt < startMs ? this.#forced.count : 0;
  }

  /** Time until the next look. */
  nextMs(now: number): number {
    const ageMs = now - this.#settings.startedAt;
    if (ageMs > slowAfterMs) return slowBeatMs;
    return this.#settings.isSupervised && ageMs < startMs ? shortBeatMs : beatMs;
  }

  /** Reads the collections since the last call, or forces one when it is due or a snapshot waits for it. True when there is a new floor. */
  look(now: number, isAwaited: boolean): boolean {
    const isNatural = this.series.read(outsideBytes(), now);
    const isChurning = buffersChurn(this.series.points);
    const isForced = (!isNatural || isChurning) && this.#force(now, { isAwaited, isChurning });
    const isNew = isNatural || isForced;
    const newest = this.newest;
    if (isNew && newest !== undefined) this.#containers?.look(now, newest.allocatedBytes, this.#sampler);
    else if (now - this.#countedAt >= countsMs) {
      this.#countedAt = now;
      this.#containers?.count(now, this.series.allocatedBytes);
    }
    return isNew;
  }

  /** Collects and reads the floor right before a snapshot. */
  readBeforeSnapshot(): void {
    const isSettled = this.#settle();
    forceGc();
    this.series.read(outsideBytes(), Date.now(), true, isSettled);
  }

  /** Reads a last floor at the end, because a verdict includes the last part of a life. False when it would take too long. */
  readLast(now: number): boolean {
    this.series.read(outsideBytes(), now);
    this.#containers?.lookLast(now, this.newest?.allocatedBytes ?? 0);
    if (this.#forced.pauseMsOf(v8.getHeapStatistics().used_heap_size) > longestLastMs) return false;
    this.series.discount(() => {
      const isSettled = this.#settle();
      this.#collect(now);
      this.series.read(outsideBytes(), now, true, isSettled);
    });
    return true;
  }

  /** The functions that add what stays, most bytes first, before them those that the program's own code called. */
  addingSites(): readonly AddingSite[] {
    const sampler = this.#sampler;
    const placesOf = (sites: readonly number[]): readonly FunctionPlace[] =>
      sites.flatMap((site) => sampler?.site(site) ?? []).map(placeOf);
    const rows = sampler?.growth()?.rows.filter(({ isAdded }) => isAdded) ?? [];
    const sites = rows.flatMap(({ site, perHour, low, high, replaced, callers }) =>
      placesOf([site]).map((place) => ({
        ...place,
        perHour: Math.round(perHour),
        low: Math.round(low),
        high: Math.round(high),
        replaced,
        callers: placesOf(callers),
      })),
    );
    const isOwn = (site: AddingSite): boolean => nearestOwn([site, ...(site.callers ?? [])]) !== undefined;
    return [...sites.filter(isOwn), ...sites.filter((each) => !isOwn(each))].slice(0, mostSites);
  }

  /** Where no snapshot fits: enters functions of the program that allocate what stays, which reach the holder. */
  enterFunctions(maxStopMs: number): void {
    const sampler = this.#sampler;
    if (sampler === undefined || this.#forced.pauseMsOf(this.newest?.heapBytes ?? 0) > enterRatio * maxStopMs)
      return;
    this.#containers?.enter(sampler);
  }

  /** The containers of the program that gained most. */
  grownContainers(): readonly GrownContainer[] {
    return this.#containers?.grown() ?? [];
  }

  #force(now: number, wanted: { readonly isAwaited: boolean; readonly isChurning: boolean }): boolean {
    const { used_heap_size, heap_size_limit } = v8.getHeapStatistics();
    const { heapBytes = used_heap_size, at = this.#settings.startedAt } = this.newest ?? {};
    const isOld = now - this.#settings.startedAt > slowAfterMs;
    const isUnread = isOld && this.#sampler !== undefined && now - this.#sitesAt > unreadMs;
    const newestAt = isUnread ? 0 : at;
    if (!this.#forced.isDue(now, { heapBytes, limitBytes: heap_size_limit, newestAt, ...wanted }))
      return false;
    this.#forced.ask(now, heapBytes);
    return this.series.read(outsideBytes(), now, true, wanted.isChurning);
  }

  async #sample(): Promise<void> {
    try {
      const { SiteSampler } = await import('../sites/site-sampler.ts');
      const sampler = new SiteSampler();
      if (!(await sampler.start())) return;
      this.#sampler = sampler;
      const { ProgramContainers } = await import('../containers/program-containers.ts');
      this.#containers = new ProgramContainers(
        (slice) => this.#walk(slice),
        (bytes) => this.series.keep(bytes),
      );
      this.#containers.start();
    } catch {
      // Without sites only snapshots name the holder.
    }
  }

  #walk(slice: () => void): void {
    const { account } = this.#settings;
    const work = (): void => this.series.discount(slice);
    if (account === undefined) work();
    else account().measure(work);
  }

  /**
   * Collects once more before a floor when buffers churn, and returns true. V8 sweeps dead buffers concurrently until the next collection.
   */
  #settle(): boolean {
    const isChurning = buffersChurn(this.series.points);
    if (isChurning) forceGc();
    return isChurning;
  }

  /** Runs one full collection. When a read of the sites is due, that read collects. */
  #collect(now: number): void {
    const sampler = this.#sampler;
    if (sampler === undefined || now - this.#sitesAt < sitesMs) {
      forceGc();
      return;
    }
    this.#sitesAt = now;
    if (!sampler.readCollects) forceGc();
    if (sampler.read(now)) noteForcedGc();
    else forceGc();
  }
}

/** Numbers of scripts are another process's tomorrow. */
function placeOf({ function: name, file, line, column }: Site): FunctionPlace {
  return { function: name, file, line, column };
}

/** Resident memory that V8 has not committed for its heap; garbage that waits for a collection is not native. */
function outsideBytes(): number {
  return process.memoryUsage.rss() - v8.getHeapStatistics().total_heap_size;
}
