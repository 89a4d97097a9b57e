import type { ApprovalRow, Frame } from '@plimsoll/host/protocol/frame';
import type { ActBody, Explanation, ProcessRow, SnapshotAnswer } from '@plimsoll/host/protocol/api';
import type { ActAnswer, PolicyInForce } from '@plimsoll/host/protocol/answers';
import type { ScopeFeed } from './stream/scope-feed.ts';
import type { AllScopes } from './scope-page.ts';

/** The caller, by its token. */
export interface Caller {
  /** Name on the page: `admin`, or an approver's name. */
  readonly name: string;
  /** Name in approvals: `user:ann`. */
  readonly by: string;
  readonly groups: readonly string[];
  /** From a file of roles; absent for the owner and for approvers of the folder. */
  readonly role?: 'viewer' | 'approver' | 'admin';
  /** True for the user that runs the process, who alone can read the token file. */
  readonly isOwner: boolean;
  /** An approver's token, for the process, which checks it again. The process recognises its owner by the socket. */
  readonly token?: string;
}

/** A decision with its caller. */
export interface Decision {
  readonly id: string;
  readonly digest: string;
  readonly decision: 'approve' | 'deny';
  readonly comment: string;
  readonly key: string;
  readonly caller: Caller;
}

/** Callbacks of a stream to a source. */
export interface Listener {
  readonly onFrame: (frame: Frame) => void;
  /** Called when `table` has changed. */
  readonly onScopes: () => void;
  /** Called when the process has ended or cannot be reached any more. */
  readonly onGone: () => void;
}

/** One process for the server: a running one through its feed and control socket, or an ended one through its ledger. */
export interface Source {
  readonly process: ProcessRow;
  /** Folder of its ledger; null when it keeps none. */
  readonly ledgerDir: string | null;
  /** Set for a single run of the ledger. */
  readonly run: number | undefined;
  /** The newest frame; rejects with PLM_SERVER_NO_READING while there is none. */
  frame(): Promise<Frame>;
  scopes(): Promise<AllScopes>;
  approvals(): Promise<readonly ApprovalRow[]>;
  decide(decision: Decision): Promise<ApprovalRow>;
  policy(): Promise<PolicyInForce | null>;
  explain(scope: string): Promise<Explanation>;
  /** The cost of a heap snapshot now, and the progress of the newest one. */
  snapshot(): Promise<SnapshotAnswer>;
  takeSnapshot(): Promise<SnapshotAnswer>;
  /** Runs an action for a person. */
  act(request: ActBody, by: string): Promise<ActAnswer>;
  /** Its scopes while there are listeners. */
  readonly table: ScopeFeed;
  /** Adds a listener. Without listeners nothing is requested from the process. */
  listen(listener: Listener): () => void;
}
