import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { formatDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { isThenable } from '../thenable.ts';
import { askHook } from './approval-hook.ts';
import { Delegation } from './delegation.ts';
import type { Remaining } from './delegation.ts';
import type { DelegationEvents } from './events.ts';
import { FailureGate } from './failure-gate.ts';
import { askGovernor, isGoverned } from './approval-hook.ts';
import { Places } from './places.ts';
import { isRefusal, Refusals } from './refusals.ts';
import { readDelegationSettings } from './settings.ts';
import type { DelegationBreakerOptions, DelegationSettings } from './settings.ts';
import { subtreeOf, viewOf } from './subtree.ts';
import type { DelegationView } from './subtree.ts';
import { taskFingerprint } from './task-fingerprint.ts';
import { DelegationTree, TreeList } from './tree.ts';

/** Who is asked to do what. */
export interface DelegationRequest {
  readonly agent: string;
  /** Compared to find cycles; only its fingerprint is kept. */
  readonly task?: unknown;
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
 * and the limit. See docs/reference/keepers/delegation-breaker.md.
 */
export class DelegationBreaker implements Keeper, Disposable {
  readonly kind = 'delegation-breaker';
  readonly name: string;
  readonly #settings: DelegationSettings;
  readonly #board = new ReportBoard<DelegationEvents>();
  readonly #entry: KeeperEntry;
  readonly #gate: FailureGate;
  readonly #refusals: Refusals;
  readonly #places: Places;
  readonly #label: string;
  readonly #current = new AsyncLocalStorage<Delegation>();
  readonly #trees = new TreeList();
  #lastId = 0;
  #held = 0;
  #started = 0;
  #done = 0;
  #failed = 0;
  #cancelled = 0;

  constructor(options: DelegationBreakerOptions) {
    this.#settings = readDelegationSettings(options);
    this.name = this.#settings.name;
    this.#label = `delegation breaker "${this.name}"`;
    this.#gate = new FailureGate(this.#settings, this.#board);
    this.#places = new Places(this.#settings.livePerTree, this.#settings.live);
    this.#refusals = new Refusals(this.#settings, this.#board, this.#gate, this.#places, this.#label);
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes that the delegations say they hold. */
  get bytes(): number {
    return this.#held;
  }

  /** The delegation that the running code belongs to. */
  get delegation(): Delegation | undefined {
    return this.#current.getStore();
  }

  /**
   * Runs a delegation inside the budget of its tree; the first one of a tree opens it. Rejects with PLM_DELEGATION_DENIED when it may not
   * run, with PLM_DELEGATION_CANCELLED as soon as it is cancelled, otherwise as the function does.
   */
  run<R>(request: DelegationRequest, work: (delegation: Delegation) => R | Promise<R>): Promise<R> {
    const settings = this.#settings;
    const { agent } = request;
    if (typeof agent !== 'string' || agent === '' || typeof work !== 'function')
      return Promise.reject(this.#badRequest(agent, work));
    const parent = this.#current.getStore();
    const fingerprint = this.#fingerprintOf(request);
    const denied =
      parent === undefined ? this.#refusals.ofRoot(agent) : this.#refusals.below(parent, agent, fingerprint);
    if (denied !== undefined) return Promise.reject(denied);
    const tree = parent?.tree ?? this.#plant();
    const delegation = new Delegation(this, ++this.#lastId, agent, fingerprint, parent, tree);
    tree.total++;
    tree.unfinished++;
    if (delegation.depth > tree.depth) tree.depth = delegation.depth;
    if (parent === undefined) this.#root(delegation);
    else {
      // The delegator waits from now on. Its place goes to what it delegated, so that work that was begun ends first.
      if (parent.outstanding === 0) this.#places.release(parent);
      parent.link(delegation);
    }
    if (this.#gate.tryProbe(agent)) delegation.isProbe = true;
    delegation.work = work;
    const answer = new Promise<R>((resolve, reject) => {
      delegation.resolve = resolve as (value: unknown) => void;
      delegation.reject = reject;
    });
    if (delegation.depth < settings.approveDepth && !isGoverned(delegation))
      this.#enter(delegation, parent?.outstanding === 1);
    else {
      this.#places.advance(this.#start);
      void this.#approve(delegation, request.task);
    }
    return answer;
  }

  /** Cancels a tree, or what is below one delegation, by its id; returns how many delegations that were. */
  cancel(id: number, reason: unknown = 'cancelled'): number {
    for (const tree of this.#trees) {
      const found = subtreeOf(tree.root as Delegation).find((delegation) => delegation.id === id);
      if (found !== undefined) return this.cancelSubtree(found, reason);
    }
    return 0;
  }

  /** Refuses new trees until `resume()`; those that run go on. */
  pause(reason = 'paused'): void {
    this.#refusals.paused = reason;
  }

  resume(): void {
    this.#refusals.paused = undefined;
  }

  /** The trees that are not over, by the id of their first delegation. */
  roots(): DelegationView[] {
    return [...this.#trees].map((tree) => viewOf(tree.root as Delegation));
  }

  /** What is not over of a tree. */
  tree(id: number): DelegationView | undefined {
    for (const { root } of this.#trees) if (root?.id === id) return viewOf(root);
    return undefined;
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof DelegationEvents>(event: E, listener: (event: DelegationEvents[E]) => void): () => void {
    return this.#board.on(event, listener);
  }

  /** Always 0, because a breaker holds nothing that it could give back. Pausing it keeps new work out. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.#label, 'bytes', request.bytes, 'bytes above 0');
    return 0;
  }

  figures(): KeeperFigures {
    return { entries: this.delegations().active };
  }

  delegations(): { active: number; depth: number; denied: number; started: number } {
    let active = 0;
    let depth = 0;
    for (const tree of this.#trees) {
      active += tree.unfinished;
      if (tree.depth > depth) depth = tree.depth;
    }
    return { active, depth, denied: this.#board.count('denied'), started: this.#started };
  }

  stats(): DelegationStats {
    return {
      trees: this.#trees.size,
      live: this.#places.live,
      unfinished: this.delegations().active,
      queued: this.#places.waiting,
      bytes: this.#held,
      started: this.#started,
      done: this.#done,
      failed: this.#failed,
      cancelled: this.#cancelled,
      denied: this.#board.count('denied'),
      outlived: this.#board.count('outlived'),
      openAgents: this.#gate.open,
    };
  }

  /** Cancels every tree and refuses new ones. */
  [Symbol.dispose](): void {
    if (this.#refusals.isClosed) return;
    this.#refusals.isClosed = true;
    for (const tree of this.#trees) this.cancelSubtree(tree.root as Delegation, 'the breaker was closed');
    this.#current.disable();
    this.#entry.close();
  }

  /** @internal */
  remaining(delegation: Delegation): Remaining {
    const { depth, total, tokens, bytes, time, clock } = this.#settings;
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
    this.#held += change;
    this.#entry.charge(this.#held);
  }

  /** @internal */
  cancelSubtree(top: Delegation, reason: unknown): number {
    if (top.isCancelled || isOver(top)) return 0;
    const text = reason instanceof Error ? reason.message : String(reason);
    const path = top.path;
    const error = failure(
      'PLM_DELEGATION_CANCELLED',
      { breaker: this.#label, path, reason: text },
      { cause: reason },
    );
    const all = subtreeOf(top);
    for (const delegation of all) {
      delegation.isCancelled = true;
      delegation.reason = error;
      this.#guard(() => delegation.abort());
      delegation.reject?.(error);
      // What has not started will not; what runs is over when its function is.
      if (delegation.state === 'waiting') this.#finish(delegation, 'cancelled');
    }
    this.#board.emit('cancelled', { agent: top.agent, path, reason: text, delegations: all.length });
    this.#places.advance(this.#start);
    return all.length;
  }

  #badRequest(agent: unknown, work: unknown): Error {
    return typeof work === 'function'
      ? badOption(
          this.#label,
          'agent',
          typeof agent === 'string' ? agent : typeof agent,
          'a non-empty string',
        )
      : badOption(this.#label, 'work', typeof work, 'a function');
  }

  #fingerprintOf({ agent, task }: DelegationRequest): string {
    try {
      const own = this.#settings.fingerprint;
      return own === undefined ? taskFingerprint(task) : own(task);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'fingerprint', agent, cause });
      // A task that cannot be compared is a task of its own.
      return `?${this.#lastId}`;
    }
  }

  #plant(): DelegationTree {
    const { time, clock } = this.#settings;
    return new DelegationTree(time === Number.POSITIVE_INFINITY ? 0 : clock.monotonic());
  }

  #root(delegation: Delegation): void {
    const { tree } = delegation;
    const { time, clock } = this.#settings;
    tree.root = delegation;
    this.#trees.add(tree);
    if (time !== Number.POSITIVE_INFINITY)
      tree.cancelTimer = clock.after(time, () => {
        this.cancelSubtree(delegation, `the limit of ${formatDuration(time)} per tree is over`);
      });
  }

  /** Takes a place, or waits for one; the place that was just left for it goes to nobody else. */
  #enter(delegation: Delegation, isHeir: boolean): void {
    const { tree } = delegation;
    if (delegation.state !== 'waiting') return;
    const places = this.#places;
    if (places.isFree(tree) && (isHeir || tree.waiting === 0)) {
      places.take(delegation);
      this.#start(delegation);
    } else places.wait(delegation);
  }

  async #approve(delegation: Delegation, task: unknown): Promise<void> {
    const { agent, depth } = delegation;
    const isApproved = await askHook(this.#settings, this.#board, delegation, task);
    // Comes after the program's own answer, so that a human is asked only for what the program would do.
    const refusal = isApproved ? await askGovernor(delegation) : undefined;
    if (delegation.state !== 'waiting') return;
    if (isApproved && refusal === undefined) {
      this.#enter(delegation, false);
      return;
    }
    const why = refusal === undefined ? `depth ${depth} was not approved` : refusal.message;
    const denied = this.#refusals.deny('approval', agent, delegation.parent, why);
    delegation.reject?.(refusal === undefined ? denied : Object.assign(denied, { cause: refusal }));
    this.#finish(delegation, 'cancelled');
    this.#places.advance(this.#start);
  }

  readonly #start = (delegation: Delegation): void => {
    const work = delegation.work as (delegation: Delegation) => unknown;
    delegation.work = undefined;
    this.#started++;
    delegation.state = 'running';
    let outcome: unknown;
    try {
      // Its end costs less than that of `AsyncLocalStorage.run`, which copies all stores once more to go back.
      outcome = new AsyncResource('PlimsollDelegation').runInAsyncScope(() => {
        this.#current.enterWith(delegation);
        return work(delegation);
      });
    } catch (error) {
      this.#settled(delegation, 'failed', error);
      return;
    }
    if (!isThenable(outcome)) this.#settled(delegation, 'done', outcome);
    else
      outcome.then(
        (value) => this.#settled(delegation, 'done', value),
        (error: unknown) => this.#settled(delegation, 'failed', error),
      );
  };

  /** The function of a delegation is over. */
  #settled(delegation: Delegation, state: 'done' | 'failed', outcome: unknown): void {
    const { agent } = delegation;
    if (delegation.isCancelled) this.#finish(delegation, 'cancelled');
    else {
      if (state === 'done') this.#gate.succeeded(agent);
      else if (isRefusal(outcome)) this.#gate.unprobed(agent);
      else if (this.#settings.failures !== Number.POSITIVE_INFINITY) this.#gate.failed(agent);
      this.#finish(delegation, state);
      if (state === 'failed') delegation.reject?.(outcome as Error);
      else delegation.resolve?.(outcome);
    }
    delegation.resolve = undefined;
    delegation.reject = undefined;
    this.#places.advance(this.#start);
  }

  #finish(delegation: Delegation, state: 'done' | 'failed' | 'cancelled'): void {
    const { tree, parent } = delegation;
    delegation.state = state;
    if (state === 'done') this.#done++;
    else if (state === 'failed') this.#failed++;
    else {
      this.#cancelled++;
      if (delegation.isProbe) this.#gate.unprobed(delegation.agent);
    }
    if (delegation.bytes > 0) this.charge(delegation, -delegation.bytes);
    delegation.bytes = 0;
    if (delegation.outstanding > 0) this.#outlived(delegation);
    this.#places.leave(delegation);
    this.#places.release(delegation);
    tree.unfinished--;
    if (parent !== undefined) {
      parent.unlink(delegation);
      // Whoever waited for its last delegation runs again, in the place of that one.
      if (parent.outstanding === 0 && parent.state === 'running') this.#places.take(parent);
    }
    if (tree.unfinished > 0) return;
    tree.cancelTimer?.();
    this.#trees.remove(tree);
  }

  #outlived(delegation: Delegation): void {
    const children: string[] = [];
    for (let at = delegation.firstChild; at !== undefined; at = at.next) children.push(at.agent);
    this.#board.emit('outlived', { agent: delegation.agent, path: delegation.path, children });
  }

  #guard(work: () => void): void {
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
