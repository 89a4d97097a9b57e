import type { PendingEntry } from '../audit-entry.ts';
import type { LedgerSettings } from '../options.ts';
import type { FleetFirst, FleetHealth, FleetNews, FleetVote } from '../postgres/fleet-options.ts';
import type { PackedBatch } from '../sample-batch.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import type { SqliteRefusal } from '../sqlite/database.ts';
import type { ClockLeap } from '../sqlite/ledger-clock.ts';
import type { RunInfo } from '../sqlite/samples-store.ts';

/** Start data of the worker. `confirmed` is shared memory: [last sample batch, last audit delivery] on disk. */
export interface WriterStart {
  readonly settings: LedgerSettings;
  readonly run: RunInfo;
  /** Runs of this process that were open when the worker started. */
  readonly openRuns: readonly number[];
  readonly confirmed: Int32Array<SharedArrayBuffer>;
}

export type WorkerRequest =
  | { readonly type: 'samples'; readonly batch: PackedBatch }
  | { readonly type: 'audit'; readonly delivery: number; readonly entries: readonly PendingEntry[] }
  | { readonly type: 'replay' }
  | { readonly type: 'news'; readonly news: FleetNews }
  | { readonly type: 'close' };

/** A damaged file of the ledger that was renamed. */
export interface SetAside {
  readonly file: string;
  readonly movedTo: string;
}

/** A notice for the operator about a fault that stops nothing. */
export type WorkerNotice =
  | ({ readonly what: 'clock-leap' } & ClockLeap)
  | { readonly what: 'chain-cut'; readonly seq: number; readonly head: number };

export type WorkerReply =
  | {
      readonly type: 'ready';
      readonly head: ChainHead;
      readonly setAside: readonly SetAside[];
      readonly replayed: number;
    }
  | {
      readonly type: 'samples';
      readonly number: number;
      readonly rows: number;
      readonly setAside: readonly SetAside[];
    }
  | {
      readonly type: 'audit';
      readonly delivery: number;
      readonly head: ChainHead;
      readonly setAside: readonly SetAside[];
    }
  | { readonly type: 'replayed'; readonly replayed: number }
  | { readonly type: 'closed' }
  | { readonly type: 'fleet'; readonly health: FleetHealth }
  | { readonly type: 'findings'; readonly findings: readonly FleetFirst[] }
  | { readonly type: 'votes'; readonly votes: readonly FleetVote[] }
  | { readonly type: 'notice'; readonly notice: WorkerNotice }
  | {
      readonly type: 'failed';
      readonly what: 'open' | 'samples' | 'audit' | 'replay' | 'upkeep' | 'fleet';
      readonly refusal: SqliteRefusal;
      readonly message: string;
    };
