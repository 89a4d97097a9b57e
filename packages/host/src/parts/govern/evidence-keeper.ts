import { join } from 'node:path';
import { formatByteSize } from '@plimsoll/core/units';
import type { EvidenceAnswer, EvidenceRequest } from '@plimsoll/govern/internal/actions/levers';
import { sampleAllocationSites } from '@plimsoll/core/internal/sense/allocation-sites';
import type { AllocationSites } from '@plimsoll/core/internal/sense/allocation-sites';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import type { Frame } from '../../protocol/frame.ts';
import type { GrowthRecorder } from '@plimsoll/leak/internal/proof/growth-recorder';

const mostFiles = 4;
/** Share of the allowed time in which allocations are sampled. Reading the samples and a snapshot need the rest. */
const sampleRatio = 0.4;

interface EvidenceKeeperOptions {
  readonly dir: string;
  readonly frame: () => Frame | undefined;
  readonly recorder: Pick<GrowthRecorder, 'snapshotSince' | 'record'> | undefined;
}

/** Writes the evidence of an incident: one file with counters and allocation sites, and a snapshot where it fits. */
export class EvidenceKeeper {
  readonly #options: EvidenceKeeperOptions;
  readonly #files: string[] = [];
  #count = 0;

  constructor(options: EvidenceKeeperOptions) {
    this.#options = options;
  }

  /** Collects the evidence within the time of the request. Parts that are not ready by then are left out, and the text says so. */
  async keep(request: EvidenceRequest): Promise<EvidenceAnswer> {
    const { recorder, dir, frame } = this.#options;
    const sites = await sitesWithin(request);
    const capture =
      request.snapshot === 'never' || request.signal.aborted ? undefined : recorder?.snapshotSince();
    const file = join(dir, `${process.pid}.evidence-${++this.#count}.json`);
    const body = { v: 1, at: Date.now(), scope: request.scope, frame: frame() ?? null, sites: sites ?? null };
    replaceFile(file, JSON.stringify(body));
    this.#files.push(file);
    if (this.#files.length > mostFiles) removeFile(this.#files.shift() as string);
    const parts = [
      sites === undefined ? 'counters' : `counters and ${sites.sites.length} allocation sites`,
      `in ${file}`,
      capture === undefined ? this.#why(request) : `with the snapshot ${capture.file}`,
    ];
    return {
      text: `kept ${parts.join(' ')}.`,
      files: capture === undefined ? [file] : [file, capture.file],
    };
  }

  /** The reason why there is no snapshot. */
  #why({ snapshot, signal }: EvidenceRequest): string {
    const { recorder } = this.#options;
    if (snapshot === 'never' || recorder === undefined) return 'without a snapshot';
    if (signal.aborted) return 'without a snapshot: there was no time';
    const { refused } = recorder.record;
    if (refused === null) return 'without a snapshot: this process may not be stopped for one';
    return refused.for === 'memory'
      ? `without a snapshot: it needs ${formatByteSize(refused.neededBytes)} and ${formatByteSize(refused.freeBytes)} are free`
      : `without a snapshot: it would stop the process for ${refused.stopMs} ms and ${refused.maxStopMs} ms are allowed`;
  }
}

async function sitesWithin(request: EvidenceRequest): Promise<AllocationSites | undefined> {
  try {
    return await sampleAllocationSites({
      durationMs: Math.max(10, sampleRatio * request.timeoutMs),
      intervalBytes: 128 * 1024,
      top: 30,
      signal: request.signal,
    });
  } catch {
    // Another sampling runs, or the inspector is taken. The counters alone are evidence, too.
    return undefined;
  }
}
