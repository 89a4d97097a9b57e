import { randomBytes } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import { failure, warnOnce } from '@plimsoll/core/internal/errors';
import type { Policy } from '../policy/policy.ts';
import type { Level } from '@plimsoll/core/internal/level';
import { levels } from '@plimsoll/core/internal/level';
import type { ApprovalRule } from '../policy/sections/approvals.ts';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';
import type { ApprovalRow } from './approval-row.ts';
import { fold } from './approver.ts';
import { DeadlineTimer } from './deadline-timer.ts';
import { DecidedTickets } from './decided-tickets.ts';
import type { DeskAnswer, DeskDecision } from './decision.ts';
import { checkDecider } from './decision.ts';
import type { DigestParts } from './digest.ts';
import { digestOf } from './digest.ts';
import { OpenTickets } from './open-tickets.ts';
import { reviewName, reviewOf } from './review.ts';
import type { TicketRequest } from './ticket.ts';
import { Ticket, cut } from './ticket.ts';

const approvalChannel = channel('plimsoll:approval');
/** A flood of refusals has a row per this time. */
const floodEveryMs = 10_000;
/** Most tickets, over all entries, that are open or about to run. */
const mostOpen = 1024;
const mostReviews = 32;
/** Most approvals that were given while no caller waited. */
const mostUnused = 64;
const reviewMs = 86_400_000;
const longestComment = 1000;

/** Number of tickets of a desk by outcome. */
type DeskCounts = Readonly<Record<ApprovalState | 'requested' | 'joined' | 'ran', number>>;

type DeskPolicy = Pick<Policy, 'approvals' | 'revision' | 'sha256'>;

interface DeskOptions {
  readonly policy: DeskPolicy;
  readonly clock?: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  /** The level of a scope now; `normal` by default. */
  readonly levelOf?: (scope: string) => Level;
  /** Called with every change before it is published on the channel `plimsoll:approval`. */
  readonly onChange?: (row: ApprovalRow) => void;
  readonly newId?: () => string;
}

/**
 * Tickets that nobody awaits. A ticket is filed, then decided by people, by its deadline, by a level or by the policy, and run at most
 * once. Nothing here waits, everything is bounded, and a tick costs the same with a thousand open tickets as with none.
 */
export class ApprovalDesk implements Disposable {
  readonly #clock: Pick<Clock, 'now' | 'monotonic' | 'after'>;
  readonly #levelOf: (scope: string) => Level;
  readonly #onChange: (row: ApprovalRow) => void;
  readonly #newId: () => string;
  readonly #open = new OpenTickets();
  /** Approvals that were given while no caller waited. `take` uses one. */
  readonly #unused = new OpenTickets();
  /** Tickets that are open, about to run, or unused. A request with the same digest joins one. */
  readonly #byDigest = new Map<string, Ticket>();
  readonly #decided = new DecidedTickets();
  readonly #timer: DeadlineTimer;
  readonly #floods = new FloodLog();
  readonly #counts: Record<keyof DeskCounts, number> = noCounts();
  /** Approved tickets that run at the next tick. */
  #ready: Ticket[] = [];
  #policy: DeskPolicy;
  #isClosed = false;

  constructor(options: DeskOptions) {
    this.#policy = options.policy;
    this.#clock = options.clock ?? systemClock;
    this.#timer = new DeadlineTimer(this.#clock, () => this.#sweep());
    this.#levelOf = options.levelOf ?? (() => 'normal');
    this.#onChange = options.onChange ?? (() => undefined);
    this.#newId = options.newId ?? (() => randomBytes(4).toString('hex'));
  }

  get open(): number {
    return this.#open.size;
  }

  /** Counts since the start; `open` is the current number. */
  get counts(): DeskCounts {
    return { ...this.#counts, open: this.#open.size };
  }

  /** Files a ticket, or joins the one with the same digest. Never throws, never waits. */
  request(request: TicketRequest): { readonly id: string; readonly state: ApprovalState } {
    this.#sweep();
    const { rules } = this.#policy.approvals;
    const rule = Object.hasOwn(rules, request.approval) ? rules[request.approval] : undefined;
    if (rule === undefined || this.#isClosed || !this.#isPolicy(request.policy))
      return { id: '', state: 'stale' };
    const digest = digestOf(request);
    const joined = this.#byDigest.get(digest);
    if (joined !== undefined) {
      this.#counts.joined++;
      return { id: joined.id, state: joined.state };
    }
    const isFull = this.#open.size + this.#ready.length >= mostOpen;
    if (isFull || this.#open.countOf(rule.name) >= rule.pendingMax)
      return this.#refuseFull(rule, request, digest);
    this.#counts.requested++;
    const ticket = this.#file(rule, request, digest, rule.ttlMs);
    if (this.#isBroken(ticket)) this.#decide(ticket, 'overridden');
    return { id: ticket.id, state: ticket.state };
  }

  /** Takes a decision; throws PLM_APPROVAL_... when it is not valid. */
  decide(input: DeskDecision): DeskAnswer {
    this.#sweep();
    const ticket = this.#open.get(input.id) ?? this.#decided.get(input.id);
    if (ticket === undefined) throw failure('PLM_APPROVAL_UNKNOWN', { id: cut(input.id, 100) });
    const { id } = ticket;
    const by = cut(input.by, 120);
    checkDecider(ticket, input, by);
    if (this.#decided.keys.isReplay(input)) return { row: ticket.row(), replayed: true };
    if (ticket.state !== 'open') throw failure('PLM_APPROVAL_DECIDED', { id, state: ticket.state });
    const comment = cut(input.comment ?? '', longestComment);
    if (ticket.isReview && comment.trim() === '') throw failure('PLM_APPROVAL_COMMENT', { id });
    const { decision } = input;
    if (decision === 'approve' && ticket.votes.some((vote) => fold(vote.by) === fold(by)))
      return { row: ticket.row(), replayed: true };
    this.#decided.keys.remember(ticket, input);
    ticket.votes.push({ by, decision, at: this.#clock.now(), channel: cut(input.channel, 40), comment });
    if (decision === 'deny') this.#decide(ticket, 'denied');
    else if (ticket.votes.length >= ticket.rule.quorum) this.#decide(ticket, 'approved');
    else this.#changed(ticket);
    return { row: ticket.row(), replayed: false };
  }

  /** Ends tickets that are due and runs approved ones. The governor calls it at each reading. */
  tick(): void {
    this.#sweep();
    if (this.#ready.length === 0) return;
    const ready = this.#ready;
    this.#ready = [];
    for (const ticket of ready) this.#use(ticket);
  }

  /** Takes a change of level: withdraws tickets that are no longer needed, and lets the policy decide at emergency. */
  levelChanged(scope: string, level: Level): void {
    this.#sweep();
    for (const ticket of this.#open.all()) {
      const { level: needed, levelScope, scope: own } = ticket.request;
      if (needed !== undefined && (levelScope ?? own) === scope && rank(level) < rank(needed))
        this.#decide(ticket, 'withdrawn');
      else if (this.#isBroken(ticket)) this.#decide(ticket, 'overridden');
    }
  }

  /** Takes another policy. Requests under the earlier one are stale. Reviews stay, because they are about the past. */
  setPolicy(policy: DeskPolicy): void {
    this.#sweep();
    this.#policy = policy;
    const isOld = (ticket: Ticket): boolean => !ticket.isReview && !this.#isPolicy(ticket.request.policy);
    for (const ticket of this.#open.all()) if (isOld(ticket)) this.#decide(ticket, 'stale');
    for (const ticket of this.#unused.all()) if (isOld(ticket)) this.#end(ticket, 'stale');
  }

  /** Withdraws an open ticket that is no longer needed. */
  withdraw(id: string): void {
    const ticket = this.#open.get(id);
    if (ticket !== undefined) this.#decide(ticket, 'withdrawn');
  }

  /** Uses an approval that was given while no caller waited. */
  take(parts: DigestParts): ApprovalRow | undefined {
    this.#sweep();
    const ticket = this.#byDigest.get(digestOf(parts));
    if (ticket === undefined || this.#unused.get(ticket.id) === undefined) return undefined;
    if (!this.#isStillValid(ticket)) return undefined;
    this.#used(ticket);
    return ticket.row();
  }

  /** Open ones first, soonest deadline first; then the newest decided. */
  rows(most = 100): readonly ApprovalRow[] {
    const open = this.#open.all().toSorted((a, b) => a.deadlineMs - b.deadlineMs);
    return [...open, ...this.#decided.all()].slice(0, most).map((ticket) => ticket.row());
  }

  row(id: string): ApprovalRow | undefined {
    return (this.#open.get(id) ?? this.#decided.get(id))?.row();
  }

  /** Ends governing, so nobody can decide any more. Tickets that have not run are lost and will not run. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const ticket of this.#open.all()) this.#decide(ticket, 'lost');
    for (const ticket of [...this.#ready, ...this.#unused.all()]) this.#end(ticket, 'lost');
    this.#ready = [];
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #file(rule: ApprovalRule, request: TicketRequest, digest: string, ttlMs: number): Ticket {
    const ticket = this.#ticket(rule, request, digest, ttlMs);
    this.#open.add(ticket);
    this.#byDigest.set(digest, ticket);
    this.#arm();
    this.#changed(ticket);
    return ticket;
  }

  #ticket(rule: ApprovalRule, request: TicketRequest, digest: string, ttlMs: number): Ticket {
    const at = this.#clock.now();
    const deadlineMs = this.#clock.monotonic() + ttlMs;
    let id = this.#newId();
    while (this.#open.get(id) !== undefined || this.#decided.get(id) !== undefined) id = this.#newId();
    return new Ticket({ id, digest, rule, request, at, deadlineAt: at + ttlMs, deadlineMs });
  }

  #refuseFull(
    rule: ApprovalRule,
    request: TicketRequest,
    digest: string,
  ): { id: string; state: 'refused-full' } {
    this.#counts['refused-full']++;
    const nowMs = this.#clock.monotonic();
    const covering = this.#floods.covers(rule.name, nowMs);
    if (covering !== undefined) return { id: covering, state: 'refused-full' };
    const ticket = this.#ticket(rule, request, digest, 0);
    const before = this.#floods.note(rule.name, nowMs, ticket.id);
    ticket.add({ open: this.#open.countOf(rule.name), 'refused before': before });
    ticket.state = 'refused-full';
    ticket.decidedAt = ticket.at;
    ticket.isUsed = true;
    ticket.drop();
    this.#decided.add(ticket);
    this.#changed(ticket);
    return { id: ticket.id, state: 'refused-full' };
  }

  /** Ends tickets that are past their deadline. */
  #sweep(): void {
    const nowMs = this.#clock.monotonic();
    for (let due = this.#open.due(nowMs); due !== undefined; due = this.#open.due(nowMs))
      this.#decide(due, 'expired');
    for (let due = this.#unused.due(nowMs); due !== undefined; due = this.#unused.due(nowMs))
      this.#end(due, 'stale');
    this.#arm();
  }

  /** Every ticket leaves the state `open` here. */
  #decide(ticket: Ticket, state: ApprovalState): void {
    this.#open.remove(ticket);
    this.#arm();
    ticket.state = state;
    ticket.decidedAt = this.#clock.now();
    this.#counts[state]++;
    this.#decided.add(ticket);
    const isLet =
      state === 'approved' ||
      state === 'overridden' ||
      (state === 'expired' && ticket.rule.onExpiry === 'proceed');
    this.#changed(ticket);
    if (!isLet || ticket.isReview) this.#refused(ticket);
    else if (ticket.request.runs === 'decision') this.#use(ticket);
    else this.#ready.push(ticket);
  }

  /** Checks the ticket once more and then runs it, once. */
  #use(ticket: Ticket): void {
    if (ticket.isUsed) return;
    if (!this.#isStillValid(ticket)) {
      this.#end(ticket, 'stale');
      return;
    }
    // Set before it runs, so that the called code cannot run it again.
    ticket.isUsed = true;
    let isTaken = true;
    try {
      isTaken = ticket.request.run(letBy(ticket)) !== false;
    } catch (error) {
      this.#warn(ticket, error);
    }
    if (isTaken) this.#used(ticket);
    else this.#keepUnused(ticket);
  }

  #used(ticket: Ticket): void {
    this.#unused.remove(ticket);
    this.#arm();
    ticket.isUsed = true;
    ticket.ranAt = this.#clock.now();
    this.#counts.ran++;
    this.#forgetDigest(ticket);
    this.#changed(ticket);
    if (ticket.state === 'overridden') this.#review(ticket);
    ticket.drop();
  }

  #keepUnused(ticket: Ticket): void {
    ticket.isUsed = false;
    this.#unused.add(ticket);
    this.#arm();
    if (this.#unused.size > mostUnused) this.#end(this.#unused.all()[0] as Ticket, 'stale');
  }

  /** Ends an approved ticket that does not run, because its subject or the process is gone. */
  #end(ticket: Ticket, state: 'stale' | 'lost'): void {
    this.#unused.remove(ticket);
    this.#arm();
    ticket.state = state;
    this.#counts[state]++;
    this.#changed(ticket);
    this.#refused(ticket);
  }

  #refused(ticket: Ticket): void {
    this.#forgetDigest(ticket);
    const { onRefused } = ticket.request;
    ticket.isUsed = true;
    ticket.drop();
    try {
      onRefused?.(ticket.state);
    } catch (error) {
      this.#warn(ticket, error);
    }
  }

  /** Asks people afterwards whether the policy was right. */
  #review(ticket: Ticket): void {
    if (this.#open.countOf(reviewName) >= mostReviews || this.#isClosed) return;
    const { rule, request } = reviewOf(ticket);
    this.#file(rule, request, digestOf(request), reviewMs);
  }

  #isBroken(ticket: Ticket): boolean {
    if (!ticket.isAction || ticket.rule.breakGlass !== 'emergency') return false;
    return this.#levelOf(ticket.request.scope) === 'emergency' || this.#levelOf('process') === 'emergency';
  }

  #isStillValid(ticket: Ticket): boolean {
    const { policy, level, levelScope, scope, isStillValid } = ticket.request;
    if (!this.#isPolicy(policy)) return false;
    if (level !== undefined && rank(this.#levelOf(levelScope ?? scope)) < rank(level)) return false;
    try {
      return isStillValid() === true;
    } catch {
      return false;
    }
  }

  #isPolicy(policy: { readonly revision: number; readonly sha256: string }): boolean {
    return policy.sha256 === this.#policy.sha256 && policy.revision === this.#policy.revision;
  }

  #forgetDigest(ticket: Ticket): void {
    if (this.#byDigest.get(ticket.digest) === ticket) this.#byDigest.delete(ticket.digest);
  }

  #changed(ticket: Ticket): void {
    const row = ticket.row();
    try {
      this.#onChange(row);
      if (approvalChannel.hasSubscribers) approvalChannel.publish(row);
    } catch (error) {
      this.#warn(ticket, error);
    }
  }

  #warn(ticket: Ticket, error: unknown): void {
    warnOnce('PLM_APPROVAL_RUN', { id: ticket.id, action: ticket.request.action, reason: String(error) });
  }

  #arm(): void {
    const soonest = Math.min(this.#open.soonestMs ?? Infinity, this.#unused.soonestMs ?? Infinity);
    this.#timer.set(this.#isClosed || soonest === Infinity ? undefined : soonest);
  }
}

function letBy(ticket: Ticket): string {
  if (ticket.state === 'overridden') return 'policy';
  if (ticket.state === 'expired') return 'deadline';
  return ticket.votes.map((vote) => vote.by).join(', ');
}

function rank(level: Level): number {
  return levels.indexOf(level);
}

/** Merges refusals of a full desk into one row per entry and ten seconds. A row says how many refusals the previous row stood for. */
class FloodLog {
  readonly #last = new Map<string, { atMs: number; since: number; id: string }>();

  /** The id of the row that covers this refusal; undefined when it needs a row of its own. */
  covers(name: string, nowMs: number): string | undefined {
    const last = this.#last.get(name);
    if (last === undefined || nowMs - last.atMs >= floodEveryMs) return undefined;
    last.since++;
    return last.id;
  }

  /** Records a row. Returns how many further refusals the previous row covered. */
  note(name: string, nowMs: number, id: string): number {
    const since = this.#last.get(name)?.since ?? 0;
    this.#last.set(name, { atMs: nowMs, since: 0, id });
    return since;
  }
}

function noCounts(): Record<keyof DeskCounts, number> {
  return {
    open: 0,
    approved: 0,
    denied: 0,
    expired: 0,
    withdrawn: 0,
    overridden: 0,
    stale: 0,
    'refused-full': 0,
    lost: 0,
    requested: 0,
    joined: 0,
    ran: 0,
  };
}
