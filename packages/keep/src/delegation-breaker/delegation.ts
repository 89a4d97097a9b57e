import type { DelegationTree } from './tree.ts';

export type DelegationState = 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';

/** What is left of a tree's budget. */
export interface Remaining {
  readonly depth: number;
  readonly total: number;
  readonly tokens: number;
  readonly bytes: number;
  readonly timeMs: number;
}

/** What a breaker does for its delegations. */
interface DelegationOwner {
  remaining(delegation: Delegation): Remaining;
  charge(delegation: Delegation, change: number): void;
  cancelSubtree(delegation: Delegation, reason: unknown): number;
}

/** One delegation: who was asked, by whom, and what became of it. Given to the delegated function. */
export class Delegation {
  readonly id: number;
  readonly agent: string;
  readonly depth: number;
  /** @internal */
  readonly fingerprint: string;
  /** @internal */
  readonly parent: Delegation | undefined;
  /** @internal */
  readonly tree: DelegationTree;
  /** @internal */
  state: DelegationState = 'waiting';
  /** @internal Children that are not over. */
  outstanding = 0;
  /** @internal Bytes it says it holds. */
  bytes = 0;
  /** @internal Why it was cancelled. */
  reason: unknown = undefined;
  /** @internal What it will run; gone once it does. */
  work: ((delegation: Delegation) => unknown) | undefined = undefined;
  /** @internal Ends the waiting of whoever delegated. */
  resolve: ((value: unknown) => void) | undefined = undefined;
  /** @internal */
  reject: ((error: Error) => void) | undefined = undefined;
  /** @internal */
  isCancelled = false;
  /** @internal True when it holds one of the tree's places. */
  hasPlace = false;
  /** @internal */
  isProbe = false;
  /** @internal */
  firstChild: Delegation | undefined = undefined;
  /** @internal */
  next: Delegation | undefined = undefined;
  /** @internal */
  previous: Delegation | undefined = undefined;
  readonly #owner: DelegationOwner;
  #controller: AbortController | undefined = undefined;

  /** @internal */
  constructor(
    owner: DelegationOwner,
    id: number,
    agent: string,
    fingerprint: string,
    parent: Delegation | undefined,
    tree: DelegationTree,
  ) {
    this.#owner = owner;
    this.id = id;
    this.agent = agent;
    this.fingerprint = fingerprint;
    this.parent = parent;
    this.tree = tree;
    this.depth = parent === undefined ? 1 : parent.depth + 1;
  }

  /** Agents from the root of the tree to this one. */
  get path(): string[] {
    const path: string[] = [];
    for (let at = this.parent; at !== undefined; at = at.parent) path.unshift(at.agent);
    path.push(this.agent);
    return path;
  }

  /** Aborted when this delegation, one above it or the whole tree is cancelled. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.isCancelled) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** What is left for this delegation and everything below it. */
  remaining(): Remaining {
    return this.#owner.remaining(this);
  }

  /** Takes tokens from the budget of the tree; false when it is used up and no delegation will be admitted any more. */
  spend(tokens: number): boolean {
    if (tokens > 0 && tokens <= Number.MAX_SAFE_INTEGER) this.tree.tokens += tokens;
    return this.remaining().tokens > 0;
  }

  /** Says how many bytes this delegation holds now; false when the tree holds more than its budget. They count until it is over. */
  hold(bytes: number): boolean {
    if (bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER && this.state === 'running') {
      const change = bytes - this.bytes;
      this.bytes = bytes;
      this.#owner.charge(this, change);
    }
    return this.remaining().bytes >= 0;
  }

  /** Cancels this delegation and everything below it; returns how many that were. */
  cancel(reason: unknown = 'cancelled'): number {
    return this.#owner.cancelSubtree(this, reason);
  }

  /** @internal */
  abort(): void {
    this.#controller?.abort(this.reason);
  }

  /** @internal */
  link(child: Delegation): void {
    child.next = this.firstChild;
    if (this.firstChild !== undefined) this.firstChild.previous = child;
    this.firstChild = child;
    this.outstanding++;
  }

  /** @internal */
  unlink(child: Delegation): void {
    if (child.previous === undefined) this.firstChild = child.next;
    else child.previous.next = child.next;
    if (child.next !== undefined) child.next.previous = child.previous;
    child.next = undefined;
    child.previous = undefined;
    this.outstanding--;
  }
}
