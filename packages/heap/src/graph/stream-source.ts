import { failure } from '../errors.ts';
import type { ByteSource } from './input.ts';

/** How a stream is given up and how its failures are told. */
interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Frees what is behind the stream. */
  readonly destroy?: () => void;
  /** Turns an error of the stream, after so many bytes, into one for the user. */
  readonly explain?: (error: unknown, offset: number) => unknown;
}

/** Bytes of an async iterable, in order, once. */
export class StreamSource implements ByteSource {
  readonly label: string;
  readonly bytes = null;
  readonly #iterator: AsyncIterator<Uint8Array | string>;
  readonly #signal: AbortSignal | undefined;
  readonly #destroy: () => void;
  readonly #explain: (error: unknown, offset: number) => unknown;
  #rest: Uint8Array = new Uint8Array();
  #taken = 0;

  constructor(label: string, iterable: AsyncIterable<Uint8Array | string>, options: StreamOptions = {}) {
    this.label = label;
    this.#iterator = iterable[Symbol.asyncIterator]();
    this.#signal = options.signal;
    this.#destroy = options.destroy ?? (() => {});
    this.#explain = options.explain ?? ((error) => error);
  }

  async read(target: Uint8Array): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#next();
      if (next.done === true) return 0;
      this.#rest = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    }
    const length = Math.min(target.length, this.#rest.length);
    target.set(this.#rest.subarray(0, length));
    this.#rest = this.#rest.subarray(length);
    this.#taken += length;
    return length;
  }

  /** The next chunk, or the abort. Without it a FIFO without a writer would wait for ever. */
  async #next(): Promise<IteratorResult<Uint8Array | string>> {
    const signal = this.#signal;
    const next = this.#iterator.next().catch((error: unknown) => {
      throw this.#explain(error, this.#taken);
    });
    if (signal === undefined) return next;
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      reject(
        failure('PLM_HEAP_ABORTED', { file: this.label, offset: this.#taken }, { cause: signal.reason }),
      );
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([next, promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  close(): void {
    this.#destroy();
    // A generator that waits for input answers return() only after its next value; nobody waits for it here.
    this.#iterator.return?.()?.then(undefined, () => {});
  }
}
