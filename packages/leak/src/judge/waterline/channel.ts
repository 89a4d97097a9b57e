import { temper } from './exhaustion.ts';
import type { LoadCycle } from './exhaustion.ts';
import type { Fit } from './fit.ts';
import type { Models, TestInput } from './models.ts';
import { parameters as p } from './parameters.ts';
import { ShapeTest } from './shape-test.ts';
import type { ShapeVerdict } from './shape-test.ts';
import { Bucket, Hours, Timeline } from './timeline.ts';

import type { Channel } from '../verdict.ts';

const hour = 3600;
const day = 24 * hour;

/** How sure the statistics are. */
export type ChannelState = 'none' | 'suspect' | 'confirmed';

interface ChannelOptions {
  readonly name: Channel;
  /** Growth below this is not told, in the channel's unit. */
  readonly minGrowth: number;
  readonly growRoom?: number;
  readonly growLevel?: number;
  readonly growWander?: number;
  readonly useLoad?: boolean;
  readonly useHistory?: boolean;
  /** Whether a rise that begins slowly and ends counts as harmless, e.g. a roll-out. */
  readonly useRises?: boolean;
  /** Whether growth that lasts and takes room counts for more than its shape. */
  readonly endures?: boolean;
  /** Seconds of history before the first test. */
  readonly minSpan?: number;
  /** Whether a bucket is its lowest observation rather than the mean. */
  readonly lowest: boolean;
  readonly wander: number;
  readonly remaining?: number;
  /** Odds needed beyond those of the heap; negative where a leak is likelier than there. */
  readonly extraOdds?: number;
  /** Typical growth of a leak when it is looked at, as a share of the level, where that is known. */
  readonly leakSize?: number;
  /** How many times longer than the heap's the pauses between two looks are. */
  readonly calm?: number;
  /** Seconds that hits last at least before they confirm. */
  readonly leastHold?: number;
  /** The load of the last day, which the forecast expects again. */
  readonly cycle: LoadCycle;
}

/** One quantity of the process under the shape test: its timeline, when it is tested, and what has been concluded. */
export class ChannelTest {
  readonly name: Channel;
  readonly verdict: ShapeVerdict = {
    odds: 0,
    growth: 0,
    rate: 0,
    onset: 0,
    tte: 0,
    disagreement: 0,
    sigma: 0,
    steps: 0,
    harmless: '',
    leak: '',
  };
  state: ChannelState = 'none';
  /** Value at which the channel hits its limit, kept current by the owner; infinite when nothing says. */
  limit = Number.POSITIVE_INFINITY;
  /** Bytes inside the limit that the channel's value leaves out. */
  aside = 0;
  /** Bytes that the program holds outside of the channel: harmless growth goes with the size of the program. */
  beside = 0;
  /** Seconds to exhaustion as of the last test. */
  tte = Number.POSITIVE_INFINITY;
  /** Last bucket's value, and what one unit of load takes. */
  level = 0;
  loadSlope = 0;
  /** Tests run, trends looked at. */
  tests = 0;
  looks = 0;
  /** How the last look ended. */
  outcome = '';
  readonly #options: ChannelOptions;
  readonly #timeline = new Timeline();
  readonly #hours = new Hours();
  readonly #fit: Fit;
  readonly #shapeTest: ShapeTest;
  readonly #bucket: Bucket;
  readonly #input: TestInput;
  /** Last buckets' mean without what the load takes. */
  #atRest = 0;
  /** Share of the requests that the program has lost while the level grew. */
  #lost = 0;
  #despikedBy = 0;
  #testedAt = 0;
  #first = -1;
  #now = -1;
  #bucketEnd = 0;
  #nextLook = 0;
  #hits = 0;
  #hitSince = 0;
  #harmlessTests = 0;

  constructor(models: Models, options: ChannelOptions) {
    this.#fit = models.fit;
    this.#shapeTest = new ShapeTest(models);
    this.#options = options;
    this.name = options.name;
    this.#bucket = new Bucket(options.lowest);
    this.#input = {
      age: 0,
      useLoad: false,
      useHistory: options.useHistory ?? false,
      useRises: options.useRises ?? false,
      endures: options.endures ?? false,
      wander: options.wander,
      limit: 0,
      remaining: options.remaining ?? p.remaining,
      room: 0,
      leakSize: options.leakSize ?? 0,
    };
  }

  /** Whether an observation was taken. */
  get hasBegun(): boolean {
    return this.#first >= 0;
  }

  /** Whether observations come with what earlier runs had at that age. */
  useHistory(isUsed: boolean): void {
    this.#input.useHistory = isUsed;
  }

  /** Adds an observation at `t` seconds of uptime. What is not a number, or older than the last one, is left out. */
  add(t: number, y: number, load: number, requests: number, history = 0, attributed = 0): void {
    if (!Number.isFinite(y) || !(t >= this.#now)) return;
    this.#now = t;
    if (this.#first < 0) {
      this.#first = t;
      this.#bucketEnd = t + p.bucket;
    }
    this.#hours.add(t, y, load);
    if (t >= this.#bucketEnd) {
      if (this.#bucket.count > 0) this.#close();
      this.#bucketEnd += p.bucket * Math.floor((t - this.#bucketEnd) / p.bucket + 1);
    }
    this.#bucket.add(t, y, load, requests, history, attributed);
  }

  /**
   * Goes on with a test in progress, one kind of noise at a time, so that no single event takes long. Called with every sample; the
   * steps of a test are done well before the next bucket closes.
   */
  work(): void {
    if (!this.#shapeTest.isRunning) return;
    this.#fit.read(this.#timeline, this.#despikedBy);
    this.#step();
  }

  #close(): void {
    while (this.#shapeTest.isRunning) this.work();
    const bucket = this.#bucket;
    this.#timeline.push(
      bucket.t,
      bucket.y,
      bucket.load,
      bucket.requests,
      bucket.history,
      bucket.attributed,
      this.loadSlope,
    );
    bucket.count = 0;
    if (bucket.t >= this.#nextLook) this.#look(bucket.t);
  }

  /** The cheap look: a trend of some size, or nothing more is done. */
  #look(now: number): void {
    const fit = this.#fit;
    this.#despikedBy = this.loadSlope;
    fit.read(this.#timeline, this.#despikedBy);
    const { n, t } = fit;
    if (n < p.minBuckets) return;
    const span = (t[n - 1] as number) - (t[0] as number);
    if (span < (this.#options.minSpan ?? 0)) return;
    this.looks++;
    const trend = fit.fitTrend(this.#options.useLoad ?? true);
    this.loadSlope = trend.loadSlope;
    this.level = fit.y[n - 1] as number;
    if (trend.growth < p.gateGrowth * this.#need(trend.growth, trend.sigma, 1)) {
      this.#nextLook = now + this.#calm * p.gateStride * span;
      this.#miss('no growth');
      return;
    }
    this.#beginTest(now, span);
  }

  /** Time to the next test: the likelier a leak, the sooner. */
  #pause(now: number, span: number): number {
    const { odds, onset } = this.verdict;
    if (this.state === 'confirmed') return p.confirmedStride * span;
    if (odds < p.farOdds) return p.farStride * span;
    if (this.outcome === 'harmless') return p.stride * span;
    return Math.min(p.stride * span, p.closeStride * (now - onset));
  }

  #beginTest(now: number, span: number): void {
    const input = this.#input;
    this.tests++;
    this.#testedAt = now;
    // Until the verdict is in: nothing else is looked at meanwhile.
    this.#nextLook = now + this.#calm * p.stride * span;
    input.age = now - this.#first;
    input.useLoad = this.loadSlope > 0;
    input.limit = this.limit;
    this.#atRest = this.#fit.levelAtRest(this.loadSlope);
    input.room = this.#roomAtPeak();
    this.#shapeTest.begin();
    this.#step();
  }

  #step(): void {
    if (!this.#shapeTest.step(this.#input, this.verdict)) return;
    const now = this.#testedAt;
    this.#conclude(now);
    const { n, t } = this.#fit;
    this.#nextLook = now + this.#calm * this.#pause(now, (t[n - 1] as number) - (t[0] as number));
  }

  #conclude(now: number): void {
    const v = this.verdict;
    // What a program holds goes with its requests, more or less. Growth while they become fewer has made up for that, too.
    this.#lost = this.#fit.requestsLost(v.onset, day);
    const straight = this.#forecast();
    this.tte = temper(straight, v.disagreement, v.growth / v.sigma);
    const needed = this.#need(v.growth, v.sigma, this.#needShare);
    const outcome = this.#judge(needed, straight);
    if (outcome !== 'hit') {
      this.#miss(outcome);
      if (this.state === 'none' && v.odds >= p.suspectOdds && v.growth >= p.suspectGrowth * needed)
        this.state = 'suspect';
      return;
    }
    this.outcome = outcome;
    this.#harmlessTests = 0;
    if (this.#hits++ === 0) this.#hitSince = now;
    const hold = this.#margin >= p.sureOdds ? 0 : p.holdTime;
    const least = this.#options.leastHold ?? p.leastHold;
    if (this.#hits >= p.hits && now - this.#hitSince >= Math.max(least, hold)) this.state = 'confirmed';
    else if (this.state === 'none') this.state = 'suspect';
  }

  #judge(needed: number, tte: number): string {
    const v = this.verdict;
    if (!(this.#margin >= 0)) return v.odds < p.harmlessOdds ? 'harmless' : 'unsure';
    if (v.growth < needed) return 'small';
    if (tte > p.horizon) return 'far';
    if (this.#options.useLoad !== false && this.#fit.followsRequests(v.onset, p.loadDay)) return 'load';
    const late = this.#now - p.lateShare * (this.#now - v.onset);
    if (!this.#hours.hasRisen(late, p.lateGrowth * v.growth, this.loadSlope)) return 'not rising';
    if (this.#hours.isSawtooth(v.onset, p.lowDropWander * v.sigma, this.loadSlope)) return 'sawtooth';
    return 'hit';
  }

  /**
   * Odds beyond what a hit needs. Old processes and growth from the start need more, because both are met more often without a leak;
   * growth that has lasted, that has taken room or that is large against what the program holds needs less. In the heap the models must
   * favour a leak in any case.
   */
  get #margin(): number {
    const { odds, onset, growth, steps } = this.verdict;
    const share = growth / Math.max(1e-9, this.limit - (this.level - growth));
    const lasted = Math.max(p.bucket, this.#now - onset);
    const held = Math.max(1e-9, this.beside + Math.abs(this.level));
    const extra = this.#options.extraOdds ?? 0;
    const needed =
      extra +
      p.odds +
      p.ageOdds * Math.log1p((this.#now - this.#first) / day) +
      p.startOdds * Math.exp((this.#first - onset) / p.warmUpOnset) +
      p.stepOdds * steps -
      p.timeOdds * Math.log(lasted / hour) -
      p.roomOdds * Math.min(1, share) -
      p.levelOdds * Math.log(Math.max(0.1, (growth / held + p.lostShare * this.#lost) / p.usualGrowth));
    return odds - Math.max(Math.min(0, extra), needed);
  }

  /** Odds beyond what the channel asks for. */
  get #oddsBeyond(): number {
    return this.verdict.odds - (this.#options.extraOdds ?? 0);
  }

  /** What is sure may be told while it is smaller, unless it began with the process and may be a fill. */
  get #needShare(): number {
    if (this.#isEarly) return 1;
    return 1 - p.sureGrowth * Math.min(1, Math.max(0, this.#oddsBeyond / p.sureGrowthOdds));
  }

  /** Whether the growth began so soon after the start that it may belong to it. */
  get #isEarly(): boolean {
    return this.verdict.onset - this.#first < p.warmUpOnset;
  }

  get #calm(): number {
    return this.#options.calm ?? 1;
  }

  #miss(outcome: string): void {
    this.outcome = outcome;
    if (outcome !== 'unsure' || this.#margin < p.keepOdds) this.#hits = 0;
    // Growth that has stopped is over, even while a leak in the past explains the level best.
    const isOver =
      outcome === 'harmless' ||
      outcome === 'no growth' ||
      outcome === 'not rising' ||
      outcome === 'sawtooth' ||
      outcome === 'load' ||
      (outcome === 'unsure' && this.state === 'confirmed' && this.verdict.odds < p.overOdds);
    if (!isOver) {
      this.#harmlessTests = 0;
      return;
    }
    this.#harmlessTests += outcome === 'harmless' && this.verdict.odds < p.farOdds ? 2 : 1;
    if (this.state === 'suspect' || this.#harmlessTests >= p.clears) this.state = 'none';
  }

  /** Growth that matters: a share of what is asked of the room there was and of the level, and all that is asked against the wander. */
  #need(growth: number, sigma: number, share: number): number {
    const {
      growRoom = p.growRoom,
      growLevel = p.growLevel,
      growWander = p.growWander,
      minGrowth,
    } = this.#options;
    const room = Math.max(0, this.limit - (this.level - Math.max(0, growth)));
    const ofRoom = room === Number.POSITIVE_INFINITY ? 0 : growRoom * room;
    return Math.max(
      share * Math.max(ofRoom, growLevel * Math.abs(this.level), minGrowth),
      growWander * sigma,
    );
  }

  /** Room for growth until the limit is met at the peak of the load; a share of what is free at least, since the peak is a guess, and never nothing. */
  #roomAtPeak(): number {
    const limit = this.limit - this.aside;
    const free = Math.max(0, limit - this.level);
    const left = limit - this.#atRest - this.loadSlope * this.#options.cycle.peak;
    return Math.max(1e-3 * Math.abs(this.level), p.leastRoom * free, Math.min(free, left));
  }

  /** Seconds to exhaustion at the mean speed of the leak models, with the load as it was over the last day; 0 when nothing limits. */
  #forecast(): number {
    if (this.limit === Number.POSITIVE_INFINITY) return 0;
    const rate = this.#input.room / this.verdict.tte;
    return this.#options.cycle.exhaustion(this.limit - this.aside - this.#atRest, this.loadSlope, rate);
  }
}
