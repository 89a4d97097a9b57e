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
  readonly recorder: Pick<GrowthRecorder, 'record' | 'snapshotSince'>;
  /** The channels that the long run suspects. */
  readonly growing: GrowthPairsOptions['growing'];
  /** Adds to a finding the bytes that one of its survivors retains. */
  readonly weigh: SurvivorTracesOptions['weigh'];
  readonly onFinding: (finding: Finding) => void;
  /** Called when growth that a path explained is over. */
  readonly onOver: (fingerprint: string) => void;
  /** Called when a path explains the growth of a channel, so that the finding about the channel alone is not needed any more. */
  readonly onExplained: (channel: Channel) => void;
  /** Called with the bytes that open scopes retain in a snapshot, and with its time. */
  readonly onScopes?: ((scopes: SnapshotAnalysis['sample'], at: number) => void) | undefined;
}

/** Until this age a cache that fills up cannot be distinguished from a leak, so growth is only a suspicion with a path. */
const youngMs = 180_000;
/** Interval of judging published growth again. */
const reviewMs = 10_000;

function isYoung({ at, startedAt }: GrowthRecord): boolean {
  return at - startedAt < youngMs;
}

function asSuspicion(finding: Finding): Finding {
  return { ...finding, severity: finding.severity === 'info' ? 'info' : 'low' };
}

/** Names the holders of suspected objects, by snapshots that another process reads while the program runs. */
export class LiveProof {
  readonly #options: LiveProofOptions;
  readonly #pairs: GrowthPairs;
  readonly #traces: SurvivorTraces;
  readonly #explained = new Set<Channel>();
  /** Findings from the recorder's pair, by channel. */
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

  /** Starts the search for the path of a survivor. */
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

  /** Reads the pair of snapshots that the recorder took in the first half hour. Only explained growth becomes a finding. */
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

  /** Analyses snapshots in another process. The bytes of open scopes in the last one are passed on. */
  async #read(
    last: Capture,
    first: Capture | null,
    asked: AnalysisOptions,
  ): Promise<SnapshotAnalysis | undefined> {
    const analysis = await runAnalysis(last, first, { ...asked, isGuest: true });
    if (analysis !== undefined) this.#options.onScopes?.(analysis.sample, last.at);
    return analysis;
  }

  /** Withdraws growth that has stopped. Growth that continues past the age of filling caches is published as a leak. */
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
