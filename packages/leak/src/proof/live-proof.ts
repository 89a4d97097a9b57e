import type { Reading } from '@plimsoll/core/internal/sense/reading';
import type { Finding } from '../findings/finding.ts';
import { ShortRun } from '../judge/short-run.ts';
import type { Channel } from '../judge/verdict.ts';
import { runAnalysis } from './analysis-process.ts';
import type { AnalysisOptions } from './analysis-process.ts';
import type { Capture, GrowthRecord, RecordedChannel } from './growth-record.ts';
import type { GrowthRecorder } from './growth-recorder.ts';
import { GrowthPairs } from './pair.ts';
import type { GrowthPairsOptions } from './pair.ts';
import { proofOf } from './proof.ts';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
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
  /** Told when growth that a path explained is over. */
  readonly onOver: (fingerprint: string) => void;
  /** Told when a path explains the growth of a channel: the finding about the channel alone is no longer needed. */
  readonly onExplained: (channel: Channel) => void;
  /** Told what open scopes retain in a snapshot, and when it was taken. */
  readonly onScopes?: ((scopes: SnapshotAnalysis['sample'], at: number) => void) | undefined;
}

/** Until this age a cache that fills cannot be told from a leak: what grows is a suspicion with its path. */
const youngMs = 180_000;
/** Growth that was told is judged again this often. */
const reviewMs = 10_000;

function isYoung({ at, startedAt }: GrowthRecord): boolean {
  return at - startedAt < youngMs;
}

function asSuspicion(finding: Finding): Finding {
  return { ...finding, severity: finding.severity === 'info' ? 'info' : 'low' };
}

/** Names who holds what is suspected, by snapshots that another process reads while the program runs. */
export class LiveProof {
  readonly #options: LiveProofOptions;
  readonly #pairs: GrowthPairs;
  readonly #traces: SurvivorTraces;
  readonly #explained = new Set<Channel>();
  /** What the pair of the recorder explained, by channel. */
  readonly #young = new Map<RecordedChannel, readonly Finding[]>();
  #reviewAt = 0;

  constructor(options: LiveProofOptions) {
    const { dir, maxPauseMs, recorder, growing, weigh, onFinding } = options;
    this.#options = options;
    this.#pairs = new GrowthPairs({
      dir,
      maxPauseMs,
      growing,
      record: () => recorder.record,
      analyze: (last, first) => this.#read(last, first, {}),
      onProof: (channel, findings) => this.#tell(channel, findings),
    });
    this.#traces = new SurvivorTraces({
      snapshotSince: (since) => recorder.snapshotSince(since),
      weigh,
      onFinding,
      analyze: (capture, asked) => this.#read(capture, null, asked),
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
    this.#traces.retry(reading.at);
    if (this.#young.size === 0 || reading.at < this.#reviewAt) return;
    this.#reviewAt = reading.at + reviewMs;
    this.#review(this.#options.recorder.record);
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
    const analysis = await this.#read(last, first, { isNative });
    const { verdict, findings } = proofOf(record, analysis);
    const [grown] = new ShortRun(channels).with('leak');
    if (verdict === 'leak' && grown !== undefined) {
      this.#young.set(grown.channel, findings);
      this.#reviewAt = record.at + reviewMs;
      this.#tell(grown.channel, isYoung(record) ? findings.map(asSuspicion) : findings);
    } else for (const finding of findings) this.#options.onFinding(finding);
  }

  /** Has snapshots read elsewhere. What the last one says of open scopes is passed on. */
  async #read(
    last: Capture,
    first: Capture | null,
    asked: AnalysisOptions,
  ): Promise<SnapshotAnalysis | undefined> {
    const analysis = await runAnalysis(last, first, { ...asked, isGuest: true });
    if (analysis !== undefined) this.#options.onScopes?.(analysis.sample, last.at);
    return analysis;
  }

  /** Growth that came to rest is taken back. Growth that went on past the age of caches that fill is told as what it is. */
  #review(record: GrowthRecord): void {
    for (const [channel, findings] of this.#young) {
      const { shape } = record.channels[channel];
      if (shape === 'ended' || shape === 'flat') {
        this.#young.delete(channel);
        this.#explained.delete(channel);
        for (const { fingerprint } of findings) this.#options.onOver(fingerprint);
      } else if (shape === 'growing' && !isYoung(record)) {
        this.#young.delete(channel);
        this.#tell(
          channel,
          findings.map((finding) => ({ ...finding, lastSeen: record.at })),
        );
      }
    }
  }

  #tell(channel: Channel, findings: readonly Finding[]): void {
    this.#explained.add(channel);
    for (const finding of findings) this.#options.onFinding(finding);
    this.#options.onExplained(channel);
  }
}
