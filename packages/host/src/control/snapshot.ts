import { join } from 'node:path';
import { approval } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalPolicy } from '@plimsoll/govern/internal/policy/sections/approvals';
import { failure } from '@plimsoll/core/internal/errors';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { formatByteSize, formatDuration } from '@plimsoll/core/units';
import { captureToFile } from '@plimsoll/heap/internal/capture/capture';
import { predictCapture, type CaptureGuardOptions } from '@plimsoll/heap/internal/capture/guard';
import type { CapturePrediction } from '@plimsoll/heap/internal/capture/prediction';
import type { SnapshotAnswer, SnapshotJob } from '../protocol/api.ts';
import type { ControlOps } from '../protocol/control.ts';

/** Snapshot files of this process that stay on disk. */
const mostFiles = 2;
/** A prediction is reused for this long, because making one may count the objects of the heap, which stops the process for a moment. */
const predictionMs = 10_000;
/** Longest wait for an approval. The deadline of the policy usually comes first. */
const approvalMs = 30 * 60_000;

interface SnapshotDeskOptions extends Pick<CaptureGuardOptions, 'memory'> {
  /** Folder of the files. */
  readonly dir: string;
  /** Called at every snapshot, so that a new policy counts at once. */
  readonly approvals: () => ApprovalPolicy;
}

/**
 * Heap snapshots that the owner of the process asks for. One is taken at a time. The capture guard refuses what does not fit into the free
 * memory. Where the policy wants a second person to agree to critical operations, the snapshot waits for an approval. Where the owner
 * decides alone, the request is enough.
 */
export class SnapshotDesk {
  readonly #options: SnapshotDeskOptions;
  readonly #files: string[] = [];
  #job: SnapshotJob | null = null;
  #count = 0;
  #prediction: { readonly value: CapturePrediction; readonly until: number } | undefined;

  constructor(options: SnapshotDeskOptions) {
    this.#options = options;
  }

  async state(): Promise<SnapshotAnswer> {
    const { objects, neededBytes, stopMs, freeBytes, fits } = await this.#predict();
    return { prediction: { objects, neededBytes, stopMs, freeBytes, fits }, job: this.#job };
  }

  /** Starts a snapshot and answers at once. `state` reports its progress. */
  async take(): Promise<SnapshotAnswer> {
    if (this.#isBusy()) throw failure('PLM_SNAPSHOT_BUSY', { state: this.#job?.state ?? 'taking' });
    const id = ++this.#count;
    this.#job = {
      id,
      at: Date.now(),
      state: 'waiting',
      file: null,
      fileBytes: null,
      stopMs: null,
      error: null,
    };
    void this.#run();
    return this.state();
  }

  #isBusy(): boolean {
    return this.#job !== null && (this.#job.state === 'waiting' || this.#job.state === 'taking');
  }

  async #run(): Promise<void> {
    const job = this.#job as SnapshotJob;
    try {
      const { objects, neededBytes, stopMs } = await this.#predict();
      if (needsSomebodyElse(this.#options.approvals()))
        await approval('operation', {
          name: 'heap snapshot',
          critical: true,
          why: `the owner asks for a heap snapshot. It stops the process for about ${formatDuration(stopMs)}.`,
          evidence: { objects, needed: formatByteSize(neededBytes) },
          args: { id: job.id },
          waitMs: approvalMs,
        });
      this.#job = { ...job, state: 'taking' };
      makeOwnFolder(this.#options.dir);
      const file = join(this.#options.dir, `${process.pid}.asked-${job.id}.heapsnapshot`);
      const { memory } = this.#options;
      const taken = await captureToFile(file, memory === undefined ? {} : { memory });
      this.#files.push(file);
      while (this.#files.length > mostFiles) removeFile(this.#files.shift() as string);
      this.#job = {
        ...job,
        state: 'done',
        file,
        fileBytes: taken.fileBytes,
        stopMs: Math.round(taken.stopMs),
      };
    } catch (error) {
      this.#job = { ...job, state: 'failed', error: errorOf(error) };
    }
  }

  async #predict(): Promise<CapturePrediction> {
    const now = performance.now();
    if (this.#prediction !== undefined && now < this.#prediction.until) return this.#prediction.value;
    const { memory } = this.#options;
    const value = await predictCapture(memory === undefined ? {} : { memory });
    this.#prediction = { value, until: now + predictionMs };
    return value;
  }
}

/** True when the owner alone may not decide about operations. */
function needsSomebodyElse({ operations, rules }: ApprovalPolicy): boolean {
  const rule = operations === undefined ? undefined : rules[operations.approval];
  return rule !== undefined && (rule.quorum > 1 || !rule.by.includes('owner'));
}

function errorOf(error: unknown): NonNullable<SnapshotJob['error']> {
  const { code, message, fix } = error as { code?: unknown; message?: unknown; fix?: unknown };
  return {
    code: typeof code === 'string' ? code : 'PLM_CONTROL_FAILED',
    message: typeof message === 'string' ? message : String(error),
    fix: typeof fix === 'string' ? fix : 'try again; look at the log of the process.',
  };
}

/** `snapshot.state` and `snapshot.take`, both without arguments. */
export function snapshotOps(desk: SnapshotDesk): ControlOps {
  return { 'snapshot.state': () => desk.state(), 'snapshot.take': () => desk.take() };
}
