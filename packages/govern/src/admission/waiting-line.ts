import type { WaitOptions } from '@plimsoll/core/internal/gate/shed-point';
import type { Clock } from '@plimsoll/core/internal/sense/clock';

/** A request that waits is itself memory: no more than so many, and no more than so much. */
const mostWaiting = 64;
const mostBytes = 1024 * 1024;
const usualBytes = 4096;

interface Waiter {
  readonly bytes: number;
  /** True when it may go in now. */
  readonly mayEnter: () => boolean;
  readonly settle: (isIn: boolean) => void;
}

/** Requests that wait to be let in, first come first served, bounded in number, bytes and time. */
export class WaitingLine {
  private readonly clock: Pick<Clock, 'after'>;
  private readonly waiters = new Set<Waiter>();
  private bytes = 0;

  constructor(clock: Pick<Clock, 'after'>) {
    this.clock = clock;
  }

  hasRoom(options: WaitOptions): boolean {
    return (
      options.waitMs > 0 &&
      this.waiters.size < mostWaiting &&
      this.bytes + (options.heldBytes ?? usualBytes) <= mostBytes
    );
  }

  /** Resolves with true when `mayEnter` says so, with false at the deadline; rejects when the signal is aborted. */
  wait(options: WaitOptions, mayEnter: () => boolean): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const { signal, heldBytes = usualBytes } = options;
    const leave = (): void => {
      this.waiters.delete(waiter);
      this.bytes -= heldBytes;
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
    const cancel = this.clock.after(options.waitMs, () => waiter.settle(false));
    signal?.addEventListener('abort', left, { once: true });
    this.waiters.add(waiter);
    this.bytes += heldBytes;
    return promise;
  }

  /** Lets in who may enter, in the order they came, until one may not. */
  advance(): void {
    for (const waiter of this.waiters) {
      if (!waiter.mayEnter()) return;
      waiter.settle(true);
    }
  }

  /** Sends everybody away who may not enter now. */
  dismiss(): void {
    for (const waiter of this.waiters) waiter.settle(waiter.mayEnter());
  }
}
