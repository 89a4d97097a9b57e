import { WorkerHeaps } from '@plimsoll/core/internal/sense/worker-heaps';
import type { WorkerRow } from '@plimsoll/core/internal/sense/worker-heaps';
import type { Part } from './part.ts';

/** The heaps of worker threads, looked at every few seconds. */
export class WorkersPart implements Part {
  readonly #heaps: WorkerHeaps;
  readonly #isOwn: boolean;

  /**
   * `heaps` is from the preload, which follows workers from the program's first line on. Without it, only workers that start from now on
   * are followed.
   */
  constructor(heaps: WorkerHeaps | undefined) {
    this.#heaps = heaps ?? new WorkerHeaps();
    this.#isOwn = heaps === undefined;
  }

  get rows(): readonly WorkerRow[] {
    return this.#heaps.rows();
  }

  start(): void {
    if (this.#isOwn) this.#heaps.start();
  }

  take(): void {
    this.#heaps.look(performance.now());
  }

  stop(): void {
    this.#heaps.stop();
  }
}
