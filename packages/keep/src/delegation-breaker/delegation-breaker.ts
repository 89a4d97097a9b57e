import { AsyncLocalStorage } from 'node:async_hooks';
import { formatByteSize, formatDuration } from '@plimsoll/core';
import { failure } from '@plimsoll/core/errors';
import { badOption } from '../bound.ts';
import type { Keeper, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { Delegation } from './delegation.ts';
import type { DelegationOwner, DelegationState, Remaining } from './delegation.ts';
import type { DelegationDenied, DelegationEvents, DelegationLimit } from './events.ts';
import { FailureGate } from './failure-gate.ts';
import { askGovernor, isGoverned } from './governed-approval.ts';
import { clampOf, clampedPlaces } from './memory-clamp.ts';
import { loopOf } from './path-check.ts';
import { readDelegationSettings } from './settings.ts';
import type { DelegationBreakerOptions, DelegationSettings } from './settings.ts';
import { taskFingerprint } from './task-fingerprint.ts';
import { Tree } from './tree.ts';

/** Who is asked to do what. */
export interface DelegationRequest {
  readonly agent: string;
  /** Compared to find cycles; only its fingerprint is kept. */
  readonly task?: unknown;
}

/** A delegation as `tree()` shows it. */
export interface DelegationView {
  readonly id: number;
  readonly agent: string;
  readonly depth: number;
  readonly state: DelegationState;
  readonly bytes: number;
  readonly children: readonly DelegationView[];
}

/** What a breaker counts. */
export interface DelegationStats {
  readonly trees: number;
  /** Delegations that run and do not wait for their own. */
  readonly live: number;
  /** Delegations admitted and not over, with those that wait. */
  readonly unfinished: number;
  /** Delegations that wait for a place or an approval. */
  readonly queued: number;
  readonly bytes: number;
  readonly started: number;
  readonly done: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly denied: number;
  /** Delegations that were over before their own delegations were. */
  readonly outlived: number;
  /** Agents that are left alone after failures. */
  readonly openAgents: readonly string[];
}

/**
 * One budget for a whole tree of delegations between agents, found again in every call below by AsyncLocalStorage.
 *
 * A delegation that waits for its own delegations does not count as running, so a tree never waits for itself. A refusal carries the path
 * and the limit. See docs/keepers/delegation-breaker.md.
 */
export class DelegationBreaker implements Keeper, DelegationOwner, Disposable {
  readonly kind = 'delegation-breaker';
  readonly name: string;
  private readonly settings: DelegationSettings;
  private readonly board = new ReportBoard<DelegationEvents>();
  private readonly entry: KeeperEntry;
  private readonly gate: FailureGate;
  private readonly current = new AsyncLocalStorage<Delegation>();
  private readonly trees = new Map<number, Tree>();
  private paused: string | undefined;
  private isClosed = false;
  private lastId = 0;
  private held = 0;
  private started = 0;
  private done = 0;
  private failed = 0;
  private cancelled = 0;

  constructor(options: DelegationBreakerOptions) {
    this.settings = readDelegationSettings(options);
    this.name = this.settings.name;
    this.gate = new FailureGate(this.settings, this.board);
    this.entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes that the delegations say they hold. */
  get bytes(): number {
    return this.held;
  }

  /** The delegation that the running code belongs to. */
  get delegation(): Delegation | undefined {
    return this.current.getStore();
  }

  /**
   * Runs a delegation inside the budget of its tree; the first one of a tree opens it. Rejects with PLM_DELEGATION_DENIED when it may not
   * run, with PLM_DELEGATION_CANCELLED as soon as it is cancelled, otherwise as the function does.
   */
  run<R>(request: DelegationRequest, work: (delegation: Delegation) => R | Promise<R>): Promise<R> {
    const { settings } = this;
    const { agent } = request;
    if (typeof agent !== 'string' || agent === '' || typeof work !== 'function')
      return Promise.reject(this.badRequest(agent, work));
    const parent = this.current.getStore();
    const fingerprint = this.fingerprintOf(request);
    const denied = parent === undefined ? this.refuseRoot(agent) : this.refuse(agent, fingerprint, parent);
    if (denied !== undefined) return Promise.reject(denied);
    const tree = parent?.tree ?? this.plant();
    const delegation = new Delegation(this, ++this.lastId, agent, fingerprint, parent, tree);
    tree.total++;
    tree.unfinished++;
    if (parent === undefined) this.root(delegation);
    else {
      // Who delegates waits from now on: its place goes to what it delegated, so that what was begun ends first.
      if (parent.outstanding === 0) tree.release(parent);
      parent.link(delegation);
    }
    if (this.gate.tryProbe(agent)) delegation.isProbe = true;
    delegation.work = work;
    return new Promise<R>((resolve, reject) => {
      delegation.resolve = resolve as (value: unknown) => void;
      delegation.reject = reject;
      const isFree = delegation.depth < settings.approveDepth && !isGoverned(delegation);
      if (isFree) this.enter(delegation, parent?.outstanding === 1);
      else {
        tree.advance(this.start);
        void this.approve(delegation, request.task);
      }
    });
  }

  /** Cancels a tree, or what is below one delegation, by its id; returns how many delegations that were. */
  cancel(id: number, reason: unknown = 'cancelled'): number {
    for (const tree of this.trees.values()) {
      const found = find(tree.root as Delegation, id);
      if (found !== undefined) return this.cancelSubtree(found, reason);
    }
    return 0;
  }

  /** Refuses new trees until `resume()`; those that run go on. */
  pause(reason = 'paused'): void {
    this.paused = reason;
  }

  resume(): void {
    this.paused = undefined;
  }

  /** The trees that are not over, by the id of their first delegation. */
  roots(): DelegationView[] {
    return [...this.trees.values()].map((tree) => view(tree.root as Delegation));
  }

  /** What is not over of a tree. */
  tree(id: number): DelegationView | undefined {
    const root = this.trees.get(id)?.root;
    return root === undefined ? undefined : view(root);
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof DelegationEvents>(event: E, listener: (event: DelegationEvents[E]) => void): () => void {
    return this.board.on(event, listener);
  }

  /** A breaker holds nothing of its own that it could give back: always 0. Pausing it keeps new work out. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.label, 'bytes', request.bytes, 'bytes above 0');
    return 0;
  }

  stats(): DelegationStats {
    let live = 0;
    let unfinished = 0;
    let queued = 0;
    for (const tree of this.trees.values()) {
      live += tree.live;
      unfinished += tree.unfinished;
      queued += tree.waiting;
    }
    return {
      trees: this.trees.size,
      live,
      unfinished,
      queued,
      bytes: this.held,
      started: this.started,
      done: this.done,
      failed: this.failed,
      cancelled: this.cancelled,
      denied: this.board.count('denied'),
      outlived: this.board.count('outlived'),
      openAgents: this.gate.open,
    };
  }

  /** Cancels every tree and refuses new ones. */
  [Symbol.dispose](): void {
    if (this.isClosed) return;
    this.isClosed = true;
    for (const tree of this.trees.values())
      this.cancelSubtree(tree.root as Delegation, 'the breaker was closed');
    this.current.disable();
    this.entry.close();
  }

  /** @internal */
  remaining(delegation: Delegation): Remaining {
    const { depth, total, tokens, bytes, time, clock } = this.settings;
    const { tree } = delegation;
    return {
      depth: depth - delegation.depth,
      total: total - tree.total,
      tokens: tokens - tree.tokens,
      bytes: bytes - tree.bytes,
      timeMs: time === Number.POSITIVE_INFINITY ? time : time - (clock.monotonic() - tree.startedMs),
    };
  }

  /** @internal */
  charge(delegation: Delegation, change: number): void {
    delegation.tree.bytes += change;
    this.held += change;
    this.entry.charge(this.held);
  }

  /** @internal */
  cancelSubtree(top: Delegation, reason: unknown): number {
    if (top.isCancelled || isOver(top)) return 0;
    const text = reason instanceof Error ? reason.message : String(reason);
    const path = top.path;
    const error = failure(
      'PLM_DELEGATION_CANCELLED',
      { breaker: this.label, path, reason: text },
      { cause: reason },
    );
    const all = collect(top);
    for (const delegation of all) {
      delegation.isCancelled = true;
      delegation.reason = error;
      this.guard(() => delegation.abort());
      delegation.reject?.(error);
      // What has not started will not; what runs is over when its function is.
      if (delegation.state === 'waiting') this.finish(delegation, 'cancelled');
    }
    this.board.emit('cancelled', { agent: top.agent, path, reason: text, delegations: all.length });
    top.tree.advance(this.start);
    return all.length;
  }

  private get label(): string {
    return `delegation breaker "${this.name}"`;
  }

  private badRequest(agent: unknown, work: unknown): Error {
    return typeof work === 'function'
      ? badOption(this.label, 'agent', typeof agent === 'string' ? agent : typeof agent, 'a non-empty string')
      : badOption(this.label, 'work', typeof work, 'a function');
  }

  private fingerprintOf({ agent, task }: DelegationRequest): string {
    try {
      const own = this.settings.fingerprint;
      return own === undefined ? taskFingerprint(task) : own(task);
    } catch (cause) {
      this.board.emit('hook-failed', { hook: 'fingerprint', agent, cause });
      // A task that cannot be compared is a task of its own.
      return `?${this.lastId}`;
    }
  }

  private refuseRoot(agent: string): DelegationDenied | undefined {
    if (this.isClosed) return this.deny('closed', agent, undefined, 'the breaker is closed');
    if (this.paused !== undefined)
      return this.deny('paused', agent, undefined, `no new work: ${this.paused}`);
    return this.refuseAgent(agent, undefined);
  }

  private refuse(agent: string, fingerprint: string, parent: Delegation): DelegationDenied | undefined {
    const { depth, total, tokens, bytes, time, live, waits, reentry, pingPong, clock } = this.settings;
    const { tree } = parent;
    if (parent.isCancelled)
      return this.deny('cancelled', agent, parent, 'the delegation above it was cancelled');
    if (parent.depth >= depth) return this.deny('depth', agent, parent, `the limit is ${depth} levels`);
    const clamp = clampOf(parent);
    if (clamp !== undefined) return this.deny(clamp.limit, agent, parent, clamp.why);
    const loop = loopOf(agent, fingerprint, parent, reentry, pingPong);
    if (loop !== undefined) return this.deny(loop.limit, agent, parent, loop.why);
    if (tree.total >= total)
      return this.deny('total', agent, parent, `the limit is ${total} delegations per tree`);
    if (tree.tokens >= tokens)
      return this.deny('tokens', agent, parent, `${tree.tokens} of ${tokens} tokens are spent`);
    if (tree.bytes > bytes) {
      const of = `${formatByteSize(tree.bytes)} of ${formatByteSize(bytes)}`;
      return this.deny('bytes', agent, parent, `the tree holds ${of}`);
    }
    if (time !== Number.POSITIVE_INFINITY && clock.monotonic() - tree.startedMs >= time)
      return this.deny('time', agent, parent, `the limit is ${formatDuration(time)} per tree`);
    const places = waits ? Number.POSITIVE_INFINITY : clampedPlaces(live);
    if (tree.live - (parent.outstanding === 0 && parent.hasPlace ? 1 : 0) >= places)
      return this.deny('live', agent, parent, `${places} delegations run already`);
    return this.refuseAgent(agent, parent);
  }

  private refuseAgent(agent: string, parent: Delegation | undefined): DelegationDenied | undefined {
    const answer = this.gate.admit(agent);
    if (typeof answer === 'string') return undefined;
    const left =
      answer === 0 ? 'it is being tried by another delegation' : `next try in ${formatDuration(answer)}`;
    return this.deny('failures', agent, parent, `${agent} failed too often, ${left}`);
  }

  private deny(
    limit: DelegationLimit,
    agent: string,
    parent: Delegation | undefined,
    why: string,
  ): DelegationDenied {
    const path = parent === undefined ? [agent] : [...parent.path, agent];
    this.board.emit('denied', { agent, limit, path, why });
    const error = failure('PLM_DELEGATION_DENIED', { breaker: this.label, path, limit, why });
    return Object.assign(error, { limit, path });
  }

  private plant(): Tree {
    return new Tree(this.settings.live, this.settings.clock.monotonic());
  }

  private root(delegation: Delegation): void {
    const { tree } = delegation;
    const { time, clock } = this.settings;
    tree.root = delegation;
    this.trees.set(delegation.id, tree);
    if (time !== Number.POSITIVE_INFINITY)
      tree.cancelTimer = clock.after(time, () => {
        this.cancelSubtree(delegation, `the limit of ${formatDuration(time)} per tree is over`);
      });
  }

  /** Takes a place of the tree, or waits for one; the place that was just left for it goes to nobody else. */
  private enter(delegation: Delegation, isHeir: boolean): void {
    const { tree } = delegation;
    if (delegation.state !== 'waiting') return;
    if (tree.hasPlace && (isHeir || tree.waiting === 0)) {
      tree.take(delegation);
      this.start(delegation);
    } else tree.wait(delegation);
  }

  private async approve(delegation: Delegation, task: unknown): Promise<void> {
    const { agent, depth } = delegation;
    const isApproved = await this.askHook(delegation, task);
    // After the program's own answer: a human is asked only for what the program would do.
    const refusal = isApproved ? await askGovernor(delegation) : undefined;
    if (delegation.state !== 'waiting') return;
    if (isApproved && refusal === undefined) {
      this.enter(delegation, false);
      return;
    }
    const why = refusal === undefined ? `depth ${depth} was not approved` : refusal.message;
    const denied = this.deny('approval', agent, delegation.parent, why);
    delegation.reject?.(refusal === undefined ? denied : Object.assign(denied, { cause: refusal }));
    this.finish(delegation, 'cancelled');
    delegation.tree.advance(this.start);
  }

  /** The answer of the program's own hook; yes when it has none for this depth. */
  private async askHook(delegation: Delegation, task: unknown): Promise<boolean> {
    const { ask, approveDepth, askTimeout, clock } = this.settings;
    const { agent, depth, path, signal } = delegation;
    if (ask === undefined || depth < approveDepth) return true;
    let stop: (() => void) | undefined;
    const late = new Promise<false>((resolve) => {
      stop = clock.after(askTimeout, () => resolve(false));
    });
    try {
      return (await Promise.race([ask({ agent, task, depth, path, signal }), late])) === true;
    } catch (cause) {
      this.board.emit('hook-failed', { hook: 'approve', agent, cause });
      return false;
    } finally {
      stop?.();
    }
  }

  private readonly start = (delegation: Delegation): void => {
    const work = delegation.work as (delegation: Delegation) => unknown;
    delegation.work = undefined;
    this.started++;
    delegation.state = 'running';
    let outcome: unknown;
    try {
      outcome = this.current.run(delegation, work, delegation);
    } catch (error) {
      this.settled(delegation, 'failed', error);
      return;
    }
    if (!isThenable(outcome)) this.settled(delegation, 'done', outcome);
    else
      outcome.then(
        (value) => this.settled(delegation, 'done', value),
        (error: unknown) => this.settled(delegation, 'failed', error),
      );
  };

  /** The function of a delegation is over. */
  private settled(delegation: Delegation, state: 'done' | 'failed', outcome: unknown): void {
    const { agent } = delegation;
    if (delegation.isCancelled) this.finish(delegation, 'cancelled');
    else {
      if (state === 'done') this.gate.succeeded(agent);
      else if (isRefusal(outcome)) this.gate.unprobed(agent);
      else if (this.settings.failures !== Number.POSITIVE_INFINITY) this.gate.failed(agent);
      this.finish(delegation, state);
      if (state === 'failed') delegation.reject?.(outcome as Error);
      else delegation.resolve?.(outcome);
    }
    delegation.resolve = undefined;
    delegation.reject = undefined;
    if (delegation.tree.waiting > 0) delegation.tree.advance(this.start);
  }

  private finish(delegation: Delegation, state: 'done' | 'failed' | 'cancelled'): void {
    const { tree, parent } = delegation;
    delegation.state = state;
    if (state === 'done') this.done++;
    else if (state === 'failed') this.failed++;
    else {
      this.cancelled++;
      if (delegation.isProbe) this.gate.unprobed(delegation.agent);
    }
    if (delegation.bytes > 0) this.charge(delegation, -delegation.bytes);
    delegation.bytes = 0;
    if (delegation.outstanding > 0) this.outlived(delegation);
    tree.release(delegation);
    tree.unfinished--;
    if (parent !== undefined) {
      parent.unlink(delegation);
      // Whoever waited for its last delegation runs again, in the place of that one.
      if (parent.outstanding === 0 && parent.state === 'running') tree.take(parent);
    }
    if (tree.unfinished > 0) return;
    tree.cancelTimer?.();
    this.trees.delete((tree.root as Delegation).id);
  }

  private outlived(delegation: Delegation): void {
    const children: string[] = [];
    for (let at = delegation.firstChild; at !== undefined; at = at.next) children.push(at.agent);
    this.board.emit('outlived', { agent: delegation.agent, path: delegation.path, children });
  }

  private guard(work: () => void): void {
    try {
      work();
    } catch {
      // A listener of the signal threw; the others have been told.
    }
  }
}

function isOver(delegation: Delegation): boolean {
  return delegation.state !== 'running' && delegation.state !== 'waiting' && delegation.outstanding === 0;
}

function isThenable(value: unknown): value is Promise<unknown> {
  return typeof (value as Promise<unknown> | null | undefined)?.then === 'function';
}

/** True for an error that says nothing about the agent that met it. */
function isRefusal(error: unknown): boolean {
  const code = (error as { code?: unknown } | null | undefined)?.code;
  return code === 'PLM_DELEGATION_DENIED' || code === 'PLM_DELEGATION_CANCELLED';
}

/** A delegation and all below it that are not over, top first. */
function collect(top: Delegation): Delegation[] {
  const all = [top];
  for (let i = 0; i < all.length; i++)
    for (let at = (all[i] as Delegation).firstChild; at !== undefined; at = at.next)
      if (!at.isCancelled) all.push(at);
  return all;
}

function find(top: Delegation, id: number): Delegation | undefined {
  return collect(top).find((delegation) => delegation.id === id);
}

function view(top: Delegation): DelegationView {
  const children: DelegationView[] = [];
  for (let at = top.firstChild; at !== undefined; at = at.next) children.unshift(view(at));
  const { id, agent, depth, state, bytes } = top;
  return { id, agent, depth, state, bytes, children };
}
