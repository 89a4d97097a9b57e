import type { Delegation } from './delegation.ts';
import { clampedPlaces } from './memory-clamp.ts';

/** The budget that a whole tree of delegations shares. */
export class Tree {
  root: Delegation | undefined = undefined;
  /** Delegations admitted so far. */
  total = 0;
  /** Delegations that run and do not wait for their own. */
  live = 0;
  tokens = 0;
  bytes = 0;
  readonly startedMs: number;
  /** Delegations admitted and not over. */
  unfinished = 0;
  /** Deepest level that it reached. */
  depth = 0;
  cancelTimer: (() => void) | undefined = undefined;
  private readonly places: number;
  private readonly queue: Delegation[] = [];

  constructor(places: number, startedMs: number) {
    this.places = places;
    this.startedMs = startedMs;
  }

  get waiting(): number {
    return this.queue.length;
  }

  get hasPlace(): boolean {
    return this.live < clampedPlaces(this.places);
  }

  take(delegation: Delegation): void {
    delegation.hasPlace = true;
    this.live++;
  }

  wait(delegation: Delegation): void {
    this.queue.push(delegation);
  }

  /** Gives a place back, if there is one, without letting the next start. */
  release(delegation: Delegation): void {
    if (!delegation.hasPlace) return;
    delegation.hasPlace = false;
    this.live--;
  }

  /** Starts those that there is room for; what was cancelled meanwhile just leaves. */
  advance(start: (delegation: Delegation) => void): void {
    while (this.queue.length > 0) {
      const first = this.queue[0] as Delegation;
      if (first.state === 'waiting' && !this.hasPlace) return;
      this.queue.shift();
      if (first.state !== 'waiting') continue;
      this.take(first);
      start(first);
    }
  }
}
