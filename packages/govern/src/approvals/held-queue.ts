import { formatByteSize } from '@plimsoll/core/units';
import type { Clock } from '@plimsoll/core/internal/sense/clock';
import type { ApprovalState } from '@plimsoll/core/internal/gate/approval';

/** Least bytes that one caller counts for, because its promise, timer and queue entry take memory too. */
const leastBytes = 512;

export interface HeldQueueOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Most waiting callers, default 64. */
  readonly most?: number;
  /** Most bytes of all waiting callers, default 1 MiB. */
  readonly mostBytes?: number;
}

/** How a wait ended. */
export type HeldOutcome =
  | { readonly end: 'released'; readonly as: string; readonly id: string }
  | { readonly end: 'refused'; readonly state: ApprovalState; readonly id: string }
  | { readonly end: 'aborted'; readonly reason: unknown }
  | { readonly end: 'timeout' };

interface Hold {
  /** The digest of the request. Callers with the same digest wait for the same answer. */
  readonly digest: string;
  readonly bytes: number;
  readonly waitMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface Waiter {
  readonly bytes: number;
  settle(outcome: HeldOutcome): void;
}

/**
 * Callers that wait for an approval. A waiting caller takes memory, so the queue is bounded in count, bytes and time. Every wait ends: by a
 * decision, a deadline, a level, its own signal or the end of governing. While a caller waits, the process stays alive.
 */
export class HeldQueue {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #byDigest = new Map<string, Set<Waiter>>();
  #count = 0;
  #alive: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(options: HeldQueueOptions) {
    this.#clock = options.clock;
    this.#most = options.most ?? 64;
    this.#mostBytes = options.mostBytes ?? 1024 ** 2;
  }

  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return this.#bytes;
  }

  waiting(digest: string): number {
    return this.#byDigest.get(digest)?.size ?? 0;
  }

  /** Why there is no room for `bytes`; undefined when there is. */
  whyFull(bytes: number): string | undefined {
    if (this.#count >= this.#most) return `${this.#count} of ${this.#most} requests wait`;
    if (this.#bytes + Math.max(leastBytes, bytes) <= this.#mostBytes) return undefined;
    return `${formatByteSize(bytes)} more than the ${formatByteSize(this.#bytes)} that wait are above ${formatByteSize(this.#mostBytes)}`;
  }

  /** Waits. Resolves with the outcome and never rejects. */
  hold({ digest, bytes, waitMs, signal }: Hold): Promise<HeldOutcome> {
    if (signal?.aborted === true) return Promise.resolve({ end: 'aborted', reason: signal.reason });
    return new Promise((resolve) => {
      const waiter: Waiter = {
        bytes: Math.max(leastBytes, bytes),
        settle: (outcome) => {
          stop();
          signal?.removeEventListener('abort', onAbort);
          this.#leave(digest, waiter);
          resolve(outcome);
        },
      };
      const onAbort = (): void => waiter.settle({ end: 'aborted', reason: signal?.reason });
      const stop = this.#clock.after(waitMs, () => waiter.settle({ end: 'timeout' }));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#enter(digest, waiter);
    });
  }

  /** Releases the first caller of a digest; false when none waits. One approval releases one caller. */
  release(digest: string, as: string, id: string): boolean {
    const [first] = this.#byDigest.get(digest) ?? [];
    first?.settle({ end: 'released', as, id });
    return first !== undefined;
  }

  /** Ends the waiting of every caller of a digest. */
  refuse(digest: string, state: ApprovalState, id: string): void {
    // A Set may lose the element that is being visited.
    for (const waiter of this.#byDigest.get(digest) ?? []) waiter.settle({ end: 'refused', state, id });
  }

  digests(): readonly string[] {
    return [...this.#byDigest.keys()];
  }

  #enter(digest: string, waiter: Waiter): void {
    const same = this.#byDigest.get(digest);
    if (same === undefined) this.#byDigest.set(digest, new Set([waiter]));
    else same.add(waiter);
    this.#count++;
    this.#bytes += waiter.bytes;
    // Work of the program waits here, so a process without other work must stay alive.
    this.#alive ??= setInterval(() => undefined, 2 ** 30);
  }

  #leave(digest: string, waiter: Waiter): void {
    const same = this.#byDigest.get(digest);
    if (same?.delete(waiter) !== true) return;
    if (same.size === 0) this.#byDigest.delete(digest);
    this.#count--;
    this.#bytes -= waiter.bytes;
    if (this.#count > 0) return;
    clearInterval(this.#alive);
    this.#alive = undefined;
  }
}
