/**
 * Readers of the result of `streamText`. When the last reader has left before the end, the SDK tells nobody: its stream is split for
 * readers that may still come, so that the call neither goes on nor ends. Its scope would stay open until the collector takes the result.
 *
 * Every stream that a result hands out comes from one of a few getters. Such a stream, and each one that it is piped through, tells here
 * when its reader cancels. Nothing is read or wrapped per chunk.
 */
type Stream = ReadableStream<unknown>;

interface Readers {
  /** Streams that were handed out. */
  given: number;
  left: number;
  readonly end: () => void;
}

/** Getters of the SDK's result that split off a stream for one more reader. */
const getters = ['stream', 'partialOutputStream', 'elementStream'];

export class StreamReaders {
  readonly #results = new WeakMap<object, Readers>();
  readonly #restore = new Map<object, () => void>();

  /** Calls `end` when all readers of this result have left. */
  follow(result: object, end: () => void): void {
    this.#results.set(result, { given: 0, left: 0, end });
    const prototype: unknown = Object.getPrototypeOf(result);
    if (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype)
      this.#hook(prototype);
  }

  stop(): void {
    for (const restore of this.#restore.values()) restore();
    this.#restore.clear();
  }

  #hook(prototype: object): void {
    if (this.#restore.has(prototype)) return;
    const results = this.#results;
    const undo = getters.flatMap((name) => {
      const original = Reflect.getOwnPropertyDescriptor(prototype, name);
      const read = original?.get;
      if (original?.configurable !== true || read === undefined) return [];
      const get = function (this: object): unknown {
        const stream: unknown = read.call(this);
        const readers = results.get(this);
        if (readers !== undefined && stream instanceof ReadableStream) watch(stream, readers);
        return stream;
      };
      Object.defineProperty(prototype, name, { ...original, get });
      return [
        (): void => {
          if (Reflect.getOwnPropertyDescriptor(prototype, name)?.get === get)
            Object.defineProperty(prototype, name, original);
        },
      ];
    });
    this.#restore.set(prototype, () => {
      for (const restore of undo) restore();
    });
  }
}

function watch(stream: Stream, readers: Readers): void {
  readers.given++;
  let hasLeft = false;
  follow(stream, () => {
    if (hasLeft) return;
    hasLeft = true;
    readers.left++;
    // The program may ask for the rest next, as with `await result.text` after a break.
    if (readers.left === readers.given) setImmediate(endIfLeft, readers);
  });
}

function endIfLeft({ given, left, end }: Readers): void {
  if (left === given) end();
}

/** Tells when the reader of this stream leaves, or that of a stream that it is piped through. */
function follow(stream: Stream, left: () => void): void {
  replace(stream, 'getReader', (original) => (options) => {
    const reader = original(options) as object;
    replace(reader, 'cancel', (cancel) => (reason) => {
      left();
      return cancel(reason);
    });
    return reader;
  });
  replace(stream, 'cancel', (original) => (reason) => {
    left();
    return original(reason);
  });
  replace(stream, 'pipeThrough', (original) => (through, options) => {
    const piped = original(through, options);
    if (piped instanceof ReadableStream) follow(piped, left);
    return piped;
  });
  replace(stream, 'pipeTo', (original) => async (to, options) => {
    try {
      await original(to, options);
    } catch (error) {
      left();
      throw error;
    }
  });
}

type Method = (first?: unknown, second?: unknown) => unknown;

function replace(holder: object, name: string, make: (original: Method) => Method): void {
  const method = Reflect.get(holder, name) as Method;
  const original: Method = (...given) => Reflect.apply(method, holder, given) as unknown;
  Object.defineProperty(holder, name, { value: make(original), writable: true, configurable: true });
}
