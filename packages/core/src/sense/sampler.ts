import { channel } from 'node:diagnostics_channel';
import { warnOnce } from '../errors.ts';
import { exposedGc } from '../exposed-gc.ts';
import type { CollectGarbage } from '../exposed-gc.ts';
import { systemClock } from './clock.ts';
import type { Clock } from './clock.ts';
import { limits, pressures } from './limits.ts';
import type { LimitPolicy, Limits, LimitUse } from './limits.ts';
import { oldSpace, threadFacts } from './old-space.ts';
import { bounded } from './option.ts';
import type { Reading } from './reading.ts';
import { sensedNumbers } from './reading-fields.ts';
import { SelfCost } from './self-cost.ts';
import type { Sensor, Vitals } from './sensor.ts';
import { Strain } from './strain.ts';

/** A full collection marks what is alive at about 1 GB a second. */
const gcMsPerByte = 1e-6;
/** A look may stop the loop this long by that estimate, and as often as this. */
const longestLookMs = 500;
const lookRestMs = 30_000;

/** A process at rest is read once in so many intervals, and counts as at rest after so many. */
const restIntervals = 3;
const restAfter = 5;

const readingChannel = channel('plimsoll:reading');

export interface SamplerOptions {
  readonly clock?: Clock;
  readonly sensor: Sensor;
  readonly policy?: LimitPolicy;
  /** Ms between readings, 100 to 60,000; default 1,000. */
  readonly intervalMs?: number;
  /** Ms between readings while `hurry` asks for more, 50 to `intervalMs`; default 250. */
  readonly fastIntervalMs?: number;
  /** Age in ms from which the last reading counts as stale; default 15,000. */
  readonly staleAfterMs?: number;
  /** Whether a process at rest may be read more rarely; default yes. */
  readonly mayRest?: () => boolean;
  /** Counts open scopes; default 0. */
  readonly scopes?: () => number;
  /** Live heap outside every scope, given the floor. */
  readonly unattributed?: (floorBytes: number) => number | undefined;
  /** Runs a full collection, for `look`; V8's own by default. */
  readonly collect?: CollectGarbage;
}

/**
 * Takes a reading every second, four times a second when asked, and publishes it on the channel `plimsoll:reading`.
 *
 * It never throws and never keeps the process alive. Readings that a blocked event loop missed are not made up for. The next one comes
 * late, says so, and counts once. Intervals are monotonic, so a jump of the wall clock shows in `at` and nowhere else.
 *
 * A reading costs an idle process more than all else that we do in it. While a process does nothing, only that is looked at each second, and
 * a reading is taken every third time.
 */
export class Sampler {
  readonly self: SelfCost;
  readonly #clock: Clock;
  readonly #sensor: Sensor;
  #intervalMs = 1000;
  #fastIntervalMs = 250;
  #staleAfterMs = 15_000;
  readonly #mayRest: () => boolean;
  readonly #countScopes: () => number;
  readonly #outside: (floorBytes: number) => number | undefined;
  readonly #listeners = new Set<(reading: Reading) => void>();
  #policy: LimitPolicy;
  #current: Limits;
  #limitKey = '';
  #cancel: (() => void) | undefined;
  #dueAt = 0;
  #readAt: number;
  #hurryUntil = Number.NEGATIVE_INFINITY;
  #last: Reading | undefined;
  #majorCount = 0;
  #faultCount = 0;
  #lateCount = 0;
  /** Intervals for which the process was at rest. */
  #restCount = 0;
  readonly #strain = new Strain();
  #collect: CollectGarbage | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(options: SamplerOptions) {
    this.#clock = options.clock ?? systemClock;
    this.#sensor = options.sensor;
    this.#policy = options.policy ?? {};
    this.setRhythm(options);
    this.#mayRest = options.mayRest ?? (() => true);
    this.#countScopes = options.scopes ?? (() => 0);
    this.#collect = options.collect;
    this.#outside = options.unattributed ?? (() => undefined);
    this.self = new SelfCost(this.#clock);
    this.self.retains('sensor', () => this.#sensor.retainedBytes);
    this.#current = limits({ policy: this.#policy });
    this.#readAt = this.#clock.monotonic();
  }

  /** The last good reading. */
  get latest(): Reading | undefined {
    return this.#last;
  }

  /** The limits in force as of the last reading. */
  get limits(): Limits {
    return this.#current;
  }

  /** Readings that failed: the sensor or a listener threw. */
  get faults(): number {
    return this.#faultCount;
  }

  /** Readings that came more than five intervals late. */
  get lateTicks(): number {
    return this.#lateCount;
  }

  /** True when the last good reading is older than `staleAfterMs`: do not act on it. */
  get stale(): boolean {
    return this.#clock.monotonic() - this.#readAt > this.#staleAfterMs;
  }

  /** Begins; the first reading is taken at once. */
  start(): void {
    if (this.#cancel !== undefined) return;
    this.#dueAt = this.#clock.monotonic();
    this.#tick();
  }

  /** Ends for good and gives the sensor's descriptors back. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#listeners.clear();
    this.#guard(() => this.#sensor.stop());
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  /** Takes readings at the fast interval for the next `forMs`. Calling it again prolongs it. */
  hurry(forMs = 60_000): void {
    const now = this.#clock.monotonic();
    this.#hurryUntil = Math.max(this.#hurryUntil, now + forMs);
    if (this.#cancel === undefined || this.#dueAt - now <= this.#fastIntervalMs) return;
    this.#cancel();
    this.#arm(now);
  }

  /**
   * Runs one full collection so that the next reading has a fresh floor; true when it did. It refuses a heap that would take longer than
   * half a second to mark, a second look within 30 s, and one that the allowance for our own cost has not paid for.
   */
  look(): boolean {
    const now = this.#clock.monotonic();
    const heapUsed = this.#last?.heapUsed ?? 0;
    if (now - this.#lookedAt < lookRestMs || this.self.restMs() > 0 || heapUsed * gcMsPerByte > longestLookMs)
      return false;
    this.#lookedAt = now;
    return this.self.measure(
      'floors',
      () =>
        this.#guard(() => {
          this.#collect ??= exposedGc() ?? (() => undefined);
          this.#collect();
          return true;
        }) ?? false,
    );
  }

  /** Replaces the operator's limits, from the next reading on. */
  setPolicy(policy: LimitPolicy): void {
    this.#policy = policy;
    this.#limitKey = '';
  }

  /** Changes how often readings are taken, from the next one on; what is left out gets its default. */
  setRhythm(rhythm: Pick<SamplerOptions, 'intervalMs' | 'fastIntervalMs' | 'staleAfterMs'>): void {
    const intervalMs = bounded('intervalMs', rhythm.intervalMs ?? 1000, 100, 60_000);
    this.#fastIntervalMs = bounded(
      'fastIntervalMs',
      rhythm.fastIntervalMs ?? Math.min(250, intervalMs),
      50,
      intervalMs,
    );
    this.#staleAfterMs = bounded(
      'staleAfterMs',
      rhythm.staleAfterMs ?? Math.max(15_000, intervalMs),
      intervalMs,
      3_600_000,
    );
    this.#intervalMs = intervalMs;
  }

  /** Calls the listener with every reading until the returned function is called. */
  onReading(listener: (reading: Reading) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes one reading now, besides the rhythm; undefined when the sensor fails. */
  sample(): Reading | undefined {
    return this.self.measure('looks', () => this.#take(0));
  }

  #tick(): void {
    const now = this.#clock.monotonic();
    const lateMs = Math.max(0, now - this.#dueAt);
    if (lateMs > 5 * this.#intervalMs) this.#lateCount++;
    if (!this.#rests(now, lateMs)) this.self.measure('looks', () => this.#take(lateMs));
    this.#arm(this.#clock.monotonic());
  }

  /** True when the last reading still holds. */
  #rests(now: number, lateMs: number): boolean {
    const isAtRest =
      this.#guard(
        () =>
          this.#sensor.isAtRest?.() === true &&
          now >= this.#hurryUntil &&
          lateMs < this.#intervalMs &&
          this.#last?.scopes === this.#countScopes() &&
          this.#mayRest(),
      ) ?? false;
    this.#restCount = isAtRest ? this.#restCount + 1 : 0;
    if (this.#restCount <= restAfter) return false;
    const longest = Math.min(restIntervals * this.#intervalMs, this.#staleAfterMs / 3);
    // The next look must not come too late.
    return now - this.#readAt < longest - this.#intervalMs / 2;
  }

  #arm(now: number): void {
    const wanted = now < this.#hurryUntil ? this.#fastIntervalMs : this.#intervalMs;
    // A third of the age at which a reading is stale leaves room for a late one.
    const longest = Math.max(wanted, this.#staleAfterMs / 3);
    const wait = Math.min(longest, wanted * this.self.slowdown('looks'));
    this.#dueAt = now + wait;
    this.#cancel = this.#clock.after(wait, () => this.#tick());
  }

  #take(lateMs: number): Reading | undefined {
    let reading: Reading;
    try {
      reading = this.#conclude(this.#sensor.read(lateMs), lateMs);
    } catch (cause) {
      this.#faultCount++;
      warnOnce('PLM_SENSE_SENSOR_FAILED', { cause: String(cause) });
      return undefined;
    }
    this.#last = reading;
    this.#readAt = this.#clock.monotonic();
    for (const listener of this.#listeners) this.#guard(() => listener(reading));
    if (readingChannel.hasSubscribers) this.#guard(() => readingChannel.publish(reading));
    return reading;
  }

  #conclude(vitals: Vitals, lateMs: number): Reading {
    this.#refreshLimits(vitals);
    const { floor } = vitals;
    this.#majorCount += vitals.gc.major;
    const strain = this.#strain.take(vitals, this.#clock.monotonic());
    const list = pressures(this.#current, vitals, strain);
    const nearest = list[0] as LimitUse;
    const unattributed =
      floor === undefined
        ? undefined
        : this.#guard(() => this.#outside(Math.min(floor.bytes, vitals.heapUsed)));
    return {
      at: this.#clock.now(),
      ...sensedNumbers(vitals),
      ...(floor && {
        floor: floor.bytes,
        floorAgeMs: Math.max(0, this.#clock.monotonic() - floor.at),
      }),
      majors: this.#majorCount,
      limit: nearest.limit,
      used: nearest.used,
      pressures: list,
      gc: vitals.gc,
      scopes: this.#guard(this.#countScopes) ?? 0,
      ...(unattributed !== undefined && { unattributed }),
      lateMs,
      self: this.self.read(),
    };
  }

  /** A pod may be resized and a policy reloaded while we run; V8's limit never moves. */
  #refreshLimits(vitals: Vitals): void {
    const key = `${vitals.heapSizeLimit} ${vitals.cgroup?.limit}`;
    if (key === this.#limitKey) return;
    this.#limitKey = key;
    const facts = { policy: this.#policy, cgroup: vitals.cgroup };
    this.#current = limits({
      ...facts,
      oldSpace: oldSpace({ ...threadFacts(), heapSizeLimit: vitals.heapSizeLimit }),
    });
  }

  #guard<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch {
      this.#faultCount++;
      return undefined;
    }
  }
}
