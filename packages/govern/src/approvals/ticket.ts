import type { Level } from '@plimsoll/core/internal/level';
import type { ApprovalRule } from '../policy/sections/approvals.ts';
import { askersOf } from './approver.ts';
import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRow, ApprovalVote } from './approval-row.ts';

const longestText = 400;
const longestName = 120;
const mostEvidence = 16;

/** What asks for an approval. Nobody waits for the answer: `run` is called when it comes. */
export interface TicketRequest {
  /** Entry of `approvals` in the policy. */
  readonly approval: string;
  readonly kind: string;
  readonly action: string;
  readonly scope: string;
  /** Part of the digest. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Below this level of its scope the ticket is withdrawn; without one it never is. */
  readonly level?: Level | undefined;
  /** Whose level that is; `scope` by default. */
  readonly levelScope?: string | undefined;
  readonly why: string;
  readonly evidence: Readonly<Record<string, string | number | null>>;
  readonly requestedBy: string;
  readonly policy: { readonly revision: number; readonly sha256: string };
  /** Asked right before it runs. */
  readonly isStillValid: () => boolean;
  /** Carries it out, once. `as` says who let it. False when nobody waits for it. The approval is then kept until its deadline. */
  readonly run: (as: string) => boolean | void;
  /** `tick`, the default: at the next tick of the governor. `decision`: at once. */
  readonly runs?: 'tick' | 'decision';
  /** Told of every state that means no. */
  readonly onRefused?: ((state: ApprovalState) => void) | undefined;
}

/** An approval on the desk, with what only the desk knows. */
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
  /** Set before it runs, because an approval is used once. */
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

  /** Lets go of what the callbacks hold; a ticket that is over is only a row. */
  drop(): void {
    this.#request = { ...this.#request, run: nothing, isStillValid: never, onRefused: nothing };
  }

  /** Adds numbers to what the row shows. */
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

/** A request keeps what rows show, cut to a bound. Its arguments are dropped, because the digest covers them. */
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

/** Text for rows: bounded, and without control characters, which a terminal would obey. */
export function cut(text: string, most: number): string {
  const plain = text.slice(0, most + 1).replaceAll(/\p{Cc}+/gu, ' ');
  return plain.length <= most ? plain : `${plain.slice(0, most - 1)}…`;
}
