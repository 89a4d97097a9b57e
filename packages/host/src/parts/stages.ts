import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { StageRow } from '@plimsoll/core/internal/stage-row';
import type { StageCallRow, StageRunRow } from '../protocol/frame.ts';
import type { Part } from './part.ts';

/** The fields that are shown of the message on `plimsoll:stage`, which `@plimsoll/pipeline` publishes when a tracked call ends. */
interface EndedCall extends Omit<StageCallRow, 'startMs'> {
  readonly path: string;
  /** Id of the scope that the call's scope was opened in; 0 is the process. */
  readonly run: number;
  readonly startedAt: number;
}

/** The message on `plimsoll:stages`, which a `MemoryTracker` publishes when it finishes. */
interface FinishedTracker {
  readonly startedAt: number;
  readonly stages: readonly StageRow[];
}

const mostRuns = 4;
/** Most calls of one run that are kept. Later ones are only counted. */
const mostCalls = 32;
/** Most rows that one tracker writes into the ledger. */
const mostLedgerRows = 50;
/** Most trackers per hour whose rows are written. One per request would fill the ledger. */
const mostTrackersPerHour = 60;
const hourMs = 3_600_000;

interface Run {
  readonly path: string;
  readonly startedAt: number;
  readonly calls: StageCallRow[];
  endedAt: number;
  kept: number;
  more: number;
}

/** Keeps the stages of the newest runs and of the heaviest run for the frame, and writes the rows of finished trackers into the ledger. */
export class StagesPart implements Part {
  readonly #note: (body: Readonly<Record<string, string | number>>) => void;
  readonly #runs = new Map<number, Run>();
  readonly #onCall = (message: unknown): void => this.#call(message as EndedCall);
  readonly #onTracker = (message: unknown): void => this.#tracker(message as FinishedTracker);
  #heaviest: Run | undefined;
  #hourAt = Number.NEGATIVE_INFINITY;
  #trackers = 0;

  constructor(note: (body: Readonly<Record<string, string | number>>) => void) {
    this.#note = note;
  }

  /** Newest run first. The heaviest run comes last if it is not among them. */
  get rows(): readonly StageRunRow[] {
    const newest = [...this.#runs.values()].reverse();
    const heaviest = this.#heaviest;
    const shown = heaviest === undefined || newest.includes(heaviest) ? newest : [...newest, heaviest];
    return shown.map(({ path, startedAt, calls, endedAt, kept, more }) => ({
      path,
      at: startedAt,
      durationMs: endedAt - startedAt,
      kept,
      isHeaviest: this.#heaviest?.calls === calls,
      more,
      calls: [...calls],
    }));
  }

  start(): void {
    subscribe('plimsoll:stage', this.#onCall);
    subscribe('plimsoll:stages', this.#onTracker);
  }

  stop(): void {
    unsubscribe('plimsoll:stage', this.#onCall);
    unsubscribe('plimsoll:stages', this.#onTracker);
  }

  #call({ path, run: id, startedAt, stage, durationMs, ok, kept, peak }: EndedCall): void {
    let run = this.#runs.get(id);
    if (run === undefined) {
      const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
      run = { path: parent, startedAt, calls: [], endedAt: startedAt, kept: 0, more: 0 };
      this.#runs.set(id, run);
      if (this.#runs.size > mostRuns) this.#runs.delete(this.#runs.keys().next().value as number);
    }
    run.kept += kept;
    run.endedAt = Math.max(run.endedAt, startedAt + durationMs);
    if (run.calls.length < mostCalls)
      run.calls.push({ stage, startMs: startedAt - run.startedAt, durationMs, ok, kept, peak });
    else run.more++;
    if (this.#heaviest === undefined || run.kept > this.#heaviest.kept) this.#heaviest = run;
  }

  #tracker({ startedAt, stages }: FinishedTracker): void {
    const now = performance.now();
    if (now - this.#hourAt >= hourMs) {
      this.#hourAt = now;
      this.#trackers = 0;
    }
    this.#trackers++;
    if (this.#trackers > mostTrackersPerHour) return;
    const heaviest = stages.toSorted((a, b) => Math.abs(b.kept) - Math.abs(a.kept));
    for (const { stage, calls, failed, totalMs, peak, kept, listeners, timers } of heaviest.slice(
      0,
      mostLedgerRows,
    ))
      this.#note({
        stage,
        calls,
        keptBytes: kept,
        peakBytes: peak,
        failed,
        totalMs: Math.round(totalMs),
        listeners,
        timers,
        startedAt,
      });
  }
}
