import type { Delegation } from './delegation.ts';

/** The budget that a whole tree of delegations shares. */
export class DelegationTree {
  root: Delegation | undefined = undefined;
  /** Delegations admitted so far. */
  total = 0;
  /** Delegations that run and do not wait for their own. */
  live = 0;
  tokens = 0;
  bytes = 0;
  /** Monotonic ms; 0 when trees have no time limit. */
  readonly startedMs: number;
  /** Delegations admitted and not over. */
  unfinished = 0;
  /** Deepest level that it reached. */
  depth = 0;
  /** Delegations that wait for a place, in the order in which they came. */
  queue: Set<Delegation> | undefined = undefined;
  cancelTimer: (() => void) | undefined = undefined;
  /** Its neighbours in the list of trees. */
  next: DelegationTree | undefined = undefined;
  previous: DelegationTree | undefined = undefined;

  constructor(startedMs: number) {
    this.startedMs = startedMs;
  }

  get waiting(): number {
    return this.queue === undefined ? 0 : this.queue.size;
  }
}

/** The trees that are not over: a list, because a map costs more than all else that a tree needs. */
export class TreeList implements Iterable<DelegationTree> {
  #first: DelegationTree | undefined = undefined;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add(tree: DelegationTree): void {
    tree.next = this.#first;
    if (this.#first !== undefined) this.#first.previous = tree;
    this.#first = tree;
    this.#count++;
  }

  remove(tree: DelegationTree): void {
    if (tree.previous === undefined) this.#first = tree.next;
    else tree.previous.next = tree.next;
    if (tree.next !== undefined) tree.next.previous = tree.previous;
    tree.next = undefined;
    tree.previous = undefined;
    this.#count--;
  }

  /** The trees in the order in which they began. They may end while the list is walked. */
  *[Symbol.iterator](): Generator<DelegationTree> {
    const trees: DelegationTree[] = [];
    for (let at = this.#first; at !== undefined; at = at.next) trees.push(at);
    yield* trees.reverse();
  }
}
