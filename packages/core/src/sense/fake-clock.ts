import type { Clock } from './clock.ts';

interface Due {
  readonly at: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that moves only when a test says so. */
export class FakeClock implements Clock {
  /** Ms by which every look at `monotonic()` moves the clock; gives work a cost. */
  costMs = 0;
  #wall: number;
  #elapsed = 0;
  #order = 0;
  readonly #due = new Set<Due>();

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#wall = startMs;
  }

  /** Timers that wait. */
  get waiting(): number {
    return this.#due.size;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    this.#move(this.costMs);
    return this.#elapsed;
  }

  after(ms: number, callback: () => void): () => void {
    const entry: Due = { at: this.#elapsed + Math.max(0, ms), order: this.#order++, callback };
    this.#due.add(entry);
    return () => this.#due.delete(entry);
  }

  /** Lets time pass and fires every timer at its moment. */
  advance(ms: number): void {
    const end = this.#elapsed + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#move(Math.max(0, next.at - this.#elapsed));
      this.#due.delete(next);
      next.callback();
    }
    this.#move(Math.max(0, end - this.#elapsed));
  }

  /** A blocked event loop: time passes, no timer fires until the end, then those overdue fire once each. */
  stall(ms: number): void {
    this.#move(ms);
    const overdue = [...this.#due].filter((entry) => entry.at <= this.#elapsed).sort(byTime);
    for (const entry of overdue) {
      if (!this.#due.delete(entry)) continue;
      entry.callback();
    }
  }

  /** Moves the wall clock only, as NTP or an operator does. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #move(ms: number): void {
    this.#elapsed += ms;
    this.#wall += ms;
  }

  #next(end: number): Due | undefined {
    let first: Due | undefined;
    for (const entry of this.#due) {
      if (entry.at <= end && (first === undefined || byTime(entry, first) < 0)) first = entry;
    }
    return first;
  }
}

function byTime(a: Due, b: Due): number {
  return a.at - b.at || a.order - b.order;
}
