import v8 from 'node:v8';
import { buffersChurn, FloorSeries, type FloorPoint } from '../floor/floor-series.ts';
import { forceGc, noteForcedGc } from '../floor/forced-gc.ts';
import { ForcedFloor } from '../floor/forced-floor.ts';
import type { ProgramContainers } from '../containers/program-containers.ts';
import type { GrownContainer } from '../containers/container-counts.ts';
import type { SiteSampler } from '../sites/site-sampler.ts';
import type { AddingSite } from './growth-record.ts';

interface FloorRhythmSettings {
  /** Wall time, ms since the epoch. */
  readonly startedAt: number;
  /** Longest stop of the event loop that is allowed. */
  readonly maxPauseMs: number;
  /** Someone waits for a verdict about the whole life of the process. */
  readonly isSupervised: boolean;
  /** Accounts for work that goes on after a look, and says when the shared allowance pays for the next floor. */
  readonly account?: () => FloorAccount;
}

/** Accounts for the CPU time of floors. */
export interface FloorAccount {
  measure<T>(work: () => T): T;
  /** Ms until the next forced floor; undefined while nobody keeps an account. */
  restMs(): number | undefined;
}

const beatMs = 100;
/** A run that someone waits to hear about may be over in half a second. */
const shortBeatMs = 25;
/** The first seconds of a process, in which floors are forced often and show its start-up. */
export const startMs = 3000;
const slowBeatMs = 1000;
const slowAfterMs = 30_000;
/** Longest forced collection at the end of the process. */
const longestLastMs = 2000;
/** Sizes of containers are free to read, so that they are read more often than there are floors. */
const countsMs = 1000;
/** Sites are read this often at most, because each read walks all live samples. */
const sitesMs = 3000;
/** A program that collects often enough needs no forced floors, but sites are only read with one. A young one has its share of them. */
const unreadMs = 12_000;
const mostSites = 5;
const mostCallers = 4;
/** V8 collects up to seven times before it lists all functions, and goes over the heap once. */
const searchCollections = 8;

/** Reads the floors of the process in its rhythm: those of natural collections, and forced ones where natural ones are rare. */
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

  /** Starts the allocation sampler where a verdict was asked for. Its sites are part of the verdict, also where no snapshot fits. */
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

  /** Floors of collections that we did not ask for. */
  get naturalFloors(): number {
    return this.series.points.filter(({ isProbe }) => !isProbe).length;
  }

  /** Forced floors in the first seconds. They show start-up, so they are no reason to stop the process for a snapshot. */
  earlyFloors(now: number): number {
    return now - this.#settings.startedAt < startMs ? this.#forced.count : 0;
  }

  /** Time until the next look. */
  nextMs(now: number): number {
    const ageMs = now - this.#settings.startedAt;
    if (ageMs > slowAfterMs) return slowBeatMs;
    return this.#settings.isSupervised && ageMs < startMs ? shortBeatMs : beatMs;
  }

  /**
   * Reads the collections since the last look, or forces one where it is due or a snapshot waits for it; true when there is a new floor.
   */
  look(now: number, isAwaited: boolean): boolean {
    const isNatural = this.series.read(outsideBytes(), now);
    const isChurning = buffersChurn(this.series.points);
    const isForced = (!isNatural || isChurning) && this.#force(now, { isAwaited, isChurning });
    const isNew = isNatural || isForced;
    const newest = this.newest;
    if (isNew && newest !== undefined)
      this.#containers?.look(now, newest.allocatedBytes, this.#sampler?.scripts);
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

  /** Reads a last floor at the end, because a verdict is about the last part of a life, too; false when it would take too long. */
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

  /** The functions that add what stays, most bytes first. */
  addingSites(): readonly AddingSite[] {
    const sampler = this.#sampler;
    const rows = sampler?.growth()?.rows.filter(({ isAdded }) => isAdded) ?? [];
    return rows.slice(0, mostSites).flatMap(({ site, perHour, low, high, replaced, callers }) => {
      const place = sampler?.site(site);
      return place === undefined
        ? []
        : [
            {
              ...place,
              perHour: Math.round(perHour),
              low: Math.round(low),
              high: Math.round(high),
              replaced,
              callers: callers.slice(0, mostCallers).flatMap((caller) => sampler?.site(caller) ?? []),
            },
          ];
    });
  }

  /** Where no snapshot fits: searches functions of the program, whose variables lead to the holder. */
  searchFunctions(maxStopMs: number): void {
    const sampler = this.#sampler;
    const stopMs = searchCollections * this.#forced.pauseMsOf(this.newest?.heapBytes ?? 0);
    if (sampler === undefined || stopMs > maxStopMs) return;
    void this.#containers?.search(sampler.programNames(), sampler.scripts).catch(() => undefined);
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
      this.#containers = new ProgramContainers((slice) => this.#walk(slice));
      this.#containers.start();
    } catch {
      // Without sites the snapshots alone name who holds what.
    }
  }

  #walk(slice: () => void): void {
    const { account } = this.#settings;
    const work = (): void => this.series.discount(slice);
    if (account === undefined) work();
    else account().measure(work);
  }

  /** Collects once before a floor where buffers churn; true if so. Dead ones are swept beside the program, until the next collection. */
  #settle(): boolean {
    const isChurning = buffersChurn(this.series.points);
    if (isChurning) forceGc();
    return isChurning;
  }

  /** Runs one full collection. Where a read of the sites is due, the read does it. */
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

/** Resident memory that V8 has not committed for its heap; garbage that waits for a collection is not native. */
function outsideBytes(): number {
  return process.memoryUsage.rss() - v8.getHeapStatistics().total_heap_size;
}
