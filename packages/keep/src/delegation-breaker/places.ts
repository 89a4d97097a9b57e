import type { Delegation } from './delegation.ts';
import { clampedPlaces } from './memory-clamp.ts';
import type { DelegationTree } from './tree.ts';

/**
 * The places in which delegations run: so many of one tree, so many of all trees.
 *
 * A free place goes round the trees that wait, one delegation of each at a time, so that a wide tree does not keep the others out. Trees
 * that have begun and trees that have not take turns. So work that was begun can end, and new work does not wait for ever.
 */
export class Places {
  /** Delegations that run and do not wait for their own. */
  live = 0;
  /** Delegations that wait for a place. */
  waiting = 0;
  readonly #ofTree: number;
  readonly #ofAll: number;
  /** Trees that wait and have room of their own, the next to be served first. */
  readonly #begun = new Set<DelegationTree>();
  readonly #fresh = new Set<DelegationTree>();
  #isFreshNext = false;
  #isAdvancing = false;

  constructor(ofTree: number, ofAll: number) {
    this.#ofTree = ofTree;
    this.#ofAll = ofAll;
  }

  /** True when a delegation of the tree may start at once. */
  isFree(tree: DelegationTree): boolean {
    const most = clampedPlaces(Number.POSITIVE_INFINITY);
    return tree.live < most && this.live < most && tree.live < this.#ofTree && this.live < this.#ofAll;
  }

  take(delegation: Delegation): void {
    delegation.hasPlace = true;
    delegation.tree.live++;
    this.live++;
  }

  /** Gives a place back, if there is one, without letting the next start. */
  release(delegation: Delegation): void {
    if (!delegation.hasPlace) return;
    const { tree } = delegation;
    delegation.hasPlace = false;
    tree.live--;
    this.live--;
    if (tree.queue !== undefined && tree.queue.size > 0) this.#line(tree).add(tree);
  }

  wait(delegation: Delegation): void {
    const { tree } = delegation;
    (tree.queue ??= new Set()).add(delegation);
    this.waiting++;
    this.#line(tree).add(tree);
  }

  /** Takes a delegation that will not start out of the queue. */
  leave(delegation: Delegation): void {
    const { tree } = delegation;
    if (tree.queue?.delete(delegation) !== true) return;
    this.waiting--;
    if (tree.queue.size > 0) return;
    this.#begun.delete(tree);
    this.#fresh.delete(tree);
  }

  /** Starts those that there is room for. A call from inside of `start` leaves the work to the outer one. */
  advance(start: (delegation: Delegation) => void): void {
    if (this.waiting === 0 || this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      for (;;) {
        const next = this.live < clampedPlaces(this.#ofAll) ? this.#next() : undefined;
        if (next === undefined) return;
        this.leave(next);
        this.take(next);
        start(next);
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  #line(tree: DelegationTree): Set<DelegationTree> {
    return tree.root?.state === 'waiting' ? this.#fresh : this.#begun;
  }

  #next(): Delegation | undefined {
    const lines = this.#isFreshNext ? [this.#fresh, this.#begun] : [this.#begun, this.#fresh];
    for (const line of lines)
      for (const tree of line) {
        line.delete(tree);
        // A tree that fills its own places comes back when it gives one of them back.
        if (tree.live >= clampedPlaces(this.#ofTree)) continue;
        const [first] = tree.queue ?? [];
        if (first === undefined) continue;
        if (tree.waiting > 1) line.add(tree);
        this.#isFreshNext = line === this.#begun;
        return first;
      }
    return undefined;
  }
}
