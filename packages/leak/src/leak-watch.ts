import { createHash } from 'node:crypto';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import { Detector } from './judge/long-run.ts';
import { ForcedGc } from './floor/forced-gc.ts';
import { ReadingFeed } from './judge/reading-feed.ts';
import { Survivors } from './survivors/survivors.ts';
import { weighSurvivors } from './survivors/survivor-weight.ts';
import type { Finding } from './findings/finding.ts';
import type { HistoryCurve } from './judge/waterline/history-curve.ts';
import type { SurvivorGroup } from './survivors/survivor-group.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { survivorSubject } from './proof/survivor-subject.ts';

export interface LeakWatchOptions {
  readonly roster: Roster;
  /** Bytes that the process may reach. */
  readonly budgetBytes: number;
  readonly attributedBytes: () => number;
  /** The curve of earlier runs; asked once, some minutes after the start. */
  readonly history?: () => Promise<HistoryCurve>;
  /** Whether a GC may be forced to be sure. */
  readonly mayProbe: boolean;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  readonly onFinding: (finding: Finding) => void;
}

/** Survivors are looked for this often: closed scopes of a young process must not wait for the minute of the growth channels. */
const lookMs = 1000;
/** Whoever asked for a verdict is owed one within a short run, also on a busy loop: a probe comes this soon after the last, and never takes more than its part of the time. */
const probe = { intervalMs: 5000, costRatio: 0.01, idleBelow: Number.POSITIVE_INFINITY };
/** Earlier runs are read once the program has other things to do than to start, and before the detector looks for the first time. */
const learnAfterMs = 5 * 60_000;

/** A group of survivors as it was told first, and what one of them retains once that is known. */
interface Told {
  readonly since: number;
  readonly from: number;
  alive: number;
  bytesEach: number;
}

/** The detector of a governed process: growth by the hour, survivors by the second. */
export class LeakWatch {
  readonly #detector: Detector;
  readonly #feed: ReadingFeed;
  readonly #survivors: Survivors;
  readonly #onFinding: LeakWatchOptions['onFinding'];
  readonly #told = new Map<string, Told>();
  readonly #growth = new Map<string, string>();
  readonly #now: () => number;
  #history: (() => Promise<HistoryCurve>) | undefined;
  #lookAt = 0;
  #roomBytes: number;
  #usedRatio = 0;

  constructor(options: LeakWatchOptions) {
    const { roster } = options;
    this.#now = options.now ?? (() => performance.now());
    this.#history = options.history;
    this.#roomBytes = options.budgetBytes;
    this.#onFinding = options.onFinding;
    this.#detector = new Detector({ budgetBytes: options.budgetBytes });
    this.#feed = new ReadingFeed(this.#detector, {
      requests: () => roster.totals().reduce((sum, total) => sum + total.opened, 0),
      attributedBytes: options.attributedBytes,
      ...(options.now !== undefined && { uptimeMs: options.now }),
    });
    this.#survivors = new Survivors({
      source: roster,
      ...(options.now !== undefined && { clock: { monotonic: options.now } }),
      ...(options.mayProbe && { probe: new ForcedGc(probe) }),
    });
  }

  /** Channels that statistics suspect of growing: a pair of snapshots could tell. */
  get growing(): Detector['growing'] {
    return this.#detector.growing;
  }

  take(reading: Reading): void {
    this.#learn();
    this.#roomBytes = reading.limit - reading.used;
    this.#usedRatio = reading.used / reading.limit;
    this.#feed.take(reading);
    for (const finding of this.#detector.findings) this.#tellGrowth(finding);
    if (reading.at < this.#lookAt) return;
    this.#lookAt = reading.at + lookMs;
    this.#survivors.inspect({ loopUtilization: reading.loopUtilization, heapBytes: reading.heapUsed });
    this.#tellConfirmed(reading.at);
  }

  /** The process ends right after a collection: what is still watched then is decided, for nothing comes later. */
  conclude(): void {
    this.#survivors.conclude();
    this.#tellConfirmed(Date.now());
  }

  /** Growth that only the series shows is no alarm: it waits for a snapshot or for survivors. */
  #tellGrowth(finding: Finding): void {
    const { fingerprint, severity } = finding;
    if (this.#growth.get(fingerprint) === severity) return;
    this.#growth.set(fingerprint, severity);
    this.#onFinding({ ...finding, severity: 'low' });
  }

  #tellConfirmed(at: number): void {
    for (const group of this.#survivors.list()) if (group.state === 'confirmed') this.#tell(group, at);
  }

  #tell(group: SurvivorGroup, at: number): void {
    const { fingerprint, alive, kind, label, example, closedAt } = group;
    const told = this.#told.get(fingerprint);
    if (told?.alive === alive) return;
    if (told === undefined) this.#told.set(fingerprint, { since: at, from: alive, alive, bytesEach: 0 });
    else told.alive = alive;
    const subject = survivorSubject(kind, label);
    const finding: Finding = {
      id: `F-${createHash('sha256').update(fingerprint).digest('hex').slice(0, 6)}`,
      kind: 'survivor',
      severity: 'medium',
      scope: example,
      fingerprint,
      firstSeen: closedAt,
      lastSeen: at,
      count: alive,
      bytes: 0,
      subject,
      fix: `let go of ${subject}: a map entry, a listener, a timer or a promise that never settles still holds it.`,
    };
    this.#onFinding(this.#weighed(finding, at));
  }

  /** A finding about survivors with the bytes that one of them retains, as a snapshot showed: with them come pace, forecast and severity. */
  weigh(finding: Finding, bytesEach: number): Finding {
    const told = this.#told.get(finding.fingerprint);
    if (told !== undefined) told.bytesEach = bytesEach;
    return this.#weighed(finding, finding.lastSeen);
  }

  #weighed(finding: Finding, at: number): Finding {
    const told = this.#told.get(finding.fingerprint);
    if (told === undefined) return finding;
    const { bytesEach, alive, from, since } = told;
    const [roomBytes, usedRatio] = [this.#roomBytes, this.#usedRatio];
    return {
      ...finding,
      ...weighSurvivors({ bytesEach, alive, gained: alive - from, overMs: at - since, roomBytes, usedRatio }),
    };
  }

  #learn(): void {
    if (this.#history === undefined || this.#now() < learnAfterMs) return;
    const read = this.#history;
    this.#history = undefined;
    // No ledger yet, or one that cannot be read: then nothing is known from before.
    void read().then(
      (curve) => this.#detector.learn(curve),
      () => undefined,
    );
  }
}
