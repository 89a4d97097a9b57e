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

  constructor(startedMs: number) {
    this.startedMs = startedMs;
  }

  get waiting(): number {
    return this.queue === undefined ? 0 : this.queue.size;
  }
}
