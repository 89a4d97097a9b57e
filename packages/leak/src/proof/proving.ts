import type { Finding } from '../findings/finding.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { GrowthRecord } from './growth-record.ts';
import type { GrowthRecorder } from './growth-recorder.ts';
import type { LeakWatch } from '../leak-watch.ts';
import type { FindingLog } from '../findings/finding-log.ts';
import type * as GrowthPairsModule from './growth-pairs.ts';
import type { GrowthPairs } from './growth-pairs.ts';
import type { SurvivorTraces } from './survivor-traces.ts';

export interface ProvingOptions {
  /** Loaded by the host only where the program may be stopped for a snapshot. */
  readonly parts: {
    readonly recorder?: GrowthRecorder | undefined;
    readonly pairs?: typeof GrowthPairsModule | undefined;
  };
  readonly dir: string;
  readonly maxPauseMs: number;
  readonly detection: LeakWatch;
  readonly findings: FindingLog;
}

/** What is made of a suspicion: who holds it, by snapshots that another process reads. Without a recorder findings are told as they are. */
export class Proving {
  readonly #recorder: GrowthRecorder | undefined;
  readonly #detection: LeakWatch;
  readonly #findings: FindingLog;
  readonly #pairs: GrowthPairs | undefined;
  readonly #traces: SurvivorTraces | undefined;

  constructor({ parts, dir, maxPauseMs, detection, findings }: ProvingOptions) {
    const { recorder, pairs } = parts;
    this.#recorder = recorder;
    this.#detection = detection;
    this.#findings = findings;
    if (recorder === undefined || pairs === undefined) return;
    const onFinding = (finding: Finding): void => findings.publish(finding);
    this.#pairs = new pairs.GrowthPairs({
      dir,
      maxPauseMs,
      leads: () => detection.growing,
      record: () => recorder.record,
      onFinding,
    });
    this.#traces = new pairs.SurvivorTraces({
      snapshotSince: (since) => recorder.snapshotSince(since),
      weigh: (finding, bytesEach) => detection.weigh(finding, bytesEach),
      onFinding,
    });
  }

  start(): void {
    this.#recorder?.onPair((record) => void this.#proofOf(record));
    this.#recorder?.onEnd(() => this.#end());
  }

  /** What survived a closed scope is confirmed already; where a snapshot may be taken it names who holds it. */
  found(finding: Finding): void {
    if (finding.kind === 'survivor' && this.#traces !== undefined) this.#traces.take(finding);
    else this.#findings.publish(finding);
  }

  take(reading: Reading): void {
    void this.#pairs?.take(reading);
  }

  stop(): void {
    this.#pairs?.stop();
    this.#traces?.stop();
  }

  /** The process ends: what outlived its scope and has no path yet is to be found in a last snapshot, by whoever reads that. */
  #end(): void {
    this.#detection.conclude();
    const untraced = this.#findings.rows.filter(
      (each) => each.kind === 'survivor' && each.trace === undefined,
    );
    if (untraced.length > 0) this.#recorder?.want(Math.max(...untraced.map(({ firstSeen }) => firstSeen)));
  }

  /** Two snapshots are there while the program runs: only what they say becomes a finding. */
  async #proofOf(record: GrowthRecord): Promise<void> {
    const { runAnalysis } = await import('./analysis-process.ts');
    const { proofOf } = await import('./proof.ts');
    const { first, last } = record;
    if (last === null) return;
    const isNative = record.channels.native.shape === 'growing';
    const analysis = await runAnalysis(last, first, { isNative, isGuest: true });
    for (const finding of proofOf(record, analysis).findings) this.#findings.publish(finding);
  }
}
