import { channel } from 'node:diagnostics_channel';
import { getHeapStatistics } from 'node:v8';
import { formatByteSize } from '@plimsoll/core/units';
import { countOption } from '@plimsoll/keep/internal/bound';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import type { StageRow } from '@plimsoll/core/internal/stage-row';
import { audienceHere, hearAll, runBefore } from './audience.ts';
import type { Audience, StageEnd } from './audience.ts';
import type { CallAttachments } from './left-behind.ts';
import type { StageMemory } from './stage-memory.ts';

export interface MemoryTrackerOptions {
  /** Follows listeners and timers of the calls, default true. */
  readonly attachments?: boolean;
  /** Most calls that are kept individually, for the waterfall; default 1,000. Older ones stay in the sums. */
  readonly maxCalls?: number;
  /** Collects the heap at the beginning and in `finish`, so that `growth` counts live bytes. Default false. */
  readonly collect?: boolean;
}

/** The rows of a finished tracker. */
const finishedChannel = channel('plimsoll:stages');
const sampleMs = 100;
const mostStages = 500;
/** Most calls with leftovers that are checked again later. */
const mostAttached = 1000;

/**
 * The memory of the stages of a pipeline, a request or a whole run. It records every tracked call of the process, or with
 * `tracker.run(work)` only the calls inside of the work, however many others run at the same time. The numbers of calls and stages are
 * bounded.
 */
export class MemoryTracker implements Disposable {
  readonly #rows = new Map<string, { -readonly [K in keyof StageRow]: StageRow[K] }>();
  readonly #calls: StageMemory[] = [];
  readonly #left: CallAttachments[] = [];
  readonly #maxCalls: number;
  readonly #attachments: boolean;
  readonly #collect: (() => void) | undefined;
  readonly #start: number;
  readonly #startedAt = Date.now();
  #leave: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #peak: number;
  #end: number | undefined;

  constructor(options: MemoryTrackerOptions = {}) {
    this.#maxCalls = countOption('MemoryTracker', 'maxCalls', options.maxCalls) ?? 1000;
    this.#attachments = options.attachments ?? true;
    this.#collect = options.collect === true ? exposedGc() : undefined;
    this.#collect?.();
    this.#start = usedNow();
    this.#peak = this.#start;
    this.#leave = hearAll(this.#audience(undefined));
    this.#timer = setInterval(() => this.#sample(), sampleMs).unref();
  }

  /** Highest measured heap and external bytes of the process. */
  get peak(): number {
    this.#sample();
    return this.#peak;
  }

  /** Change of heap and external bytes of the process since the tracker was made. With `collect` it counts only live bytes. */
  get growth(): number {
    return (this.#end ?? usedNow()) - this.#start;
  }

  /** Bytes that the calls kept, by walks of their roots, without garbage and without other requests. */
  get kept(): number {
    return this.rows().reduce((sum, { kept }) => sum + kept, 0);
  }

  /** Listeners that the calls left and that are still attached now. */
  get listeners(): number {
    return this.#left.reduce((sum, call) => sum + call.left().listeners, 0);
  }

  /** Timers that the calls left and that still run now. */
  get timers(): number {
    return this.#left.reduce((sum, call) => sum + call.left().timers, 0);
  }

  /** Runs work whose calls this tracker records. From now on it records no others. */
  run<T>(work: () => T): T {
    this.#leave?.();
    this.#leave = undefined;
    return runBefore(this.#audience(audienceHere()), work);
  }

  /** Stops recording. The figures stay. A governed process writes one ledger entry per stage. */
  finish(): this {
    if (this.#end !== undefined) return this;
    this.#sample();
    this.#collect?.();
    this.#end = usedNow();
    this.#leave?.();
    clearInterval(this.#timer);
    if (finishedChannel.hasSubscribers && this.#rows.size > 0)
      finishedChannel.publish({ startedAt: this.#startedAt, stages: this.rows() });
    return this;
  }

  [Symbol.dispose](): void {
    this.finish();
  }

  /** One row per stage, in the order in which they first ended; stages after the first 500 share the row "(other)". */
  rows(): readonly StageRow[] {
    return [...this.#rows.values()];
  }

  /** The last calls one by one, in the order in which they ended. */
  calls(): readonly StageMemory[] {
    return [...this.#calls];
  }

  /** The rows for a terminal. */
  table(): string {
    const head = ['stage', 'calls', 'failed', 'ms/call', 'peak', 'kept', 'kept/call', 'listeners', 'timers'];
    const lines = this.rows().map((row) => [
      row.stage,
      String(row.calls),
      String(row.failed),
      (row.totalMs / row.calls).toFixed(1),
      formatByteSize(row.peak),
      formatByteSize(row.kept),
      formatByteSize(Math.round(row.kept / row.calls)),
      String(row.listeners),
      String(row.timers),
    ]);
    return aligned([head, ...lines]);
  }

  /** Everything as plain data. */
  toJSON(): {
    readonly startedAt: number;
    readonly peak: number;
    readonly growth: number;
    readonly kept: number;
    readonly listeners: number;
    readonly timers: number;
    readonly stages: readonly StageRow[];
    readonly calls: readonly StageMemory[];
  } {
    const { peak, growth, kept, listeners, timers } = this;
    const sums = { startedAt: this.#startedAt, peak, growth, kept, listeners, timers };
    return { ...sums, stages: this.rows(), calls: this.calls() };
  }

  #audience(outer: Audience | undefined): Audience {
    return { attachments: this.#attachments, outer, take: (end) => this.#take(end) };
  }

  #take({ memory, attachments }: StageEnd): void {
    if (this.#end !== undefined) return;
    this.#sample();
    this.#calls.push(memory);
    if (this.#calls.length > this.#maxCalls) this.#calls.shift();
    if (attachments !== undefined && (memory.listeners ?? 0) + (memory.timers ?? 0) > 0) {
      this.#left.push(attachments);
      if (this.#left.length > mostAttached) this.#left.shift();
    }
    const row = this.#rowOf(memory.stage);
    row.calls++;
    if (!memory.ok) row.failed++;
    row.totalMs += memory.durationMs;
    row.peak = Math.max(row.peak, memory.peak);
    row.kept += memory.kept;
    row.listeners += memory.listeners ?? 0;
    row.timers += memory.timers ?? 0;
  }

  #rowOf(stage: string): { -readonly [K in keyof StageRow]: StageRow[K] } {
    const key = this.#rows.has(stage) || this.#rows.size < mostStages ? stage : '(other)';
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { stage: key, calls: 0, failed: 0, totalMs: 0, peak: 0, kept: 0, listeners: 0, timers: 0 };
      this.#rows.set(key, row);
    }
    return row;
  }

  #sample(): void {
    if (this.#end === undefined) this.#peak = Math.max(this.#peak, usedNow());
  }
}

function usedNow(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Columns of one width; the first to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0)))
        .join('  '),
    )
    .join('\n');
}
