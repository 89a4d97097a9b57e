import { createReadStream } from 'node:fs';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { failure } from '../errors.ts';
import type { ByteSource } from './input.ts';

/** A plain file, read by position; any range can be read again later. */
export class FileSource implements ByteSource {
  readonly label: string;
  readonly bytes: number;
  readonly #fd: number;
  #position = 0;
  #open = true;

  constructor(path: string) {
    this.label = path;
    this.#fd = openSync(path, 'r');
    this.bytes = fstatSync(this.#fd).size;
  }

  read(target: Uint8Array): number {
    const read = readSync(this.#fd, target, 0, target.length, this.#position);
    this.#position += read;
    return read;
  }

  seek(position: number): void {
    this.#position = position;
  }

  /** Reads at an absolute position, also after the scan. */
  readAt(target: Uint8Array, position: number): number {
    if (!this.#open) throw failure('PLM_HEAP_CLOSED', { file: this.label });
    return readSync(this.#fd, target, 0, target.length, position);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    closeSync(this.#fd);
  }
}

/** Bytes of an async iterable, in order, once. */
export class StreamSource implements ByteSource {
  readonly label: string;
  readonly bytes = null;
  readonly #iterator: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal | undefined;
  #rest: Uint8Array = new Uint8Array();
  #taken = 0;

  constructor(label: string, iterable: AsyncIterable<Uint8Array>, signal?: AbortSignal) {
    this.label = label;
    this.#iterator = iterable[Symbol.asyncIterator]();
    this.#signal = signal;
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

  /** The next chunk, or the abort: a FIFO without a writer would otherwise wait for ever. */
  async #next(): Promise<IteratorResult<Uint8Array | string>> {
    const signal = this.#signal;
    if (signal === undefined) return this.#iterator.next();
    const { promise, reject } = Promise.withResolvers<never>();
    const abort = (): void => {
      reject(
        failure('PLM_HEAP_ABORTED', { file: this.label, offset: this.#taken }, { cause: signal.reason }),
      );
    };
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await Promise.race([this.#iterator.next(), promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  close(): void {
    // A generator that is waiting for input answers return() only after its next value; nobody waits for it here.
    void this.#iterator.return?.()?.catch?.(() => {});
  }
}

/** Opens what the user named: a file, a FIFO or another thing that streams. */
export function openPath(path: string, signal?: AbortSignal): ByteSource {
  const kind = kindOf(path);
  if (kind === 'file') return new FileSource(path);
  const stream = createReadStream(path, { highWaterMark: 1 << 20, ...(signal ? { signal } : {}) });
  stream.on('error', () => {});
  return new StreamSource(path, stream as AsyncIterable<Uint8Array>, signal);
}

function kindOf(path: string): 'file' | 'stream' {
  let stats;
  try {
    stats = statSync(path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    const reason = code === 'ENOENT' ? 'no such file' : (code ?? String(error));
    throw failure('PLM_HEAP_NOT_FOUND', { file: path, reason }, { cause: error });
  }
  if (stats.isFile()) return 'file';
  if (stats.isFIFO() || stats.isCharacterDevice()) return 'stream';
  const kind = stats.isDirectory() ? 'directory' : stats.isSocket() ? 'socket' : 'block device';
  throw failure('PLM_HEAP_NOT_A_FILE', { file: path, kind });
}

export function isReadable(value: unknown): value is Readable | AsyncIterable<Uint8Array> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
