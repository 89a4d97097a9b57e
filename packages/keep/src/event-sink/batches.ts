import type { KeeperClock } from '../clock.ts';

/** Where batches come from. */
interface BatchSource<E> {
  readonly clock: KeeperClock;
  readonly length: number;
  /** True when nothing more will come. */
  readonly isOver: boolean;
  readonly isClosing: boolean;
  take(max: number): E[];
}

const over = { value: undefined, done: true } as const;

/** A reader that gets events in batches: full ones at once, others when their time has come. */
export class Batches<E> implements AsyncIterableIterator<E[], undefined, undefined> {
  readonly #source: BatchSource<E>;
  readonly #max: number;
  readonly #every: number;
  readonly #onLeave: () => void;
  #waiters: ((result: IteratorResult<E[], undefined>) => void)[] = [];
  #cancelTimer: (() => void) | undefined;
  #isDone = false;

  constructor(source: BatchSource<E>, max: number, every: number, onLeave: () => void) {
    this.#source = source;
    this.#max = max;
    this.#every = every;
    this.#onLeave = onLeave;
  }

  next(): Promise<IteratorResult<E[], undefined>> {
    if (this.#isDone) return Promise.resolve(over);
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
      this.look();
    });
  }

  return(): Promise<IteratorResult<E[], undefined>> {
    this.#end();
    return Promise.resolve(over);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @internal Gives what is due. */
  look(): void {
    while (this.#waiters.length > 0 && this.#source.length >= this.#max) this.#give();
    if (this.#waiters.length === 0) return;
    if (this.#source.isClosing) {
      while (this.#waiters.length > 0 && this.#source.length > 0) this.#give();
      if (this.#source.isOver) this.#end();
    } else if (this.#source.length > 0)
      this.#cancelTimer ??= this.#source.clock.after(this.#every, () => {
        this.#cancelTimer = undefined;
        if (this.#waiters.length > 0 && this.#source.length > 0) this.#give();
      });
  }

  #give(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#waiters.shift()?.({ value: this.#source.take(this.#max), done: false });
  }

  #end(): void {
    this.#isDone = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const resolve of this.#waiters.splice(0)) resolve(over);
    this.#onLeave();
  }
}
