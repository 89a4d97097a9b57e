import type {
  AuditAnswer,
  HistoryAnswer,
  ProcessRow,
  ScopeHistoryAnswer,
  WouldHaveRow,
} from '@plimsoll/host/protocol/api';
import type { Frame } from '@plimsoll/host/protocol/frame';

/** A span of time. A missing end reaches as far as the ledger. */
export interface TimeSpan {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Number of actions of one kind. */
export interface ActionTally {
  readonly action: string;
  readonly outcome: string;
  readonly mode: string;
  readonly count: number;
  readonly freedBytes: number;
}

/** The questions to a ledger, with the arguments and the answer of each. */
export interface Questions {
  readonly processes: { readonly args: object; readonly answer: readonly ProcessRow[] };
  readonly frame: { readonly args: { readonly run: number }; readonly answer: Frame | null };
  readonly history: {
    readonly args: TimeSpan & { readonly run?: number | undefined; readonly points: number };
    readonly answer: HistoryAnswer;
  };
  readonly scopeHistory: {
    readonly args: TimeSpan & {
      readonly run?: number | undefined;
      readonly path: string;
      readonly points: number;
    };
    readonly answer: ScopeHistoryAnswer;
  };
  readonly audit: {
    readonly args: TimeSpan & {
      readonly run?: number | undefined;
      readonly kinds?: readonly string[] | undefined;
      readonly scope?: string | undefined;
      readonly limit: number;
    };
    readonly answer: AuditAnswer;
  };
  readonly wouldHave: {
    readonly args: { readonly run?: number | undefined; readonly pid?: number | undefined };
    readonly answer: readonly WouldHaveRow[];
  };
  readonly actions: {
    readonly args: { readonly run?: number | undefined; readonly pid?: number | undefined };
    readonly answer: readonly ActionTally[];
  };
}
export type Question = keyof Questions;

/** One question for the thread that reads ledgers. */
export interface LedgerRequest<Q extends Question = Question> {
  readonly id: number;
  readonly dir: string;
  readonly question: Q;
  readonly args: Questions[Q]['args'];
}

/** The answer of the thread. */
export type LedgerReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
      readonly where: string;
      readonly fix: string;
    };
