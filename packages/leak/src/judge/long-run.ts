import { createHash } from 'node:crypto';
import { FindingBook, worseSeverity } from '../findings/finding-book.ts';
import type { Claim } from '../findings/finding-book.ts';
import type { Finding, Severity } from '../findings/finding.ts';
import type { LoopState } from '../floor/forced-gc.ts';
import { RetainedRule } from '../survivors/retained-rule.ts';
import { survivorFingerprint } from '../survivors/survivor-group.ts';
import type { SurvivorGroup } from '../survivors/survivor-group.ts';
import type { Survivors } from '../survivors/survivors.ts';
import type { Channel, ChannelName, ChannelState } from './waterline/channel.ts';
import { forecast } from './waterline/forecast.ts';
import type { Band, Forecast } from './waterline/forecast.ts';
import type { HistoryCurve } from './waterline/history-curve.ts';
import { growthSeverity } from './waterline/severity.ts';
import { Waterline } from './waterline/waterline.ts';
import type { FloorEvent, Growth, VitalSample } from './waterline/waterline.ts';

export interface DetectorOptions {
  /** Bytes that live heap, external and native growth together may reach. */
  readonly budgetBytes: number;
  /** Floor by uptime in earlier runs, from the ledger. */
  readonly history?: HistoryCurve;
  /** The live scope watch; left out when only a number of survivors is fed. */
  readonly survivors?: Survivors;
  /** Findings of earlier runs: they keep their id, first date and count. */
  readonly known?: Iterable<Finding>;
  /** Factors of the forecast's band, when the ledger has better ones. */
  readonly band?: Band;
}

/** A sample with the wall time it was taken at, and what the scope watch needs to know of the loop. */
export interface DetectorSample extends VitalSample {
  /** Ms since the epoch. */
  readonly at: number;
  /** Closed scopes alive after three major GCs, where a number is all there is. */
  readonly survivors?: number;
  readonly loop?: LoopState;
}

/** What statistics or a first look suggest and nothing has confirmed. It pages nobody: it asks for denser floors and a probe. */
export interface Suspicion {
  readonly kind: 'growth' | 'survivor';
  /** Channel, or kind and label of the survivors. */
  readonly subject: string;
}

const growthFix: Record<ChannelName, string> = {
  heap: 'take two snapshots an hour apart and compare them (plimsoll diff): the constructor whose count rises is what is kept.',
  external:
    'look for Buffers, ArrayBuffers and long strings that are kept: they are outside the heap and show in a snapshot as their small owners.',
  native:
    'look at native add-ons, worker threads and the allocator (MALLOC_ARENA_MAX, jemalloc): the heap and its buffers are not what grows.',
  population:
    'close what is opened per request: the number of open scopes rises while the request rate does not.',
};

/**
 * Finds leaks from what it is fed; it has no clock, starts nothing and never throws on a bad sample.
 *
 * Two instruments: the scope watch confirms what a closed scope left behind, the Waterline finds growth that no scope covers. A
 * suspicion is not a finding. Feed it every floor and a sample about once a minute, in order.
 */
export class Detector {
  readonly waterline: Waterline;
  private readonly book: FindingBook;
  private readonly survivors: Survivors | undefined;
  private readonly rule = new RetainedRule();
  private readonly band: Band | undefined;
  private readonly budget: number;
  private isRetaining = false;
  private usedRatio = 0;
  private lastFloor = 0;
  private reported: Channel | undefined;
  private reportedTests = -1;
  private reportedSurvivors = 0;

  constructor(options: DetectorOptions) {
    this.budget = options.budgetBytes;
    this.waterline = new Waterline(options);
    this.book = new FindingBook(options.known);
    this.survivors = options.survivors;
    this.band = options.band;
  }

  /** Everything found, one entry per fingerprint. */
  get findings(): readonly Finding[] {
    return this.book.findings;
  }

  /** Whether something confirmed is still going on. */
  get isLeaking(): boolean {
    return this.isRetaining || this.waterline.state === 'confirmed' || (this.survivors?.count ?? 0) > 0;
  }

  get state(): ChannelState {
    return this.isLeaking ? 'confirmed' : this.suspicions.length > 0 ? 'suspect' : 'none';
  }

  get suspicions(): readonly Suspicion[] {
    const found: Suspicion[] = [];
    const { heap, external, native, population } = this.waterline;
    for (const channel of [heap, external, native, population])
      if (this.waterline.stateOf(channel) === 'suspect')
        found.push({ kind: 'growth', subject: channel.name });
    for (const group of this.survivors?.list() ?? [])
      if (group.state === 'suspect')
        found.push({ kind: 'survivor', subject: `${group.kind} ${group.label}` });
    return found;
  }

  /** Channels that look like growth or are confirmed as growing, with the fingerprint of the finding that each would be. */
  get growing(): readonly {
    readonly channel: ChannelName;
    readonly fingerprint: string;
    readonly growthBytes: number;
  }[] {
    const { heap, external, native, population } = this.waterline;
    return [heap, external, native, population]
      .filter((channel) => this.waterline.stateOf(channel) !== 'none')
      .map(({ name, verdict }) => ({
        channel: name,
        fingerprint: growthFingerprint(name),
        growthBytes: verdict.growth,
      }));
  }

  /** Time to exhaustion of the growth that gets there first. */
  get exhaustsIn(): Forecast | undefined {
    const growth = this.waterline.growth();
    return growth === undefined ? undefined : this.foresee(growth);
  }

  /** Takes the curve of earlier runs, before the first look at this one. */
  learn(history: HistoryCurve): void {
    this.waterline.learn(history);
  }

  /** Takes the floor of a major GC. */
  floor(event: FloorEvent): void {
    this.waterline.floor(event);
    if (Number.isFinite(event.floorBytes)) this.lastFloor = event.floorBytes;
  }

  /** Takes a sample and enters what is new into the findings. */
  sample(sample: DetectorSample): void {
    this.waterline.sample(sample);
    this.usedRatio = this.lastFloor / this.budget;
    if (this.waterline.state === 'confirmed') this.tellGrowth(sample.at);
    else this.reported = undefined;
    if (sample.survivors !== undefined) this.countSurvivors(sample.at, sample.uptimeMs, sample.survivors);
    if (this.survivors !== undefined && sample.loop !== undefined && this.survivors.inspect(sample.loop))
      this.tellSurvivors(this.survivors, sample.at);
  }

  private tellGrowth(at: number): void {
    const growth = this.waterline.growth();
    if (growth === undefined) return;
    const { channel } = growth;
    const isAgain = this.reported !== channel;
    if (!isAgain && this.reportedTests === channel.tests) return;
    this.reported = channel;
    this.reportedTests = channel.tests;
    const left = this.foresee(growth);
    this.book.enter(
      {
        kind: 'growth',
        severity: growthSeverity(left, this.usedRatio),
        scope: 'process',
        fingerprint: growthFingerprint(channel.name),
        bytes: Math.round(growth.growthBytes),
        rate: Math.round(growth.bytesPerHour),
        ...(left !== undefined && { exhaustsIn: left }),
        fix: growthFix[channel.name],
      },
      at,
      isAgain,
    );
  }

  private foresee(growth: Growth): Forecast | undefined {
    return Number.isFinite(growth.tte) ? forecast(growth.tte, this.band) : undefined;
  }

  /** Survivors known by number only: kind and label are not. */
  private countSurvivors(at: number, uptimeMs: number, count: number): void {
    const was = this.isRetaining;
    this.isRetaining = this.rule.observe(uptimeMs, count);
    if (!this.isRetaining || count <= this.reportedSurvivors) return;
    this.reportedSurvivors = count;
    this.book.enter(
      this.survivorClaim({
        kind: 'scope',
        label: 'closed',
        fingerprint: survivorFingerprint('scope', 'closed'),
        example: 'process',
        alive: count,
        closedAt: at,
        state: 'confirmed',
      }),
      at,
      !was,
    );
  }

  private tellSurvivors(survivors: Survivors, at: number): void {
    for (const group of survivors.list()) {
      if (group.state !== 'confirmed') continue;
      const before = this.book.get(group.fingerprint);
      const claim = this.survivorClaim(group);
      if (before?.count === group.alive && before.severity === claim.severity) continue;
      this.book.enter(claim, at, false);
    }
  }

  private survivorClaim(group: SurvivorGroup): Claim {
    const severity = worseSeverity('medium', this.growthNow());
    return {
      kind: 'survivor',
      severity,
      scope: group.example,
      fingerprint: group.fingerprint,
      bytes: 0,
      times: group.alive,
      fix:
        group.label === 'scope' || group.label === 'closed'
          ? `find who still refers to the closed ${group.kind}: a listener, a timer, a map entry or a promise that never settles. A heap snapshot has the path.`
          : `let go of "${group.label}" when its ${group.kind} closes; a heap snapshot has the path that holds it (look for PlimsollWatched).`,
    };
  }

  private growthNow(): Severity {
    const growth = this.waterline.growth();
    return growth === undefined ? 'info' : growthSeverity(this.foresee(growth), this.usedRatio);
  }
}

/** Group key of growth in a channel; the same across restarts. */
export function growthFingerprint(channel: ChannelName): string {
  return createHash('sha256').update(`growth\0${channel}`).digest('hex').slice(0, 16);
}
