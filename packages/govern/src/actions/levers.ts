import type { RestartAnswer, RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';
import type { Keeper } from '@plimsoll/core/keeper';
import type { Level, Priority } from '@plimsoll/core/internal/level';

/**
 * The functions through which the ladder acts. An action reaches the process only by these, so a test passes its own and a host omits the
 * ones that it cannot offer. An action whose lever is missing is skipped, and its record says so.
 */
export interface Levers {
  /** The current keepers; by default those of the process. */
  readonly keepers?: () => readonly Keeper[];
  /** Open scopes with their bytes, parents before children. Called only when an action needs them. */
  readonly scopes?: () => Iterable<LeverScope>;
  /** Live heap in no scope; undefined while unknown. */
  readonly unattributedBytes?: () => number | undefined;
  readonly admission?: AdmissionLever;
  /** Runs one full collection now. */
  readonly gc?: () => void;
  /** Takes readings at the fast interval for a while. */
  readonly hurry?: (forMs: number) => void;
  readonly restart?: ((request: RestartRequest) => RestartAnswer) | undefined;
  readonly restartState?: RestartState | undefined;
  readonly evidence?: (request: EvidenceRequest) => Promise<EvidenceAnswer>;
  readonly approvals?: ApprovalGate | undefined;
}

/** The state of a restart. */
export interface RestartState {
  /** True when a restart was decided and not cancelled. */
  readonly isUnderWay: boolean;
  /** Ms until V8 or the kernel ends the process at the current growth; undefined when no end is foreseen. */
  readonly endsInMs: number | undefined;
  /** Whether the next life can take over first now, within the bounds of the request. */
  mayHandOver(request: Pick<RestartRequest, 'handovers' | 'overlapBytes'>): boolean;
}

/** An open scope as an action sees it. */
export interface LeverScope {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly parent?: LeverScope | undefined;
  /** Bytes of the scope and everything inside it, re-based to the measured heap where that is known. */
  readonly bytes: number;
  /** Budget that its code gave. */
  readonly budget?: number | undefined;
  /** Ms since it was last opened, run, leased or touched. */
  readonly idleMs: number;
  /** Ms since it was opened. */
  readonly ageMs: number;
  /** Claims that it, or something inside it, is in use. */
  readonly leases: number;
  /** Closes it, which aborts its signal. Resolves when everything that it owned is released. */
  close(reason: string): Promise<unknown>;
}

/** The control side of admission. Each call replaces the order of the last call of the same kind. */
export interface AdmissionLever {
  /** Refuses work with a probability, 0 to 1. */
  throttle(request: {
    readonly ratio: number;
    readonly only?: Priority;
    readonly retryAfterMs?: LeverRange;
    readonly reason: string;
  }): void;
  /** Refuses all new work except the listed points. The management lane is never refused. */
  refuse(request: {
    readonly only?: Priority;
    /** Shed points that stay open, such as `tool`. */
    readonly except: readonly string[];
    readonly retryAfterMs: LeverRange;
    readonly reason: string;
  }): void;
  /** Lowers the bounds of one tree of delegations. */
  clamp(request: {
    readonly depth?: number;
    readonly fanOut?: number;
    readonly concurrency?: number;
    readonly reason: string;
  }): void;
  /** Refuses new work for a scope and everything inside it until `unquarantine`. Other scopes go on. */
  quarantine?(scope: string, reason: string): void;
  /** False when it was in no quarantine. */
  unquarantine?(scope: string): boolean;
  isQuarantined?(scope: string): boolean;
  /** Ends one of the three, or all of them. */
  release(what?: 'throttle' | 'refuse' | 'clamp'): void;
  /** Counts since the start, for the share of refused work. */
  counts(): { readonly admitted: number; readonly refused: number };
}

export interface LeverRange {
  readonly min: number;
  readonly max: number;
}

export interface EvidenceRequest {
  readonly scope: string;
  /** Time for all hooks together. */
  readonly timeoutMs: number;
  /** Aborted when the time is over. */
  readonly signal: AbortSignal;
  /** Whether a heap snapshot may be taken when the capture guard says that it fits. */
  readonly snapshot: 'if-it-fits' | 'never';
}

export interface EvidenceAnswer {
  /** One sentence that names the evidence and its place. */
  readonly text: string;
  readonly files: readonly string[];
}

/** Files tickets that nobody awaits. */
export interface ApprovalGate {
  /** Never throws and never waits. The same digest joins the open ticket. */
  request(ticket: ApprovalTicket): { readonly id: string; readonly state: string };
}

/** The request of a ladder action for an approval. */
export interface ApprovalTicket {
  /** Entry of `approvals` in the policy. */
  readonly approval: string;
  /** The request is for an action of the ladder. */
  readonly kind: 'action';
  readonly action: string;
  /** The subject of the ladder. */
  readonly scope: string;
  /** Options and victims; part of the digest. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Level of the rung. Below this level the ticket is withdrawn. */
  readonly level: Level;
  readonly why: string;
  readonly evidence: Readonly<Record<string, string | number | null>>;
  /** The rule that files the ticket. */
  readonly requestedBy: string;
  readonly policy: { readonly revision: number; readonly sha256: string };
  /** Called right before the action runs. True while the level holds, the victim exists and the policy is the same. */
  readonly isStillValid: () => boolean;
  /** Runs the action, once; never throws. `as` names the approver, or the policy at emergency. */
  readonly run: (as: string) => void;
  /** Called once when the action will not run: denied, expired, withdrawn, stale or lost. */
  readonly onRefused?: (state: string) => void;
}
