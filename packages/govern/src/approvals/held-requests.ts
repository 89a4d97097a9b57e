import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import { currentScope } from '@plimsoll/core';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type {
  ApprovalFacts,
  ApprovalPoint,
  ApprovalRequest,
  ApprovalState,
  Approved,
  HeldGate,
} from '@plimsoll/core/internal/gate/approval';
import type { RefusalReason } from '@plimsoll/core/internal/gate/approval-refusal';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import type { ApprovalDesk } from './approval-desk.ts';
import { digestOf } from './digest.ts';
import type { HeldOutcome, HeldQueueOptions } from './held-queue.ts';
import { HeldQueue } from './held-queue.ts';
import type { TicketRequest } from './ticket.ts';

const defaultWaitMs = 25_000;

type HeldPolicy = Pick<Policy, 'approvals' | 'revision' | 'sha256' | 'mode'>;

export interface HeldRequestsOptions extends Partial<HeldQueueOptions> {
  readonly desk: ApprovalDesk;
  /** Called at every request, so that a new policy counts at once. */
  readonly policy: () => HeldPolicy;
  /** The level of the process. */
  readonly level: () => Level;
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  /** Called when mode shadow lets a request go on that would have waited. */
  readonly onWouldHave?: (text: string, scope: string) => void;
  /** 0 up to 1, for the spread of `retryAfterMs`. */
  readonly random?: () => number;
}

/** The content of a ticket. Its callbacks are added when it is filed. */
type HeldTicket = Omit<TicketRequest, 'run' | 'isStillValid' | 'onRefused' | 'runs'>;

interface Need {
  readonly approval: string;
  readonly level?: Level | undefined;
}

/**
 * Operations of the program that wait for an approval: deep delegations and critical memory operations. Each waits on a ticket of the desk
 * in a bounded queue. One approval releases one of them. An approval without a waiting caller is kept for the same request.
 */
export class HeldRequests implements HeldGate, Disposable {
  readonly #desk: ApprovalDesk;
  readonly #policy: () => HeldPolicy;
  readonly #level: () => Level;
  readonly #queue: HeldQueue;
  readonly #onWouldHave: (text: string, scope: string) => void;
  readonly #random: () => number;
  readonly #ticketOf = new Map<string, string>();
  #isClosed = false;

  constructor(options: HeldRequestsOptions) {
    this.#desk = options.desk;
    this.#policy = options.policy;
    this.#level = options.level;
    this.#queue = new HeldQueue({ ...options, clock: options.clock ?? systemClock });
    this.#onWouldHave = options.onWouldHave ?? (() => undefined);
    this.#random = options.random ?? Math.random;
  }

  /** Number and bytes of the waiting callers. */
  get held(): { readonly count: number; readonly bytes: number } {
    return { count: this.#queue.count, bytes: this.#queue.bytes };
  }

  needs(point: ApprovalPoint, facts: ApprovalFacts): boolean {
    const policy = this.#policy();
    const need = needOf(policy, point, facts, this.#level());
    return need !== undefined && modeOf(policy, need.approval) !== 'observe' && !this.#isClosed;
  }

  async hold(point: ApprovalPoint, request: ApprovalRequest): Promise<Approved> {
    const policy = this.#policy();
    const need = needOf(policy, point, request, this.#level());
    if (need === undefined || this.#isClosed) return notNeeded;
    const mode = modeOf(policy, need.approval);
    if (mode === 'observe') return notNeeded;
    const ticket = this.#ticket(point, request, need, policy);
    if (mode === 'shadow') {
      this.#onWouldHave(`would have held ${whatOf(point, request)}`, ticket.scope);
      return { state: 'would-have', id: null, by: null };
    }
    return this.#enforce(whatOf(point, request), request, ticket);
  }

  /** At emergency nothing waits, because waiting work holds memory. The desk withdraws tickets of operations that no longer need one. */
  levelChanged(level: Level): void {
    if (level !== 'emergency') return;
    for (const digest of this.#queue.digests()) {
      const id = this.#ticketOf.get(digest);
      if (id !== undefined) this.#desk.withdraw(id);
    }
  }

  /** Ends all waits. The desk is closed first and gives the reason. */
  close(): void {
    this.#isClosed = true;
    for (const digest of this.#queue.digests())
      this.#queue.refuse(digest, 'lost', this.#ticketOf.get(digest) ?? '');
    this.#ticketOf.clear();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  async #enforce(what: string, request: ApprovalRequest, ticket: HeldTicket): Promise<Approved> {
    const { scope } = ticket;
    const refuse = (
      reason: RefusalReason,
      id: string | undefined,
      more: object = {},
      cause?: unknown,
    ): ApprovalRefusal =>
      new ApprovalRefusal(
        { reason, id, retryAfterMs: this.#retryAfterMs(reason), details: { what, scope, ...more } },
        cause === undefined ? undefined : { cause },
      );
    if (this.#level() === 'emergency') throw refuse('LEVEL', undefined);
    const kept = this.#desk.take(ticket);
    if (kept !== undefined)
      return { state: 'approved', id: kept.id, by: kept.votes.map((vote) => vote.by).join(', ') };
    const bound = this.#queue.whyFull(request.bytes ?? 0);
    if (bound !== undefined) throw refuse('FULL', undefined, { bound });
    const digest = digestOf(ticket);
    const id = this.#file(digest, ticket);
    if (id === undefined)
      throw refuse('FULL', undefined, { bound: `too many tickets of "${ticket.approval}" are open` });
    const waitMs = request.waitMs ?? defaultWaitMs;
    const outcome = await this.#queue.hold({
      digest,
      bytes: request.bytes ?? 0,
      waitMs,
      signal: request.signal,
    });
    if (outcome.end === 'released') return { state: 'approved', id: outcome.id, by: outcome.as };
    if (outcome.end === 'refused') return this.#refused(outcome, refuse);
    // Another ticket may have replaced the first one meanwhile.
    const last = this.#ticketOf.get(digest) ?? id;
    if (outcome.end === 'timeout') throw refuse('PENDING', last, { ms: waitMs });
    const reason = outcome.reason instanceof Error ? outcome.reason.message : String(outcome.reason);
    throw refuse('ABORTED', last, { reason }, outcome.reason);
  }

  #refused(
    { state, id }: HeldOutcome & { end: 'refused' },
    refuse: (reason: RefusalReason, id: string, more?: object) => ApprovalRefusal,
  ): Approved {
    const row = this.#desk.row(id);
    switch (state) {
      case 'withdrawn':
        if (this.#level() === 'emergency') throw refuse('LEVEL', id);
        // The level at which the operation was critical is over.
        return { state: 'not-needed', id, by: null };
      case 'denied':
        throw refuse('DENIED', id, { by: row?.votes.findLast((vote) => vote.decision === 'deny')?.by ?? '' });
      case 'expired':
        throw refuse('EXPIRED', id, { ms: row === undefined ? 0 : row.deadlineAt - row.at });
      case 'refused-full':
        throw refuse('FULL', id, { bound: 'another one with the same request was let in before it' });
      case 'lost':
        throw refuse('LOST', id);
      default:
        throw refuse('STALE', id);
    }
  }

  /** Files or joins the ticket of a digest; undefined when the desk is full. */
  #file(digest: string, ticket: HeldTicket): string | undefined {
    let own = '';
    const { id, state } = this.#desk.request({
      ...ticket,
      runs: 'decision',
      isStillValid: () => !this.#isClosed,
      run: (as) => this.#release(digest, ticket, as, own),
      onRefused: (refusal) => this.#drop(digest, refusal, own),
    });
    if (state !== 'open') return undefined;
    own = id;
    this.#ticketOf.set(digest, id);
    return id;
  }

  /** One approval releases one caller. The others with the same digest wait on a new ticket. */
  #release(digest: string, ticket: HeldTicket, as: string, id: string): boolean {
    if (!this.#queue.release(digest, as, id)) return false;
    this.#ticketOf.delete(digest);
    // This runs later, because a new request would join this ticket until the desk is done with it.
    queueMicrotask(() => {
      if (this.#queue.waiting(digest) === 0) return;
      if (this.#file(digest, ticket) === undefined) this.#drop(digest, 'refused-full', id);
    });
    return true;
  }

  #drop(digest: string, state: ApprovalState, id: string): void {
    this.#ticketOf.delete(digest);
    this.#queue.refuse(digest, state, id);
  }

  #ticket(point: ApprovalPoint, request: ApprovalRequest, need: Need, policy: HeldPolicy): HeldTicket {
    const scope = request.scope ?? currentScope().path;
    return {
      approval: need.approval,
      kind: point,
      action: `${point} ${request.name}`,
      scope,
      args: { ...request.args, depth: request.depth ?? null, critical: request.critical === true },
      level: need.level,
      levelScope: 'process',
      why: request.why ?? `${whatOf(point, request)} needs an approval by the policy.`,
      evidence: {
        ...(request.depth === undefined ? {} : { depth: request.depth }),
        ...(request.bytes === undefined ? {} : { bytes: request.bytes }),
        level: this.#level(),
        ...request.evidence,
      },
      requestedBy: request.by ?? askerOf(scope),
      policy: { revision: policy.revision, sha256: policy.sha256 },
    };
  }

  #retryAfterMs(reason: RefusalReason): number {
    const [least, most] = reason === 'PENDING' ? [1000, 5000] : [5000, 20_000];
    return Math.round(least + this.#random() * (most - least));
  }
}

const notNeeded: Approved = { state: 'not-needed', id: null, by: null };

/** The rule of the policy that every held operation goes through. */
function needOf(
  { approvals }: HeldPolicy,
  point: ApprovalPoint,
  facts: ApprovalFacts,
  level: Level,
): Need | undefined {
  if (point === 'delegation') {
    const rule = approvals.delegation;
    // The comparison is written so that a depth of NaN needs an approval too.
    return rule === undefined || (facts.depth as number) <= rule.deeperThan
      ? undefined
      : { approval: rule.approval };
  }
  const rule = approvals.operations;
  if (rule === undefined) return undefined;
  if (facts.critical === true) return { approval: rule.approval };
  return levels.indexOf(level) >= levels.indexOf(rule.from)
    ? { approval: rule.approval, level: rule.from }
    : undefined;
}

function modeOf(policy: HeldPolicy, approval: string): HeldPolicy['mode'] {
  return policy.approvals.rules[approval]?.mode ?? policy.mode;
}

function whatOf(point: ApprovalPoint, request: ApprovalRequest): string {
  const depth = request.depth === undefined ? '' : ` at depth ${request.depth}`;
  return point === 'delegation' ? `delegation to "${request.name}"${depth}` : `operation "${request.name}"`;
}

/** The innermost agent of a scope path, else the path. */
function askerOf(scope: string): string {
  return scope.split('/').findLast((step) => step.startsWith('agent:')) ?? scope;
}
