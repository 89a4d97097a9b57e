import { closeSync, createReadStream, openSync, readSync } from 'node:fs';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { failure } from '../errors.ts';
import { StreamSource } from './stream-source.ts';

/** zstd came to node:zlib with Node 22.15; older ones read gzip only. */
const zstd = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

/** The decompressed text of a gzip file, or of a zstd file when it does not begin like gzip. */
export function decompressed(path: string, signal?: AbortSignal): StreamSource {
  const raw = createReadStream(path, { highWaterMark: 1 << 20 });
  const text = decompressor(path);
  raw.on('error', (error) => void text.destroy(error));
  raw.pipe(text);
  const explain = (error: unknown, offset: number): Error =>
    failure(
      'PLM_HEAP_COMPRESSED',
      { file: path, offset, reason: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  const destroy = (): void => {
    raw.destroy();
    text.destroy();
  };
  return new StreamSource(path, text, { signal, destroy, explain });
}

function decompressor(path: string): Transform {
  const head = Buffer.alloc(2);
  const fd = openSync(path, 'r');
  readSync(fd, head, 0, 2, 0);
  closeSync(fd);
  if (head.readUInt16BE(0) === 0x1f8b) return zlib.createGunzip();
  if (zstd !== undefined) return zstd();
  throw failure('PLM_HEAP_COMPRESSED', { file: path, offset: 0, reason: 'zstd needs Node 22.15 or later' });
}
