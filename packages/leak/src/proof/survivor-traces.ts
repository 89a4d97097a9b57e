import type { Finding } from '../findings/finding.ts';
import type { AnalysisOptions } from './analysis-process.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { foldSurvivors, rowOf, withPath } from './survivor-merge.ts';
import type { Capture } from './growth-record.ts';
import type { WatchedTrace } from './watched-trace.ts';

export interface SurvivorTracesOptions {
  /** A snapshot not older than this, ms since the epoch: the newest existing one, or one taken now. */
  readonly snapshotSince: (since: number) => Capture | undefined;
  /** Adds to a finding the bytes that one of its survivors retains. */
  readonly weigh: (finding: Finding, bytesEach: number) => Finding;
  readonly onFinding: (finding: Finding) => void;
  /** Analyses a snapshot in another process. */
  readonly analyze: (capture: Capture, options: AnalysisOptions) => Promise<SnapshotAnalysis | undefined>;
}

/** A refused snapshot is tried again after this time, because the machine may be less busy or the heap smaller. */
const retryMs = 10_000;

/**
 * Finds the holders of survivors, which are already confirmed. One snapshot gives the paths of all survivors of one check. One other
 * process at a time analyses it. A fingerprint is traced once, and later updates keep its path.
 */
export class SurvivorTraces {
  readonly #options: SurvivorTracesOptions;
  readonly #known = new Map<string, Finding>();
  readonly #rows: WatchedTrace[] = [];
  #waiting: Finding[] = [];
  /** Fingerprints whose snapshot was refused, and the time of the next try. */
  readonly #refused = new Set<string>();
  #retryAt = 0;
  #turn: NodeJS.Immediate | undefined;
  #isReading = false;

  constructor(options: SurvivorTracesOptions) {
    this.#options = options;
  }

  /** Takes a survivor. It is published at once, and again when its path is known. */
  take(finding: Finding): void {
    const { fingerprint } = finding;
    const isNew = !this.#known.has(fingerprint);
    this.#known.set(fingerprint, finding);
    this.#tell([finding]);
    if (!isNew) return;
    this.#waiting.push(finding);
    // All survivors of the same check are in the same snapshot.
    this.#turn ??= setImmediate(() => void this.#read()).unref();
  }

  /** Tries a refused snapshot again; called with every reading. */
  retry(now: number): void {
    if (this.#refused.size === 0 || now < this.#retryAt) return;
    for (const fingerprint of this.#refused) {
      const finding = this.#known.get(fingerprint);
      if (finding !== undefined) this.#waiting.push(finding);
    }
    this.#refused.clear();
    this.#turn ??= setImmediate(() => void this.#read()).unref();
  }

  stop(): void {
    clearImmediate(this.#turn);
    this.#waiting = [];
  }

  async #read(): Promise<void> {
    this.#turn = undefined;
    if (this.#isReading || this.#waiting.length === 0) return;
    this.#isReading = true;
    const survived = this.#waiting;
    this.#waiting = [];
    try {
      const capture = this.#options.snapshotSince(Math.max(...survived.map(({ firstSeen }) => firstSeen)));
      if (capture === undefined) this.#refuse(survived);
      const analysis = capture && (await this.#options.analyze(capture, { survived }));
      this.#rows.push(...(analysis?.watched ?? []));
      this.#tell(survived);
    } catch {
      // A full disk or a V8 that refuses: the finding stays without its path.
    } finally {
      this.#isReading = false;
    }
    await this.#read();
  }

  #refuse(survived: readonly Finding[]): void {
    for (const { fingerprint } of survived) this.#refused.add(fingerprint);
    this.#retryAt = Date.now() + retryMs;
  }

  /** Publishes findings with their path, or as part of another one. */
  #tell(findings: readonly Finding[]): void {
    const told = new Set(findings.map(({ fingerprint }) => fingerprint));
    const traced = [...this.#known.values()].map((finding) => this.#traced(finding));
    for (const finding of foldSurvivors(traced, this.#rows))
      if (told.has(finding.fingerprint)) this.#options.onFinding(finding);
  }

  #traced(finding: Finding): Finding {
    const row = rowOf(finding, this.#rows);
    return row === undefined ? finding : withPath(this.#options.weigh(finding, row.retainedBytes), row);
  }
}
