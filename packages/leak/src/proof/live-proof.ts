import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Finding } from '../findings/finding.ts';
import { ShortRun } from '../judge/short-run.ts';
import type { Channel } from '../judge/verdict.ts';
import { runAnalysis } from './analysis-process.ts';
import type { GrowthRecord } from './growth-record.ts';
import type { GrowthRecorder } from './growth-recorder.ts';
import { GrowthPairs } from './pair.ts';
import type { GrowthPairsOptions } from './pair.ts';
import { proofOf } from './proof.ts';
import { SurvivorTraces } from './survivor-traces.ts';
import type { SurvivorTracesOptions } from './survivor-traces.ts';

export interface LiveProofOptions {
  readonly dir: string;
  readonly maxPauseMs: number;
  readonly recorder: GrowthRecorder;
  /** What the long run suspects of growing. */
  readonly growing: GrowthPairsOptions['growing'];
  /** A finding with the bytes that one of its survivors retains. */
  readonly weigh: SurvivorTracesOptions['weigh'];
  readonly onFinding: (finding: Finding) => void;
  /** Told when a path explains the growth of a channel: the finding about the channel alone is no longer needed. */
  readonly onExplained: (channel: Channel) => void;
}

/** Names who holds what is suspected, by snapshots that another process reads while the program runs. */
export class LiveProof {
  readonly #options: LiveProofOptions;
  readonly #pairs: GrowthPairs;
  readonly #traces: SurvivorTraces;
  readonly #explained = new Set<Channel>();

  constructor(options: LiveProofOptions) {
    const { dir, maxPauseMs, recorder, growing, weigh, onFinding } = options;
    this.#options = options;
    this.#pairs = new GrowthPairs({
      dir,
      maxPauseMs,
      growing,
      record: () => recorder.record,
      onProof: (channel, findings) => this.#tell(channel, findings),
    });
    this.#traces = new SurvivorTraces({
      snapshotSince: (since) => recorder.snapshotSince(since),
      weigh,
      onFinding,
    });
  }

  /** Whether a path explains the growth of a channel. */
  hasExplained(channel: Channel): boolean {
    return this.#explained.has(channel);
  }

  /** Has the path of a survivor found. */
  trace(finding: Finding): void {
    this.#traces.take(finding);
  }

  take(reading: Reading): void {
    void this.#pairs.take(reading);
  }

  stop(): void {
    this.#pairs.stop();
    this.#traces.stop();
  }

  /** Reads the pair of snapshots that the recorder took in the first half hour. Only what they explain becomes a finding. */
  async prove(record: GrowthRecord): Promise<void> {
    const { first, last, channels } = record;
    if (last === null) return;
    const isNative = channels.native.shape === 'growing';
    const analysis = await runAnalysis(last, first, { isNative, isGuest: true });
    const { verdict, findings } = proofOf(record, analysis);
    const [grown] = new ShortRun(channels).with('leak');
    if (verdict === 'leak' && grown !== undefined) this.#tell(grown.channel, findings);
    else for (const finding of findings) this.#options.onFinding(finding);
  }

  #tell(channel: Channel, findings: readonly Finding[]): void {
    this.#explained.add(channel);
    for (const finding of findings) this.#options.onFinding(finding);
    this.#options.onExplained(channel);
  }
}
