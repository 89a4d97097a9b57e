import { ChannelTest } from './channel.ts';
import type { ChannelState } from './channel.ts';
import { LoadCycle } from './exhaustion.ts';
import { Models } from './models.ts';
import { parameters as p } from './parameters.ts';

const MB = 1e6;
const hourMs = 3_600_000;
const settleMs = 3 * hourMs;

/** The models, with the one `Fit` of the process. A step of a test never yields, so every channel can use the same one. */
const models = new Models();

/** Floor by uptime in earlier runs of the same program, from the ledger: what growth belongs to starting up. */
export type HistoryCurve = readonly { readonly uptimeMs: number; readonly floorBytes: number }[];

/** Reads a curve at rising uptimes; beyond its end it stays at the last value. */
export class HistoryReader {
  readonly #curve: HistoryCurve;
  #at = 0;

  constructor(curve: HistoryCurve) {
    this.#curve = [...curve].sort((a, b) => a.uptimeMs - b.uptimeMs);
  }

  /** Whether there is a curve that says anything. */
  get isUseful(): boolean {
    return this.#curve.length >= 2;
  }

  read(uptimeMs: number): number {
    const curve = this.#curve;
    while (this.#at + 1 < curve.length && (curve[this.#at + 1] as HistoryCurve[number]).uptimeMs <= uptimeMs)
      this.#at++;
    const here = curve[this.#at];
    const next = curve[this.#at + 1];
    if (here === undefined) return 0;
    if (next === undefined || uptimeMs <= here.uptimeMs) return here.floorBytes;
    const share = (uptimeMs - here.uptimeMs) / (next.uptimeMs - here.uptimeMs);
    return here.floorBytes + share * (next.floorBytes - here.floorBytes);
  }
}

/** The lowest level that a noisy quantity has held for hours: its lowest single value would be its noise. */
export class Baseline {
  least = Number.POSITIVE_INFINITY;
  #mean = Number.NaN;
  #lastMs = 0;

  add(uptimeMs: number, value: number): void {
    if (!Number.isFinite(value)) return;
    if (Number.isNaN(this.#mean)) this.#mean = value;
    else this.#mean += (1 - Math.exp(Math.min(0, this.#lastMs - uptimeMs) / settleMs)) * (value - this.#mean);
    this.#lastMs = Math.max(this.#lastMs, uptimeMs);
    this.least = Math.min(this.least, this.#mean);
  }
}

interface WaterlineOptions {
  /** Bytes that live heap, external and native growth together may reach. */
  readonly budgetBytes: number;
  /** Floor by uptime in earlier runs, from the ledger. */
  readonly history?: HistoryCurve;
}

/** The floor after one major GC. */
export interface FloorEvent {
  /** Ms since the process began. */
  readonly uptimeMs: number;
  readonly floorBytes: number;
  /** Open scopes, or whatever stands for concurrent work. */
  readonly load: number;
  /** Requests ever begun. */
  readonly requests: number;
  /** Bytes that registered keepers account for. */
  readonly attributedBytes: number;
}

/** One sample of everything that is not the floor; about one per minute. */
export interface VitalSample {
  readonly uptimeMs: number;
  readonly heapTotalBytes: number;
  readonly externalBytes: number;
  readonly rssBytes: number;
  readonly load: number;
  readonly requests: number;
}

/** The channel that grows, for the reader of a finding. */
interface ChannelGrowth {
  readonly channel: ChannelTest;
  readonly growthBytes: number;
  readonly bytesPerHour: number;
  /** Seconds to exhaustion; infinite when unknown. */
  readonly tte: number;
}

/**
 * The Waterline: four quantities of the process, each under the shape test.
 *
 * `heap` is the floor without what keepers account for; `external` is memory outside the heap that V8 knows of; `native` is the rest of
 * the resident set, believed only if the resident set itself rose too; `population` is open scopes per request rate, which grows when
 * scopes are never closed, so that the load would explain the heap away.
 */
export class Waterline {
  readonly heap: ChannelTest;
  readonly external: ChannelTest;
  readonly native: ChannelTest;
  readonly population: ChannelTest;
  readonly #cycle = new LoadCycle();
  readonly #budget: number;
  #history: HistoryReader;
  readonly #rssHours = new Float32Array(168).fill(Number.NaN);
  #rssHour = -1;
  #rate = 0;
  #lastMs = 0;
  #lastRequests = 0;
  #lastFloor = 0;
  readonly #calmExternal = new Baseline();
  readonly #calmNative = new Baseline();

  constructor(options: WaterlineOptions) {
    this.#budget = options.budgetBytes;
    this.#history = new HistoryReader(options.history ?? []);
    const useHistory = this.#history.isUseful;
    const cycle = this.#cycle;
    this.heap = new ChannelTest(models, {
      name: 'heap',
      minGrowth: 2 * MB,
      lowest: true,
      wander: p.wander,
      leakSize: p.leakSize,
      useRises: true,
      endures: true,
      useHistory,
      cycle,
    });
    this.heap.limit = this.#budget;
    // Small, so that its noise is large against it: growth must stand out of the wander and be there for a while. Pools of buffers follow
    // the load late, which ends; few other things but a leak keep buffers for long, so growth that lasts needs less than in the heap.
    this.external = new ChannelTest(models, {
      name: 'external',
      minGrowth: 3 * MB,
      growWander: 5,
      lowest: true,
      wander: 0.05,
      useRises: true,
      endures: true,
      extraOdds: -4,
      calm: 2,
      leastHold: 1200,
      cycle,
    });
    // Allocators fragment and settle, so a saturation may go on for longer. Libraries load models when they are first asked for, which is a
    // rise that ends.
    this.native = new ChannelTest(models, {
      name: 'native',
      minGrowth: 16 * MB,
      growRoom: 0.03,
      lowest: false,
      wander: 0.03,
      remaining: 0.5,
      useRises: true,
      endures: true,
      extraOdds: 0.5,
      calm: 2.5,
      leastHold: 1200,
      cycle,
    });
    this.population = new ChannelTest(models, {
      name: 'population',
      minGrowth: 0,
      growLevel: 0.3,
      useLoad: false,
      minSpan: 30 * 3600,
      lowest: false,
      wander: 0.05,
      extraOdds: 3,
      calm: 2.5,
      cycle,
    });
  }

  /** Takes the curve of earlier runs; too late once floors have been taken in. */
  learn(curve: HistoryCurve): void {
    if (this.heap.hasBegun) return;
    this.#history = new HistoryReader(curve);
    this.heap.useHistory(this.#history.isUseful);
  }

  /** Takes the floor of a major GC. */
  floor(event: FloorEvent): void {
    const t = event.uptimeMs / 1000;
    if (t < p.skip || !Number.isFinite(event.floorBytes)) return;
    const attributed = Number.isFinite(event.attributedBytes) ? event.attributedBytes : 0;
    this.#lastFloor = event.floorBytes;
    this.heap.aside = attributed;
    const before = this.#history.isUseful ? this.#history.read(event.uptimeMs) : 0;
    this.heap.add(
      t,
      event.floorBytes - attributed,
      count(event.load),
      count(event.requests),
      before,
      attributed,
    );
  }

  /** Takes a sample of the rest. */
  sample(sample: VitalSample): void {
    const { uptimeMs, externalBytes, rssBytes } = sample;
    const load = count(sample.load);
    const requests = count(sample.requests);
    this.#followRate(uptimeMs, requests);
    const t = uptimeMs / 1000;
    this.#cycle.add(t, load);
    if (t < p.skip) return;
    this.#keepRss(uptimeMs, rssBytes);
    const native = rssBytes - sample.heapTotalBytes - externalBytes;
    this.#calmExternal.add(uptimeMs, externalBytes);
    this.#calmNative.add(uptimeMs, native);
    this.heap.work();
    this.external.work();
    this.native.work();
    this.population.work();
    const room = Math.max(1, this.#budget - this.#lastFloor);
    this.external.beside = this.#lastFloor;
    this.native.beside = this.#lastFloor;
    this.external.limit = this.#calmExternal.least + room;
    this.native.limit = this.#calmNative.least + room;
    this.external.add(t, externalBytes, load, requests);
    this.native.add(t, native, load, requests);
    if (!(this.#rate > 0)) return;
    const perHead = this.heap.loadSlope * this.#rate;
    this.population.limit =
      perHead > 0
        ? load / this.#rate + Math.max(0, this.#budget - this.heap.level) / perHead
        : Number.POSITIVE_INFINITY;
    this.population.add(t, load / this.#rate, 0, requests);
  }

  /** The confirmed growth that exhausts first, or undefined. */
  growth(): ChannelGrowth | undefined {
    let first: ChannelGrowth | undefined;
    for (const channel of [this.heap, this.external, this.native, this.population]) {
      if (this.stateOf(channel) !== 'confirmed') continue;
      const tte = channel.tte > 0 ? channel.tte : Number.POSITIVE_INFINITY;
      if (first !== undefined && first.tte <= tte) continue;
      const bytes = channel === this.population ? this.heap.loadSlope * this.#rate : 1;
      const { growth, rate } = channel.verdict;
      first = { channel, growthBytes: bytes * growth, bytesPerHour: bytes * rate * 3600, tte };
    }
    return first;
  }

  /** The state of the process: that of its worst channel. */
  get state(): ChannelState {
    let worst: ChannelState = 'none';
    worst = worse(worst, this.stateOf(this.heap));
    worst = worse(worst, this.stateOf(this.external));
    worst = worse(worst, this.stateOf(this.native));
    return worse(worst, this.stateOf(this.population));
  }

  /** A channel's state after the checks that need the others. */
  stateOf(channel: ChannelTest): ChannelState {
    if (channel.state !== 'confirmed') return channel.state;
    if (channel === this.native && !this.#rssAgrees()) return 'suspect';
    if (channel === this.population && !this.#populationMatters()) return 'suspect';
    return 'confirmed';
  }

  #followRate(uptimeMs: number, requests: number): void {
    const ms = uptimeMs - this.#lastMs;
    if (!(ms > 0)) return;
    const rate = Math.max(0, (requests - this.#lastRequests) / (ms / 1000));
    this.#rate += (1 - Math.exp(-ms / hourMs)) * (rate - this.#rate);
    this.#lastRequests = requests;
    this.#lastMs = uptimeMs;
  }

  #keepRss(uptimeMs: number, rss: number): void {
    const hour = Math.floor(uptimeMs / hourMs);
    const at = hour % 168;
    if (hour !== this.#rssHour || rss < (this.#rssHours[at] as number)) this.#rssHours[at] = rss;
    this.#rssHour = hour;
  }

  /** The gap also grows when V8 gives heap back; then the resident set does not. */
  #rssAgrees(): boolean {
    const { growth, onset } = this.native.verdict;
    const hours = Math.min(167, Math.max(1, Math.round(this.#rssHour - onset / 3600)));
    const before = this.#rssHours[(this.#rssHour - hours + 168) % 168] as number;
    const now = this.#rssHours[(this.#rssHour + 167) % 168] as number;
    return Number.isNaN(before) || now - before >= 0.6 * growth;
  }

  #populationMatters(): boolean {
    return this.heap.loadSlope * this.#rate * this.population.verdict.growth >= p.growRoom * this.#budget;
  }
}

function count(value: number): number {
  return Number.isFinite(value) ? value : 0;
}

function worse(a: ChannelState, b: ChannelState): ChannelState {
  return a === 'confirmed' || b === 'confirmed'
    ? 'confirmed'
    : a === 'suspect' || b === 'suspect'
      ? 'suspect'
      : 'none';
}
