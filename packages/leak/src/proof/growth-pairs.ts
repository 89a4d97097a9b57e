import type { Finding } from '../findings/finding.ts';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { SnapshotAnalysis } from './snapshot-analysis.ts';
import { PairSchedule } from './pair-schedule.ts';
import type { Lead, Pair, PairScheduleOptions } from './pair-schedule.ts';
import { takeSnapshot } from './capture.ts';
import type { Capture, Channel, GrowthRecord } from './growth-record.ts';

export { SurvivorTraces } from './survivor-traces.ts';

export interface GrowthPairsOptions {
  readonly dir: string;
  readonly maxPauseMs: number;
  /** What the detector suspects of growing. */
  readonly leads: () => readonly (Lead & { readonly growthBytes: number })[];
  /** What the recorder saw, on which a proof builds. */
  readonly record: () => GrowthRecord;
  readonly onFinding: (finding: Finding) => void;
  /** Reads two snapshots elsewhere; default another process. */
  readonly analyze?: (last: Capture, first: Capture) => Promise<SnapshotAnalysis | undefined>;
  /** Monotonic ms since the process began. */
  readonly now?: () => number;
  readonly limits?: Pick<PairScheduleOptions, 'fromMs' | 'pairMs' | 'patienceMs' | 'cooldownMs'>;
}

const lookMs = 60_000;

/** Has the growth that the detector suspects proved by two snapshots while the program runs; nobody is paged before. */
export class GrowthPairs {
  readonly #options: GrowthPairsOptions;
  readonly #pair: PairSchedule;
  readonly #now: () => number;
  #lookAt = 0;

  constructor(options: GrowthPairsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#pair = new PairSchedule({
      take: (name, heapBytes) => takeSnapshot(options.dir, name, options.maxPauseMs, heapBytes),
      remove: ({ file }) => removeFile(file),
      ...options.limits,
    });
  }

  /** Once a minute, from a reading; resolves when a pair, if there was one, has been read. */
  async take(reading: Reading): Promise<void> {
    const now = this.#now();
    if (now < this.#lookAt || reading.floor === undefined) return;
    this.#lookAt = now + lookMs;
    try {
      const pair = this.#pair.pursue(this.#options.leads(), now, reading.at, reading.floor);
      if (pair !== undefined) await this.#proofOf(pair);
    } catch {
      // A full disk or a V8 that refuses: the suspicion stays one.
    }
  }

  stop(): void {
    this.#pair.stop();
  }

  async #proofOf(pair: Pair): Promise<void> {
    const { first, last } = pair;
    try {
      const analyze = this.#options.analyze ?? runAnalysis;
      const analysis = await analyze(last, first);
      const { proofOf } = await import('./proof.ts');
      const { verdict, findings } = proofOf(this.#record(pair), analysis);
      if (verdict === 'leak') for (const finding of findings) this.#options.onFinding(finding);
    } finally {
      removeFile(first.file);
      removeFile(last.file);
    }
  }

  #record({ lead, first, last, suspectedAt }: Pair): GrowthRecord {
    const seen = this.#options.record();
    const channel: Channel = lead.channel === 'population' ? 'heap' : (lead.channel as Channel);
    const known = this.#options.leads().find(({ fingerprint }) => fingerprint === lead.fingerprint);
    const gained = last.heapBytes - first.heapBytes;
    const growthBytes = channel === 'heap' ? gained : (known?.growthBytes ?? gained);
    const growing = { ...seen.channels[channel], shape: 'growing' as const, growthBytes };
    return {
      ...seen,
      // The pace is that of the pair, not of the whole life.
      startedAt: first.at,
      at: last.at,
      channels: { ...seen.channels, [channel]: growing },
      suspectedAt,
      first,
      last,
      floors: [first.heapBytes, last.heapBytes],
    };
  }
}

async function runAnalysis(last: Capture, first: Capture): Promise<SnapshotAnalysis | undefined> {
  const elsewhere = await import('./analysis-process.ts');
  return elsewhere.runAnalysis(last, first, { isGuest: true });
}
