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
  /** Bytes that V8 has committed for the heap; default from V8's statistics. */
  readonly heapTotalBytes?: () => number;
  /** The curve of earlier runs. It is called once, some minutes after the start. */
  readonly history?: () => Promise<HistoryCurve>;
  /** Forced GCs for decisions. Without it, decisions wait for natural GCs. */
  readonly forced?: ForcedGc;
  /** Follows listeners, timers and handles, with `--audit`. */
  readonly audit?: Audit | undefined;
  /** Takes the snapshots of this process; without one findings have no path. */
  readonly recorder?: GrowthRecorder | undefined;
  /** Present only when the program may be stopped for a snapshot. */
  readonly proof?: typeof LiveProof | undefined;
  /** Folder of snapshots. */
  readonly dir?: string;
  /** Longest stop for a snapshot. */
  readonly maxPauseMs?: number;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  /** Called with the bytes that open scopes retain in a snapshot for a proof, and with its time. */
  readonly onScopes?: LiveProof.LiveProofOptions['onScopes'];
  /** Called with each finding that is new, has another severity, is proved or is withdrawn. */
  readonly onFinding?: (finding: Finding) => void;
}

/** Interval of checks for survivors. Closed scopes of a young process must not wait for the long run, which runs once a minute. */
const lookMs = 1000;
/** The budget of forced collections in a run with a verdict. A busy loop is collected, too, for at most 1 % of the time. */
export const forcedGcBudget = { intervalMs: 5000, costRatio: 0.01, idleBelow: Number.POSITIVE_INFINITY };
/** Earlier runs are read after this time: after start-up, and before the first judgement of the long run. */
const learnAfterMs = 5 * 60_000;

const growthFix: Readonly<Record<Channel, string>> = {
  heap: 'take two snapshots an hour apart and compare them (plimsoll diff): the constructor whose count rises is kept.',
  external:
    'look for Buffers, ArrayBuffers and long strings that are kept: they are outside the heap, and a snapshot shows only their small owners.',
  native:
    'look at native add-ons, worker threads and the allocator (MALLOC_ARENA_MAX, jemalloc), because the heap and its buffers do not grow.',
  population:
    'close the scopes of each request: the number of open scopes rises while the request rate does not.',
};

/**
 * Leak detection of a governed process: growth every minute, survivors every second, forgotten attachments, and the proof of each. All
 * findings go through one book.
 */
export class LeakWatch {
  readonly #book: FindingBook;
  readonly #run: LongRun;
  readonly #feed: ReadingFeed;
  readonly #trend = new Trend();
  readonly #survivors: Survivors;
  readonly #claims = new SurvivorClaims();
  /** Fingerprints of published survivors that were alive at the last check. */
  readonly #surviving = new Set<string>();
  readonly #audit: AuditWatch;
  readonly #recorder: GrowthRecorder | undefined;
  readonly #proof: LiveProof.LiveProof | undefined;
  readonly #now: () => number;
  #unwatchStages: (() => void) | undefined;
  #history: (() => Promise<HistoryCurve>) | undefined;
  #lookAt = 0;
  #room: Room;
  /** The growth that was published last. */
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

  /** When the limit is reached; null when nothing clearly grows. */
  get forecast(): Forecast | null {
    return this.#forecast;
  }

  /** Whether a confirmed leak still lasts: survivors, or growth of a long run. */
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

  /** Publishes the last numbers of the audit when the process ends. */
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

  /** The claim of growth that only the series shows, without a snapshot or survivor. */
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

  /** Takes a finding with a path. The path may be found minutes later, when its survivors are gone. */
  #takeProved(finding: Finding): void {
    const isGone = finding.kind === 'survivor' && this.#book.get(finding.fingerprint)?.endedAt !== undefined;
    if (!isGone || this.#surviving.has(finding.fingerprint)) this.#book.take(finding);
  }

  /**
   * Withdraws survivors that are all gone now. They were late and not leaked: on a busy machine the last promise of a closed session may
   * settle after seconds.
   */
  #takeBackVanished(alive: ReadonlySet<string>, at: number): void {
    for (const fingerprint of this.#surviving) {
      if (alive.has(fingerprint)) continue;
      this.#surviving.delete(fingerprint);
      this.#claims.forget(fingerprint);
      this.#book.takeBack(fingerprint, at);
    }
  }

  /**
   * Called at the end of the process, right after a collection. The reader of the last snapshot searches it for survivors without a path.
   */
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
    // Without a readable ledger there are no earlier runs.
    void read().then(
      (curve) => this.#run.learn(curve),
      () => undefined,
    );
  }
}
