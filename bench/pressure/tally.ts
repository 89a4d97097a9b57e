import type { Outcome } from './exchange.ts';

/** What the crowd saw, second by second and in sum. */
export interface CrowdReport {
  /** Attempts inside open sessions: turns, replays and closes. */
  readonly requests: Readonly<Record<Outcome, number>>;
  /** Attempts to open a session. */
  readonly opens: Readonly<Record<Outcome, number>>;
  readonly sessions: {
    readonly opened: number;
    readonly finished: number;
    /** Open sessions that the server no longer knew, or that could not be reached again. */
    readonly lost: number;
    /** Sessions whose running turn was cut off while the server lived. */
    readonly harmed: number;
  };
  /** Longest time in which no turn was served. */
  readonly longestOutageMs: number;
  /** Longest time from the first failure that users notice until turns are served as before. */
  readonly recoveredMs: number;
  readonly turnMs: { readonly p50: number; readonly p99: number };
  /** Served and failed attempts per second of the run. */
  readonly seconds: readonly { readonly served: number; readonly failed: number }[];
}

const zero = (): Record<Outcome, number> => ({ served: 0, refused: 0, lost: 0, broken: 0, unreachable: 0 });

/** Counts what users see. Times are ms since the load began. */
export class Tally {
  readonly #requests = zero();
  readonly #opens = zero();
  readonly #seconds: { served: number; failed: number }[] = [];
  readonly #turnMs: number[] = [];
  #opened = 0;
  #finished = 0;
  #lost = 0;
  #harmed = 0;
  #lastServedAt = 0;
  #longestOutageMs = 0;

  open(outcome: Outcome, at: number): void {
    this.#opens[outcome] += 1;
    if (outcome === 'served') this.#opened += 1;
    this.#second(at, outcome === 'served');
  }

  request(outcome: Outcome, at: number, turnMs?: number): void {
    this.#requests[outcome] += 1;
    this.#second(at, outcome === 'served');
    if (outcome !== 'served' || turnMs === undefined) return;
    this.#turnMs.push(turnMs);
    this.#longestOutageMs = Math.max(this.#longestOutageMs, at - this.#lastServedAt);
    this.#lastServedAt = at;
  }

  sessionEnded(how: 'finished' | 'lost'): void {
    if (how === 'finished') this.#finished += 1;
    else this.#lost += 1;
  }

  sessionHarmed(): void {
    this.#harmed += 1;
  }

  report(endedAt: number): CrowdReport {
    const sorted = this.#turnMs.toSorted((a, b) => a - b);
    const at = (q: number): number => sorted[Math.floor((sorted.length - 1) * q)] ?? 0;
    return {
      requests: this.#requests,
      opens: this.#opens,
      sessions: {
        opened: this.#opened,
        finished: this.#finished,
        lost: this.#lost,
        harmed: this.#harmed,
      },
      longestOutageMs: Math.max(this.#longestOutageMs, endedAt - this.#lastServedAt),
      recoveredMs: recovery(this.#seconds),
      turnMs: { p50: at(0.5), p99: at(0.99) },
      seconds: this.#seconds,
    };
  }

  #second(at: number, served: boolean): void {
    const index = Math.floor(at / 1000);
    while (this.#seconds.length <= index) this.#seconds.push({ served: 0, failed: 0 });
    const second = this.#seconds[index] as { served: number; failed: number };
    if (served) second.served += 1;
    else second.failed += 1;
  }
}

/**
 * A second is bad when more than a tenth of the attempts failed, or nothing was served. From the first bad second in a row to the next good
 * one is what users call an incident; this is the longest.
 */
export function recovery(seconds: readonly { served: number; failed: number }[]): number {
  let longest = 0;
  let current = 0;
  for (const { served, failed } of seconds) {
    current = served === 0 || failed > 0.1 * (served + failed) ? current + 1 : 0;
    longest = Math.max(longest, current);
  }
  return 1000 * longest;
}
