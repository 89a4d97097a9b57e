import { catalogue } from '@plimsoll/core/internal/errors';
import { Cell } from './cell.ts';
import type { IsolateCall } from './isolate-call.ts';
import { abortedError, refusal } from './isolate-error.ts';
import type { IsolateConfig } from './isolate-options.ts';

export interface IsolateStats {
  /** Current number of processes, including starting and ending ones. */
  readonly processes: number;
  readonly busy: number;
  readonly waiting: number;
  /** Processes that were started so far. */
  readonly started: number;
  /** Processes that were replaced because of their count of tasks, age or growth. */
  readonly recycled: number;
  readonly pids: readonly number[];
}

/** The processes of one task and the calls that wait for them. */
export class IsolatePool {
  readonly #config: IsolateConfig;
  readonly #onEmpty: () => void;
  readonly #cells = new Set<Cell>();
  readonly #waiting: IsolateCall[] = [];
  #idleTimer: NodeJS.Timeout | undefined;
  #started = 0;
  #recycled = 0;
  #warm: number;

  constructor(config: IsolateConfig, onEmpty: () => void) {
    this.#config = config;
    this.#onEmpty = onEmpty;
    this.#warm = config.warm;
  }

  /** Starts the processes that are kept ready. */
  warmUp(): void {
    this.#warm = this.#config.warm;
    while (this.#cells.size < this.#warm) this.#start();
  }

  stats(): IsolateStats {
    const cells = [...this.#cells];
    return {
      processes: cells.length,
      busy: cells.filter(({ isBusy }) => isBusy).length,
      waiting: this.#waiting.length,
      started: this.#started,
      recycled: this.#recycled,
      pids: cells.map(({ pid }) => pid),
    };
  }

  /** Gives the call to a process, or lets it wait. */
  take(call: IsolateCall): void {
    const { task, queue, size } = this.#config;
    // The process that became free last is the warmest.
    const free = [...this.#cells]
      .filter(({ isFree }) => isFree)
      .sort((a, b) => b.freeSinceMs - a.freeSinceMs);
    const cell = free[0] ?? (this.#cells.size < size ? this.#start() : undefined);
    if (cell !== undefined) {
      cell.run(call);
      return;
    }
    if (this.#waiting.length >= queue) {
      const text = catalogue.PLM_ISOLATE_QUEUE_FULL.text({ task, size, waiting: this.#waiting.length });
      call.reject(refusal('PLM_ISOLATE_QUEUE_FULL', text));
      call.end();
      return;
    }
    this.#waiting.push(call);
    call.onGivenUp = (reason, cause) => {
      this.#waiting.splice(this.#waiting.indexOf(call), 1);
      call.reject(abortedError(task, reason, cause));
      call.end();
    };
  }

  /** Ends unused processes, also those kept ready. Resolves when they have ended. */
  async rest(): Promise<void> {
    this.#warm = 0;
    for (const cell of this.#cells) if (cell.isFree || cell.isChecking) cell.end({ cause: 'unused' });
    const ending = [...this.#cells].filter((cell) => !cell.isBusy || cell.isEnding);
    for (const cell of ending) cell.awaitEnd();
    await Promise.all(ending.map(async (cell) => this.#ended.get(cell)?.promise));
  }

  readonly #ended = new Map<Cell, PromiseWithResolvers<void>>();

  #start(): Cell {
    this.#started++;
    const cell = new Cell(this.#config, {
      onFree: (free) => this.#free(free),
      onEnd: (ended) => this.#end(ended),
    });
    this.#cells.add(cell);
    this.#ended.set(cell, Promise.withResolvers());
    return cell;
  }

  #free(cell: Cell): void {
    const { recycleTasks, recycleAgeMs, recycleGrowthBytes } = this.#config;
    if (cell.taken >= recycleTasks || cell.ageMs >= recycleAgeMs) {
      this.#recycle(cell);
      return;
    }
    if (cell.grownBytes > recycleGrowthBytes) {
      // Only what survives a collection counts, because some of it is garbage. The process takes no task meanwhile.
      void cell.floor().then((grown) => {
        if (grown > recycleGrowthBytes) this.#recycle(cell);
        else this.#next(cell);
      });
      return;
    }
    this.#next(cell);
  }

  #next(cell: Cell): void {
    if (!cell.isFree) return;
    const call = this.#waiting.shift();
    if (call !== undefined) cell.run(call);
    else this.#watchIdle();
  }

  #recycle(cell: Cell): void {
    this.#recycled++;
    cell.end({ cause: 'unused' });
  }

  #end(cell: Cell): void {
    this.#cells.delete(cell);
    this.#ended.get(cell)?.resolve();
    this.#ended.delete(cell);
    while (this.#waiting.length > 0 && this.#cells.size < this.#config.size)
      this.#start().run(this.#waiting.shift() as IsolateCall);
    while (this.#cells.size < this.#warm && cell.taken > 0) this.#start();
    if (this.#cells.size > 0) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
    this.#onEmpty();
  }

  /** One timer for all idle processes. */
  #watchIdle(): void {
    if (this.#idleTimer !== undefined) return;
    const { idleMs } = this.#config;
    this.#idleTimer = setTimeout(() => {
      this.#idleTimer = undefined;
      const now = performance.now();
      const free = [...this.#cells].filter(({ isFree }) => isFree);
      const old = free
        .filter(({ freeSinceMs }) => now - freeSinceMs >= idleMs)
        .slice(0, Math.max(0, this.#cells.size - this.#warm));
      for (const cell of old) cell.end({ cause: 'unused' });
      if (free.length > old.length && this.#cells.size - old.length > this.#warm) this.#watchIdle();
    }, idleMs).unref();
  }
}
