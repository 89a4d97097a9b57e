import type { RestartAnswer, RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';
import type { Keeper } from '@plimsoll/core/keeper';
import type { Level, Priority } from '@plimsoll/core/internal/level';

/**
 * What the ladder acts through. Every action reaches the process by one of these and by nothing else, so that a test hands in its own and a
 * host leaves out what it cannot do. An action whose lever is missing is skipped, and its record says so.
 */
export interface Levers {
  /** Keepers that are held now; those of the process by default. */
  readonly keepers?: () => readonly Keeper[];
  /** Open scopes with what they hold, parents before children. Asked only when an action needs them. */
  readonly scopes?: () => Iterable<LeverScope>;
  /** Live heap in no scope; undefined while nobody knows. */
  readonly unattributedBytes?: () => number | undefined;
  readonly admission?: AdmissionLever;
  /** One full collection, now. */
  readonly gc?: () => void;
  /** Takes readings at the fast interval for a while. */
  readonly hurry?: (forMs: number) => void;
  readonly restart?: ((request: RestartRequest) => RestartAnswer) | undefined;
  readonly restartState?: RestartState | undefined;
  readonly evidence?: (request: EvidenceRequest) => Promise<EvidenceAnswer>;
  readonly approvals?: ApprovalGate | undefined;
}

/** Where a restart stands. */
export interface RestartState {
  /** One was decided on and was not taken back. */
  readonly isUnderWay: boolean;
  /** Ms until V8 or the kernel ends the process at its pace; undefined when that is not in sight. */
  readonly endsInMs: number | undefined;
  /** Whether the next life can take over first now, within what the request allows. */
  mayHandOver(request: Pick<RestartRequest, 'handovers' | 'overlapBytes'>): boolean;
}

/** An open scope as an action sees it. */
export interface LeverScope {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly parent?: LeverScope | undefined;
  /** What it and everything inside it holds, re-based to the measured heap where that is known. */
  readonly bytes: number;
  /** Budget its code gave it. */
  readonly budget?: number | undefined;
  /** Ms since it was last opened, run, leased or touched. */
  readonly idleMs: number;
  /** Ms since it was opened. */
  readonly ageMs: number;
  /** Claims that it, or something inside it, is in use. */
  readonly leases: number;
  /** Closes it, which aborts its signal; resolves when all it owned was let go of. */
  close(reason: string): Promise<unknown>;
}

/** The control side of admission. Each call replaces what the same call asked for before. */
export interface AdmissionLever {
  /** Refuses work with a probability, 0 to 1. */
  throttle(request: {
    readonly ratio: number;
    readonly only?: Priority;
    readonly retryAfterMs?: LeverRange;
    readonly reason: string;
  }): void;
  /** Refuses all new work but what is excepted; the management lane is never refused. */
  refuse(request: {
    readonly only?: Priority;
    /** Shed points that go on, such as `tool`. */
    readonly except: readonly string[];
    readonly retryAfterMs: LeverRange;
    readonly reason: string;
  }): void;
  /** Lowers what one tree of delegations may do. */
  clamp(request: {
    readonly depth?: number;
    readonly fanOut?: number;
    readonly concurrency?: number;
    readonly reason: string;
  }): void;
  /** Lets a scope, and what is inside it, take no new work until it is let again; other scopes go on. */
  quarantine?(scope: string, reason: string): void;
  /** False when it was in none. */
  unquarantine?(scope: string): boolean;
  isQuarantined?(scope: string): boolean;
  /** Ends one of the three, or all of them. */
  release(what?: 'throttle' | 'refuse' | 'clamp'): void;
  /** Since the start; for the share of work that is refused. */
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
  /** Ends the work when the time is over. */
  readonly signal: AbortSignal;
  /** Whether a heap snapshot may be taken when the capture guard says that it fits. */
  readonly snapshot: 'if-it-fits' | 'never';
}

export interface EvidenceAnswer {
  /** One sentence: what was kept and where. */
  readonly text: string;
  readonly files: readonly string[];
}

/** Files tickets that nobody awaits. */
export interface ApprovalGate {
  /** Never throws and never waits. The same digest joins the open ticket. */
  request(ticket: ApprovalTicket): { readonly id: string; readonly state: string };
}

/** What an action of the ladder asks a human for. */
export interface ApprovalTicket {
  /** Entry of `approvals` in the policy. */
  readonly approval: string;
  /** What is asked: an action of the ladder. */
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
  /** The rule that asks. */
  readonly requestedBy: string;
  readonly policy: { readonly revision: number; readonly sha256: string };
  /** Asked right before it runs. True while the level holds, the victim exists and the policy is the same. */
  readonly isStillValid: () => boolean;
  /** Carries the action out, once; never throws. `as` says who let it: an approver, or the policy at emergency. */
  readonly run: (as: string) => void;
  /** Called once when it will not run: denied, expired, withdrawn, stale or lost. */
  readonly onRefused?: (state: string) => void;
}
