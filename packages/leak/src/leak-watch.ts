import type { Roster } from '@plimsoll/core/internal/scope/roster';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { AuditWatch } from './audit/audit-watch.ts';
import type { Audit } from './audit/audit.ts';
import { FindingBook } from './findings/finding-book.ts';
import type { Claim } from './findings/finding-book.ts';
import type { Finding } from './findings/finding.ts';
import { growthSeverity } from './findings/severity.ts';
import type { ForcedGc } from './floor/forced-gc.ts';
import { soonest, Trend } from './judge/forecast.ts';
import type { Forecast } from './judge/forecast.ts';
import { LongRun, ReadingFeed } from './judge/long-run.ts';
import type { GrowthFact } from './judge/long-run.ts';
import { growthFingerprint } from './judge/verdict.ts';
import type { Channel } from './judge/verdict.ts';
import type { HistoryCurve } from './judge/waterline/waterline.ts';
import type * as LiveProof from './proof/live-proof.ts';
import type { GrowthRecorder } from './proof/growth-recorder.ts';
import { watchStageWarnings } from './stages/stage-warning.ts';
import { SurvivorClaims } from './survivors/survivor-claims.ts';
import type { Room } from './survivors/survivor-claims.ts';
import { Survivors } from './survivors/survivors.ts';

export interface LeakWatchOptions {
  readonly roster: Roster;
  /** Bytes that the process may reach. */
  readonly budgetBytes: number;
  readonly attributedBytes: () => number;
  /** Bytes V8 has committed for the heap; default what V8 says. */
  readonly heapTotalBytes?: () => number;
  /** The curve of earlier runs; asked once, some minutes after the start. */
  readonly history?: () => Promise<HistoryCurve>;
  /** A GC that may be forced to be sure; without one, natural GCs are waited for. */
  readonly forced?: ForcedGc;
  /** Follows listeners, timers and handles, with `--audit`. */
  readonly audit?: Audit | undefined;
  /** Takes the snapshots of this process; without one findings have no path. */
  readonly recorder?: GrowthRecorder | undefined;
  /** Loaded only where the program may be stopped for a snapshot. */
  readonly proof?: typeof LiveProof | undefined;
  /** Where snapshots are written. */
  readonly dir?: string;
  /** Longest stop for a snapshot. */
  readonly maxPauseMs?: number;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  /** Told what open scopes retain in a snapshot that was taken for a proof, and when it was taken. */
  readonly onScopes?: LiveProof.LiveProofOptions['onScopes'];
  /** Called with each finding that is new, graver, proved or taken back. */
  readonly onFinding?: (finding: Finding) => void;
}

/** Survivors are looked for this often. Closed scopes of a young process must not wait for the minute of the long run. */
const lookMs = 1000;
/** The budget of forced collections of a run that was asked for a verdict: a busy loop is collected, too, within 1 % of the time. */
export const forcedGcBudget = { intervalMs: 5000, costRatio: 0.01, idleBelow: Number.POSITIVE_INFINITY };
/** Earlier runs are read once the program has started up, and before the long run looks for the first time. */
const learnAfterMs = 5 * 60_000;

const growthFix: Readonly<Record<Channel, string>> = {
  heap: 'take two snapshots an hour apart and compare them (plimsoll diff): the constructor whose count rises is what is kept.',
  external:
    'look for Buffers, ArrayBuffers and long strings that are kept: they are outside the heap and show in a snapshot as their small owners.',
  native:
    'look at native add-ons, worker threads and the allocator (MALLOC_ARENA_MAX, jemalloc): the heap and its buffers are not what grows.',
  population:
    'close what is opened per request: the number of open scopes rises while the request rate does not.',
};

/**
 * Leak detection of a governed process: growth by the minute, survivors by the second, what the program leaves attached, and the proof
 * of each. Everything that is found goes through one book.
 */
export class LeakWatch {
  readonly #book: FindingBook;
  readonly #run: LongRun;
  readonly #feed: ReadingFeed;
  readonly #trend = new Trend();
  readonly #survivors: Survivors;
  readonly #claims = new SurvivorClaims();
  /** Fingerprints of survivors that were told and were alive at the last look. */
  readonly #surviving = new Set<string>();
  readonly #audit: AuditWatch;
  readonly #recorder: GrowthRecorder | undefined;
  readonly #proof: LiveProof.LiveProof | undefined;
  readonly #now: () => number;
  #unwatchStages: (() => void) | undefined;
  #history: (() => Promise<HistoryCurve>) | undefined;
  #lookAt = 0;
  #room: Room;
  /** The growth that was told last. */
  #told: Pick<GrowthFact, 'fingerprint' | 'tests'> | undefined;
  #forecast: Forecast | null = null;

  constructor(options: LeakWatchOptions) {
    const { roster, recorder, proof, now, forced } = options;
    this.#now = now ?? (() => performance.now());
    this.#history = options.history;
    this.#room = { bytes: options.budgetBytes, usedRatio: 0 };
    this.#book = new FindingBook(options.onFinding);
    this.#run = new LongRun({ budgetBytes: options.budgetBytes });
    this.#feed = new ReadingFeed(this.#run, {
      requests: () => roster.opened,
      attributedBytes: options.attributedBytes,
      ...(options.heapTotalBytes !== undefined && { heapTotalBytes: options.heapTotalBytes }),
      uptimeMs: this.#now,
    });
    this.#survivors = new Survivors({
      source: roster,
      ...(now !== undefined && { clock: { monotonic: now } }),
      ...(forced !== undefined && { forced }),
    });
    this.#audit = new AuditWatch(
      roster,
      options.audit,
      (claim, at) => void this.#book.enter(claim, at, false),
    );
    this.#recorder = recorder;
    if (recorder === undefined || proof === undefined) return;
    this.#proof = new proof.LiveProof({
      dir: options.dir ?? '.',
      maxPauseMs: options.maxPauseMs ?? 0,
      recorder,
      growing: () => this.#run.growing,
      weigh: (finding, bytesEach) => this.#claims.weigh(finding, bytesEach, this.#room),
      onFinding: (finding) => this.#takeProved(finding),
      onOver: (fingerprint) => this.#book.takeBack(fingerprint, Date.now()),
      onExplained: (channel) => this.#book.takeBack(growthFingerprint(channel), Date.now()),
      onScopes: options.onScopes,
    });
  }

  start(): void {
    this.#audit.start();
    this.#unwatchStages ??= watchStageWarnings((claim, at) => void this.#book.enter(claim, at));
    this.#recorder?.onPair((record) => void this.#proof?.prove(record));
    this.#recorder?.onEnd(() => this.#end());
  }

  /** Every finding, gravest first. */
  get findings(): readonly Finding[] {
    return this.#book.findings;
  }

  /** When the limit is met; null when nothing clearly grows. */
  get forecast(): Forecast | null {
    return this.#forecast;
  }

  /** Whether something confirmed is still going on: survivors, or growth of a long run. */
  get isLeaking(): boolean {
    return this.#survivors.count > 0 || this.#run.isLeaking;
  }

  take(reading: Reading): void {
    this.#learn();
    this.#room = { bytes: reading.limit - reading.used, usedRatio: reading.used / reading.limit };
    const now = this.#now();
    if (this.#feed.take(reading)) this.#tellGrowth(reading.at);
    this.#trend.take(reading, now);
    if (reading.at >= this.#lookAt) {
      this.#lookAt = reading.at + lookMs;
      this.#survivors.inspect({ loopUtilization: reading.loopUtilization, heapBytes: reading.heapUsed });
      this.#tellSurvivors(reading.at);
    }
    this.#forecast = soonest([
      this.#run.growth(reading.at)?.forecast,
      this.#trend.forecast(now, reading.at),
      ...this.#claims.forecasts,
    ]);
    this.#audit.take(reading);
    this.#proof?.take(reading);
  }

  /** The last numbers of the audit, when the process ends. */
  conclude(reading: Reading): void {
    this.#audit.conclude(reading);
  }

  stop(): void {
    this.#audit.stop();
    this.#unwatchStages?.();
    this.#proof?.stop();
  }

  #tellGrowth(at: number): void {
    const growth = this.#run.growth(at);
    const told = this.#told;
    if (told !== undefined && growth?.fingerprint !== told.fingerprint) {
      const isOver = !this.#run.growing.some(
        ({ fingerprint, verdict }) => fingerprint === told.fingerprint && verdict === 'leak',
      );
      if (isOver) this.#book.takeBack(told.fingerprint, at);
    }
    if (growth === undefined || this.#proof?.hasExplained(growth.channel) === true) {
      this.#told = undefined;
      return;
    }
    const isAgain = told?.fingerprint !== growth.fingerprint;
    if (!isAgain && told.tests === growth.tests) return;
    this.#told = growth;
    this.#book.enter(this.#growthClaim(growth), at, isAgain);
  }

  /** Growth that only the series shows, because no snapshot and no survivor names it. */
  #growthClaim({ channel, fingerprint, bytes, bytesPerHour, forecast }: GrowthFact): Claim {
    const left = forecast && { ms: forecast.ms, low: forecast.low, high: forecast.high };
    return {
      kind: 'growth',
      severity: growthSeverity({ left, usedRatio: this.#room.usedRatio, isProved: false }),
      scope: 'process',
      fingerprint,
      bytes: Math.round(bytes),
      rate: Math.round(bytesPerHour),
      ...(left !== undefined && { exhaustsIn: left }),
      fix: growthFix[channel],
    };
  }

  #tellSurvivors(at: number): void {
    const confirmed = this.#survivors.list().filter(({ state }) => state === 'confirmed');
    this.#takeBackVanished(new Set(confirmed.map(({ fingerprint }) => fingerprint)), at);
    for (const group of confirmed) {
      this.#surviving.add(group.fingerprint);
      const claim = this.#claims.claimOf(group, at, this.#room);
      if (claim === undefined) continue;
      const finding = this.#book.enter(claim, at, false);
      this.#proof?.trace(finding);
    }
  }

  /** A path may be found minutes later, when the survivors it explains are gone. */
  #takeProved(finding: Finding): void {
    const isGone = finding.kind === 'survivor' && this.#book.get(finding.fingerprint)?.endedAt !== undefined;
    if (!isGone || this.#surviving.has(finding.fingerprint)) this.#book.take(finding);
  }

  /** Survivors that are all gone were late, not leaked: on a busy machine the last promise of a closed session may settle after seconds. */
  #takeBackVanished(alive: ReadonlySet<string>, at: number): void {
    for (const fingerprint of this.#surviving) {
      if (alive.has(fingerprint)) continue;
      this.#surviving.delete(fingerprint);
      this.#claims.forget(fingerprint);
      this.#book.takeBack(fingerprint, at);
    }
  }

  /** The process ends right after a collection. Survivors without a path are looked for in the last snapshot, by whoever reads it. */
  #end(): void {
    this.#survivors.conclude();
    this.#tellSurvivors(Date.now());
    const untraced = this.findings.filter(({ kind, trace }) => kind === 'survivor' && trace === undefined);
    if (untraced.length > 0) this.#recorder?.want(Math.max(...untraced.map(({ firstSeen }) => firstSeen)));
  }

  #learn(): void {
    if (this.#history === undefined || this.#now() < learnAfterMs) return;
    const read = this.#history;
    this.#history = undefined;
    // Without a ledger, or with one that cannot be read, nothing is known from before.
    void read().then(
      (curve) => this.#run.learn(curve),
      () => undefined,
    );
  }
}
