import { createHash } from 'node:crypto';
import type { Roster } from '@plimsoll/core';
import { Detector, ProbeGc, ReadingFeed, Survivors } from '@plimsoll/core/detect';
import type { Finding, SurvivorGroup } from '@plimsoll/core/detect';
import type { Reading } from '@plimsoll/core/sense';

export interface DetectionOptions {
  readonly roster: Roster;
  /** Bytes that the process may reach. */
  readonly budgetBytes: number;
  readonly attributedBytes: () => number;
  /** Whether a GC may be forced to be sure. */
  readonly mayProbe: boolean;
  /** Monotonic ms; default `performance.now`. */
  readonly now?: () => number;
  /** `label` is that of the watch, for survivors. */
  readonly onFinding: (finding: Finding, label?: string) => void;
}

/** Survivors are looked for this often: closed scopes of a young process must not wait for the minute of the growth channels. */
const lookMs = 5000;
const probeIntervalMs = 30_000;

/** The detector of a governed process: growth by the hour, survivors by the second. */
export class Detection {
  readonly #detector: Detector;
  readonly #feed: ReadingFeed;
  readonly #survivors: Survivors;
  readonly #onFinding: DetectionOptions['onFinding'];
  readonly #told = new Map<string, number>();
  readonly #growth = new Map<string, string>();
  #lookAt = 0;

  constructor(options: DetectionOptions) {
    const { roster } = options;
    this.#onFinding = options.onFinding;
    this.#detector = new Detector({ budgetBytes: options.budgetBytes });
    this.#feed = new ReadingFeed(this.#detector, {
      requests: () => roster.totals().reduce((sum, total) => sum + total.opened, 0),
      attributedBytes: options.attributedBytes,
      ...(options.now !== undefined && { uptimeMs: options.now }),
    });
    this.#survivors = new Survivors({
      source: roster,
      ...(options.now !== undefined && { now: options.now }),
      ...(options.mayProbe && { probe: new ProbeGc({ intervalMs: probeIntervalMs }) }),
    });
  }

  /** What statistics suggest and nothing confirmed: a snapshot could tell. */
  get isSuspicious(): boolean {
    return this.#detector.suspicions.length > 0 || this.#detector.isLeaking;
  }

  take(reading: Reading): void {
    this.#feed.take(reading);
    for (const finding of this.#detector.findings) this.#tellGrowth(finding);
    if (reading.at < this.#lookAt) return;
    this.#lookAt = reading.at + lookMs;
    this.#survivors.inspect({ loopUtilization: reading.loopUtilization, heapBytes: reading.heapUsed });
    for (const group of this.#survivors.list())
      if (group.state === 'confirmed') this.#tell(group, reading.at);
  }

  /** Growth that only the series shows is no alarm: it waits for a snapshot or for survivors. */
  #tellGrowth(finding: Finding): void {
    const { fingerprint, severity } = finding;
    if (this.#growth.get(fingerprint) === severity) return;
    this.#growth.set(fingerprint, severity);
    this.#onFinding({ ...finding, severity: 'low' });
  }

  #tell(group: SurvivorGroup, at: number): void {
    const { fingerprint, alive, kind, label, example, closedAt } = group;
    if (this.#told.get(fingerprint) === alive) return;
    this.#told.set(fingerprint, alive);
    const what = label === 'scope' ? `the closed ${kind}` : `"${label}" of the closed ${kind}`;
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
      fix: `let go of ${what}: a map entry, a listener, a timer or a promise that never settles still holds it.`,
    };
    this.#onFinding(finding, label);
  }
}
