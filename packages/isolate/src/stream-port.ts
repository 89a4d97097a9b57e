import { Readable } from 'node:stream';
import { receivedError, sentError } from './wire.ts';
import type { StreamMessage } from './wire.ts';

/** Most chunks on the reader's side. */
const window = 16;

/** True for values that are passed on chunk by chunk: Node streams, web streams and async generators. */
export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'
  );
}

/** Keys of an input whose values are streams; [""] when the input itself is one. */
export function streamKeys(input: unknown): readonly string[] {
  if (isStream(input)) return [''];
  if (typeof input !== 'object' || input === null || ArrayBuffer.isView(input)) return [];
  const proto: unknown = Object.getPrototypeOf(input);
  if (proto !== Object.prototype && proto !== null) return [];
  return Object.entries(input).flatMap(([key, value]) => (isStream(value) ? [key] : []));
}

/** The input with other values in place of its streams. */
export function withStreams(
  input: unknown,
  keys: readonly string[],
  replace: (key: string, value: unknown) => unknown,
): unknown {
  if (keys.length === 0) return input;
  if (keys.includes('')) return replace('', input);
  const record = input as Readonly<Record<string, unknown>>;
  return { ...record, ...Object.fromEntries(keys.map((key) => [key, replace(key, record[key])])) };
}

interface Source {
  readonly iterator: AsyncIterator<unknown>;
  readonly over: () => void;
  credits: number;
  isBusy: boolean;
  isOver: boolean;
}

interface Sink {
  readonly stream: Readable;
  isOver: boolean;
}

/**
 * Streams of one task on one side of the process boundary. The reader asks for each chunk, so the writer is never more than the window
 * ahead, whichever side is slow.
 */
export class StreamPort {
  readonly #send: (message: StreamMessage) => void;
  readonly #sources = new Map<string, Source>();
  readonly #sinks = new Map<string, Sink>();

  constructor(send: (message: StreamMessage) => void) {
    this.#send = send;
  }

  /** Offers a stream to the other side. Resolves when it was read to its end, failed or was cancelled. */
  offer(id: string, stream: AsyncIterable<unknown>): Promise<void> {
    return new Promise((resolve) => {
      const iterator = stream[Symbol.asyncIterator]();
      this.#sources.set(id, { iterator, over: resolve, credits: 0, isBusy: false, isOver: false });
    });
  }

  /** A stream whose chunks come from the other side. Destroying it cancels the writer. */
  open(id: string): Readable {
    const sink: Sink = {
      isOver: false,
      stream: new Readable({
        objectMode: true,
        highWaterMark: window,
        read: () => this.#send({ kind: 'pull', id }),
        destroy: (error, done) => {
          if (!sink.isOver) this.#send({ kind: 'cancel', id });
          this.#endSink(id, sink);
          done(error);
        },
      }),
    };
    // A reader gets the error. Without a reader the error must not end the process.
    sink.stream.on('error', () => undefined);
    this.#sinks.set(id, sink);
    return sink.stream;
  }

  receive(message: StreamMessage): void {
    const source = this.#sources.get(message.id);
    if (message.kind === 'pull') {
      if (source === undefined) return;
      source.credits++;
      void this.#pump(message.id, source);
    } else if (message.kind === 'cancel') {
      if (source !== undefined) this.#endSource(message.id, source);
    } else this.#take(message);
  }

  /** Ends the streams when the other side is gone or the task is over. Readers get the error, writers stop. */
  close(error?: Error): void {
    for (const [id, source] of this.#sources) this.#endSource(id, source);
    for (const [id, sink] of this.#sinks) {
      this.#endSink(id, sink);
      sink.stream.destroy(error);
    }
  }

  #take(message: Exclude<StreamMessage, { kind: 'pull' | 'cancel' }>): void {
    const sink = this.#sinks.get(message.id);
    if (sink === undefined) return;
    if (message.kind === 'chunk') {
      sink.stream.push(message.value);
      return;
    }
    this.#endSink(message.id, sink);
    if (message.kind === 'end') sink.stream.push(null);
    else sink.stream.destroy(receivedError(message.error));
  }

  async #pump(id: string, source: Source): Promise<void> {
    if (source.isBusy) return;
    source.isBusy = true;
    while (source.credits > 0 && !source.isOver) {
      source.credits--;
      try {
        const { done, value } = await source.iterator.next();
        if (source.isOver) break;
        this.#send(done === true ? { kind: 'end', id } : { kind: 'chunk', id, value });
        if (done === true) this.#forget(id, source);
      } catch (thrown) {
        if (!source.isOver) this.#send({ kind: 'fail', id, error: sentError(thrown) });
        this.#endSource(id, source);
      }
    }
    source.isBusy = false;
  }

  #endSource(id: string, source: Source): void {
    const wasOver = source.isOver;
    this.#forget(id, source);
    // A generator that waits inside its own code answers later or never, so the answer is not awaited.
    if (!wasOver) void source.iterator.return?.()?.catch(() => undefined);
  }

  #forget(id: string, source: Source): void {
    source.isOver = true;
    this.#sources.delete(id);
    source.over();
  }

  #endSink(id: string, sink: Sink): void {
    sink.isOver = true;
    this.#sinks.delete(id);
  }
}
