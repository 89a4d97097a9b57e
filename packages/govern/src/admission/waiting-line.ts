import type { WaitOptions } from '@plimsoll/core/internal/gate/shed-point';
import type { Clock } from '@plimsoll/core/internal/sense/clock';

/** Bounds of the line in requests and in bytes, because a waiting request takes memory itself. */
const mostWaiting = 64;
const mostBytes = 1024 * 1024;
const usualBytes = 4096;

interface Waiter {
  readonly bytes: number;
  /** True when the caller may enter now. */
  readonly mayEnter: () => boolean;
  readonly settle: (isIn: boolean) => void;
}

/**
 * Requests that wait for admission, bounded in number, bytes and time. Requests with the same key are served in order of arrival. Keys take
 * turns, so that one agent with many requests does not delay the others.
 */
export class WaitingLine {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #lines = new Map<string, Set<Waiter>>();
  #count = 0;
  #isAdvancing = false;
  #bytes = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  hasRoom(options: WaitOptions): boolean {
    return (
      options.waitMs > 0 &&
      this.#count < mostWaiting &&
      this.#bytes + (options.heldBytes ?? usualBytes) <= mostBytes
    );
  }

  /** Resolves with true when `mayEnter` says so, with false at the deadline; rejects when the signal is aborted. */
  wait(options: WaitOptions, key: string, mayEnter: () => boolean): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const { signal, heldBytes = usualBytes } = options;
    const leave = (): void => {
      line.delete(waiter);
      if (line.size === 0 && this.#lines.get(key) === line) this.#lines.delete(key);
      this.#count--;
      this.#bytes -= heldBytes;
      cancel();
      signal?.removeEventListener('abort', left);
    };
    const left = (): void => {
      leave();
      reject(signal?.reason as Error);
    };
    const waiter: Waiter = {
      bytes: heldBytes,
      mayEnter,
      settle: (isIn) => {
        leave();
        resolve(isIn);
      },
    };
    const cancel = this.#clock.after(options.waitMs, () => waiter.settle(false));
    signal?.addEventListener('abort', left, { once: true });
    const line = this.#lines.get(key) ?? new Set<Waiter>();
    this.#lines.set(key, line);
    line.add(waiter);
    this.#count++;
    this.#bytes += heldBytes;
    return promise;
  }

  /** Admits the first request of each key in turn, until none of them may enter. */
  advance(): void {
    if (this.#count === 0 || this.#isAdvancing) return;
    this.#isAdvancing = true;
    try {
      for (let isMoving = true; isMoving;) {
        isMoving = false;
        for (const [key, line] of Array.from(this.#lines)) {
          const [first] = line;
          if (first === undefined || !first.mayEnter()) continue;
          isMoving = true;
          first.settle(true);
          // A key that had its turn moves to the end.
          if (line.size > 0) {
            this.#lines.delete(key);
            this.#lines.set(key, line);
          }
        }
      }
    } finally {
      this.#isAdvancing = false;
    }
  }

  /** Rejects every caller that may not enter now. */
  dismiss(): void {
    for (const line of this.#lines.values()) for (const waiter of line) waiter.settle(waiter.mayEnter());
  }
}
