import type { ReportBoard } from '../report-board.ts';
import type { Joiner } from './chunk-log.ts';
import type { Coalescer } from './coalesce.ts';
import type { ReplayBufferEvents } from './events.ts';

/** A coalescer whose failures are reported and turn it off; what it failed on stays as it was. */
export class GuardedJoiner<T> implements Joiner<T> {
  readonly #board: ReportBoard<ReplayBufferEvents>;
  #coalescer: Coalescer<T> | undefined;

  constructor(coalescer: Coalescer<T> | undefined, board: ReportBoard<ReplayBufferEvents>) {
    this.#coalescer = coalescer;
    this.#board = board;
  }

  get isOn(): boolean {
    return this.#coalescer !== undefined;
  }

  joinable(first: T, next: T): boolean {
    try {
      return this.#coalescer?.joinable(first, next) === true;
    } catch (cause) {
      this.#failed(cause);
      return false;
    }
  }

  join(run: readonly T[]): T | undefined {
    try {
      return this.#coalescer?.join(run);
    } catch (cause) {
      this.#failed(cause);
      return undefined;
    }
  }

  #failed(cause: unknown): void {
    this.#coalescer = undefined;
    this.#board.emit('hook-failed', { hook: 'coalesce', cause });
  }
}
