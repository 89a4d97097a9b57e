import type { SpilledPage } from './spilled-pages.ts';
import type { LagPolicy } from './settings.ts';

/** What a reader needs of its buffer. */
interface ReaderSource<T> {
  /** Chunks in memory and the index of the first of them. */
  readonly log: { readonly items: readonly T[]; readonly base: number };
  /** Readers that wait for a chunk. */
  waiting: number;
  /** True while the producer waits for readers. */
  readonly isBlocked: boolean;
  /** The next chunk when it is not in memory: finds it, or says that there is none yet or none any more; throws what the stream ended with. */
  seek(reader: ReplayReader<T>): IteratorResult<T, undefined> | undefined;
  /** A reader of a blocked buffer has moved on. */
  moved(): void;
  left(reader: ReplayReader<T>): void;
  seqOf(reader: ReplayReader<T>): number;
}

interface Waiter<T> {
  resolve(result: IteratorResult<T, undefined>): void;
  reject(reason: unknown): void;
}

const over = { value: undefined, done: true } as const;

/** One reader of a replay buffer, with its own position: an async iterator that ends with the stream, or with `return()`. */
export class ReplayReader<T> implements AsyncIterableIterator<T, undefined, undefined>, AsyncDisposable {
  readonly name: string;
  readonly lag: LagPolicy;
  /** Chunks as pushed that this reader could not get because it was too slow or came too late. */
  lost = 0;
  /** @internal Index of the next chunk. */
  at: number;
  /** @internal The page of the file that the reader is at. */
  page: SpilledPage<T> | undefined = undefined;
  /** @internal What the next read throws. */
  fault: unknown = undefined;
  /** @internal Position and time when the buffer last saw the reader move. */
  seenAt = 0;
  seenMs = 0;
  readonly #source: ReaderSource<T>;
  readonly #waiters: Waiter<T>[] = [];
  #isDone = false;
  #unlisten: (() => void) | undefined;

  /** @internal */
  constructor(source: ReaderSource<T>, name: string, lag: LagPolicy, at: number) {
    this.#source = source;
    this.name = name;
    this.lag = lag;
    this.at = at;
  }

  /** True when nothing more will come. */
  get done(): boolean {
    return this.#isDone;
  }

  /** Chunks as pushed that lie before the next one; what `subscribe({ from })` takes to go on from here. */
  get seq(): number {
    return this.#source.seqOf(this);
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const source = this.#source;
    const { items, base } = source.log;
    const position = this.at - base;
    const isPlain = this.page === undefined && this.fault === undefined && !this.#isDone;
    if (isPlain && position >= 0 && position < items.length) {
      this.at++;
      if (source.isBlocked) source.moved();
      return Promise.resolve({ value: items[position] as T, done: false });
    }
    try {
      const found = this.#isDone ? over : source.seek(this);
      if (found?.done === true) this.leave();
      if (found !== undefined) return Promise.resolve(found);
    } catch (error) {
      this.leave();
      return Promise.reject(error as Error);
    }
    return new Promise((resolve, reject) => {
      if (this.#waiters.length === 0) source.waiting++;
      this.#waiters.push({ resolve, reject });
    });
  }

  /** Leaves the stream; what others get is not affected. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.leave();
    return Promise.resolve(over);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** @internal Ends the reader with an error, which its next read gets. */
  cut(error: unknown): void {
    if (this.#isDone || this.fault !== undefined) return;
    this.fault = error;
    if (this.#waiters.length > 0) this.serve();
  }

  /** @internal Leaves the buffer but keeps its error for a read that may still come. */
  forsake(): void {
    if (this.#isDone) return;
    this.#unlisten?.();
    this.#unlisten = undefined;
    this.#source.left(this);
  }

  /** @internal Leaves when the signal says so. */
  follow(signal: AbortSignal): void {
    const stop = (): void => this.cut(signal.reason);
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener('abort', stop, { once: true });
    this.#unlisten = () => signal.removeEventListener('abort', stop);
  }

  /** @internal Gives waiting reads what there is. */
  serve(): void {
    while (this.#waiters.length > 0) {
      let found: IteratorResult<T, undefined> | undefined;
      try {
        found = this.#source.seek(this);
      } catch (error) {
        const first = this.#waiters.shift() as Waiter<T>;
        if (this.#waiters.length === 0) this.#source.waiting--;
        first.reject(error);
        this.leave();
        return;
      }
      if (found === undefined) return;
      const waiter = this.#waiters.shift() as Waiter<T>;
      if (this.#waiters.length === 0) this.#source.waiting--;
      waiter.resolve(found);
      if (found.done === true) this.leave();
    }
  }

  /** @internal */
  get isWaiting(): boolean {
    return this.#waiters.length > 0;
  }

  /** @internal */
  leave(): void {
    if (this.#isDone) return;
    this.#isDone = true;
    this.fault = undefined;
    this.#unlisten?.();
    this.#unlisten = undefined;
    if (this.#waiters.length > 0) this.#source.waiting--;
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(over);
    this.#source.left(this);
  }
}
