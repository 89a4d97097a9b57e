import type { Level } from '@plimsoll/core/internal/level';
import type { ApprovalRule } from '../policy/sections/approvals.ts';
import { askersOf } from './approver.ts';
import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRow, ApprovalVote } from './approval-row.ts';

const longestText = 400;
const longestName = 120;
const mostEvidence = 16;

/** A request for an approval. No code waits for the answer; `run` is called when it comes. */
export interface TicketRequest {
  /** Entry of `approvals` in the policy. */
  readonly approval: string;
  readonly kind: string;
  readonly action: string;
  readonly scope: string;
  /** Part of the digest. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The ticket is withdrawn when its scope is below this level. Without a level it is never withdrawn. */
  readonly level?: Level | undefined;
  /** The scope of that level; `scope` by default. */
  readonly levelScope?: string | undefined;
  readonly why: string;
  readonly evidence: Readonly<Record<string, string | number | null>>;
  readonly requestedBy: string;
  readonly policy: { readonly revision: number; readonly sha256: string };
  /** Called right before it runs. */
  readonly isStillValid: () => boolean;
  /** Runs it, once. `as` names the approver. Returns false when no caller waits for it; the approval is then kept until its deadline. */
  readonly run: (as: string) => boolean | void;
  /** `tick`, the default: at the next tick of the governor. `decision`: at once. */
  readonly runs?: 'tick' | 'decision';
  /** Called with every state that means no. */
  readonly onRefused?: ((state: ApprovalState) => void) | undefined;
}

/** An approval on the desk, with the desk's own fields. */
export class Ticket {
  readonly id: string;
  readonly digest: string;
  readonly rule: ApprovalRule;
  /** Names that may not decide it. */
  readonly askers: ReadonlySet<string>;
  readonly at: number;
  readonly deadlineAt: number;
  /** Monotonic. */
  readonly deadlineMs: number;
  readonly votes: ApprovalVote[] = [];
  state: ApprovalState = 'open';
  decidedAt: number | null = null;
  ranAt: number | null = null;
  /** Set before it runs, because an approval is used only once. */
  isUsed = false;
  /** Idempotency keys that name this ticket; they are forgotten with it. */
  readonly keys: string[] = [];
  #request: TicketRequest;

  constructor(
    parts: Pick<Ticket, 'id' | 'digest' | 'rule' | 'request' | 'at' | 'deadlineAt' | 'deadlineMs'>,
  ) {
    this.id = parts.id;
    this.digest = parts.digest;
    this.rule = parts.rule;
    this.askers = askersOf(parts.request.requestedBy, parts.request.scope);
    this.#request = bounded(parts.request);
    this.at = parts.at;
    this.deadlineAt = parts.deadlineAt;
    this.deadlineMs = parts.deadlineMs;
  }

  get request(): TicketRequest {
    return this.#request;
  }

  get isAction(): boolean {
    return this.#request.kind === 'action';
  }

  get isReview(): boolean {
    return this.#request.kind === 'review';
  }

  /** Drops the callbacks and everything that they hold. A finished ticket is only a row. */
  drop(): void {
    this.#request = { ...this.#request, run: nothing, isStillValid: never, onRefused: nothing };
  }

  /** Adds numbers to the row. */
  add(evidence: Readonly<Record<string, number>>): void {
    this.#request = { ...this.#request, evidence: { ...this.#request.evidence, ...evidence } };
  }

  row(): ApprovalRow {
    const { kind, action, scope, why, evidence, requestedBy } = this.request;
    const { id, digest, at, deadlineAt, rule, state, decidedAt, ranAt } = this;
    return {
      id,
      digest,
      kind,
      action,
      scope,
      why,
      evidence,
      requestedBy,
      at,
      deadlineAt,
      onExpiry: rule.onExpiry,
      quorum: rule.quorum,
      approvers: rule.by,
      votes: [...this.votes],
      state,
      decidedAt,
      ranAt,
    };
  }
}

/** The request with the texts of its row cut to a bound. Its arguments are dropped, because the digest covers them. */
function bounded(request: TicketRequest): TicketRequest {
  const evidence = Object.entries(request.evidence).slice(0, mostEvidence);
  return {
    ...request,
    args: {},
    action: cut(request.action, longestName),
    scope: cut(request.scope, longestText),
    why: cut(request.why, longestText),
    requestedBy: cut(request.requestedBy, longestText),
    evidence: Object.fromEntries(
      evidence.map(([key, value]) => [
        cut(key, longestName),
        typeof value === 'string' ? cut(value, longestText) : value,
      ]),
    ),
  };
}

const nothing = (): void => undefined;
const never = (): boolean => false;

/** Text for rows, bounded and without control characters, which a terminal would execute. */
export function cut(text: string, most: number): string {
  const plain = text.slice(0, most + 1).replaceAll(/\p{Cc}+/gu, ' ');
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}
