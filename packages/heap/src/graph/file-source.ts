import { closeSync, constants, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { failure } from '../errors.ts';
import type { ByteSource } from './input.ts';
import type { StreamSource } from './stream-source.ts';

const readLater = promisify(read);

/** A plain file, read by position; any range can be read again later. */
export class FileSource implements ByteSource {
  readonly label: string;
  readonly bytes: number;
  readonly #fd: number;
  #position = 0;
  #open = true;

  /** Opens a regular file; throws for anything else, and never waits for it. */
  constructor(path: string) {
    this.label = path;
    try {
      // Without O_NONBLOCK, opening a FIFO waits for its writer.
      this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    } catch (error) {
      throw notOpened(path, error);
    }
    const stats = fstatSync(this.#fd);
    this.bytes = stats.size;
    if (!stats.isFile()) {
      closeSync(this.#fd);
      throw failure('PLM_HEAP_NOT_A_FILE', { file: path, kind: kindOf(stats) });
    }
  }

  /** The whole file in order, in chunks of 1 MiB that are the reader's to keep. */
  async *chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; this.#open;) {
      const chunk = Buffer.allocUnsafeSlow(1 << 20);
      const { bytesRead } = await readLater(this.#fd, chunk, 0, chunk.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield chunk.subarray(0, bytesRead);
    }
  }

  /** True when it begins like gzip or zstd. */
  get isCompressed(): boolean {
    const head = Buffer.alloc(4);
    this.readAt(head, 0);
    return head.readUInt16BE(0) === 0x1f8b || head.readUInt32LE(0) === 0xfd2fb528;
  }

  read(target: Uint8Array): number {
    const read = this.readAt(target, this.#position);
    this.#position += read;
    return read;
  }

  /** Makes `read` go on at `position`. */
  seek(position: number): void {
    this.#position = position;
  }

  /** Another reader of the same file that begins at `position`. */
  from(position: number): ByteSource {
    let at = position;
    return {
      label: this.label,
      bytes: this.bytes,
      read: (target) => {
        const read = this.readAt(target, at);
        at += read;
        return read;
      },
      close: () => {},
    };
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

/** Opens the regular file at a path, plain or compressed. */
export async function openPath(path: string, signal?: AbortSignal): Promise<FileSource | StreamSource> {
  const file = new FileSource(path);
  if (!file.isCompressed) return file;
  try {
    // Loaded only when needed: node:zlib costs more than reading a small snapshot.
    const { decompressed } = await import('./compressed.ts');
    return decompressed(file, signal);
  } catch (error) {
    file.close();
    throw error;
  }
}

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'directory';
  if (stats.isFIFO()) return 'FIFO';
  if (stats.isCharacterDevice()) return 'character device';
  return stats.isBlockDevice() ? 'block device' : 'socket';
}

function notOpened(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code;
  // A socket cannot be opened at all.
  if (code === 'ENXIO')
    return failure('PLM_HEAP_NOT_A_FILE', { file: path, kind: 'socket' }, { cause: error });
  const reason =
    code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : (code ?? String(error));
  return failure('PLM_HEAP_NOT_FOUND', { file: path, reason }, { cause: error });
}
