import { closeSync, createReadStream, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { failure } from '../errors.ts';
import type { ByteSource } from './input.ts';
import { StreamSource } from './stream-source.ts';

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

/** Opens what the user named: a file, a FIFO or another thing that streams. */
export async function openPath(path: string, signal?: AbortSignal): Promise<FileSource | StreamSource> {
  if (kindOf(path) === 'file') {
    const file = openFile(path);
    if (!isCompressed(file)) return file;
    file.close();
    // Loaded only when needed: node:zlib costs more than reading a small snapshot.
    const { decompressed } = await import('./compressed.ts');
    return decompressed(path, signal);
  }
  const stream = createReadStream(path, { highWaterMark: 1 << 20 });
  stream.on('error', () => {});
  return new StreamSource(path, stream, { signal, destroy: () => void stream.destroy() });
}

/** True for the magic bytes of gzip and zstd. */
function isCompressed(file: FileSource): boolean {
  const head = Buffer.alloc(4);
  file.readAt(head, 0);
  return head.readUInt16BE(0) === 0x1f8b || head.readUInt32LE(0) === 0xfd2fb528;
}

function openFile(path: string): FileSource {
  try {
    return new FileSource(path);
  } catch (error) {
    throw notFound(path, error);
  }
}

function kindOf(path: string): 'file' | 'stream' {
  let stats;
  try {
    stats = statSync(path);
  } catch (error) {
    throw notFound(path, error);
  }
  if (stats.isFile()) return 'file';
  if (stats.isFIFO() || stats.isCharacterDevice()) return 'stream';
  const kind = stats.isDirectory() ? 'directory' : stats.isSocket() ? 'socket' : 'block device';
  throw failure('PLM_HEAP_NOT_A_FILE', { file: path, kind });
}

function notFound(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code;
  const reason =
    code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : (code ?? String(error));
  return failure('PLM_HEAP_NOT_FOUND', { file: path, reason }, { cause: error });
}
