import type { ApprovalRow, Frame } from '@plimsoll/host/protocol/frame';
import type { ActBody, Explanation, ProcessRow, SnapshotAnswer } from '@plimsoll/host/protocol/api';
import type { ActAnswer, PolicyInForce } from '@plimsoll/host/protocol/answers';
import type { ScopeFeed } from './stream/scope-feed.ts';
import type { AllScopes } from './scope-page.ts';

/** Who asks, as its token says. */
export interface Caller {
  /** As the page shows it: `admin`, or an approver's name. */
  readonly name: string;
  /** As approvals record it: `user:ann`. */
  readonly by: string;
  readonly groups: readonly string[];
  /** From a file of roles; absent for the owner and for approvers of the folder. */
  readonly role?: 'viewer' | 'approver' | 'admin';
  /** The user that runs the process, who alone can read the token file. */
  readonly isOwner: boolean;
  /** An approver's token, handed on to the process, which checks it again; the owner is known by opening its socket. */
  readonly token?: string;
}

/** A decision with who makes it. */
export interface Decision {
  readonly id: string;
  readonly digest: string;
  readonly decision: 'approve' | 'deny';
  readonly comment: string;
  readonly key: string;
  readonly caller: Caller;
}

/** What a stream hears from a source. */
export interface Listener {
  readonly onFrame: (frame: Frame) => void;
  /** Something changed in `table`. */
  readonly onScopes: () => void;
  /** It has ended or cannot be reached any more. */
  readonly onGone: () => void;
}

/** One process as the server sees it: alive through its feed and control socket, or gone and known by its ledger only. */
export interface Source {
  readonly process: ProcessRow;
  /** Folder of its ledger; null when it keeps none. */
  readonly ledgerDir: string | null;
  /** Set when only one run of the ledger is meant. */
  readonly run: number | undefined;
  /** The newest frame; rejects with PLM_SERVER_NO_READING while there is none. */
  frame(): Promise<Frame>;
  scopes(): Promise<AllScopes>;
  approvals(): Promise<readonly ApprovalRow[]>;
  decide(decision: Decision): Promise<ApprovalRow>;
  policy(): Promise<PolicyInForce | null>;
  explain(scope: string): Promise<Explanation>;
  /** What a heap snapshot would cost now, and how the newest one is doing. */
  snapshot(): Promise<SnapshotAnswer>;
  takeSnapshot(): Promise<SnapshotAnswer>;
  /** Runs an action that a person asks for. */
  act(request: ActBody, by: string): Promise<ActAnswer>;
  /** Its scopes while somebody listens. */
  readonly table: ScopeFeed;
  /** Begins to listen; nothing is asked of the process while nobody does. */
  listen(listener: Listener): () => void;
}
