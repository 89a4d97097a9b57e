import { createReadStream } from 'node:fs';
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { failure } from '../errors.ts';
import type { FileSource } from './source.ts';
import { StreamSource } from './stream-source.ts';

/** zstd came to node:zlib with Node 22.15; older ones read gzip only. */
const zstd = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

/** The decompressed text of a file that begins with the magic bytes of gzip or zstd; null for any other. */
export function decompressed(file: FileSource, signal?: AbortSignal): StreamSource | null {
  const head = Buffer.alloc(4);
  const read = file.readAt(head, 0);
  const isGzip = read > 2 && head.readUInt16BE(0) === 0x1f8b;
  const isZstd = read > 3 && head.readUInt32LE(0) === 0xfd2fb528;
  if (!isGzip && !isZstd) return null;
  if (isZstd && zstd === undefined) {
    const place = { file: file.label, offset: 0 };
    throw failure('PLM_HEAP_COMPRESSED', { ...place, reason: 'zstd needs Node 22.15 or later' });
  }
  const text = isGzip || zstd === undefined ? zlib.createGunzip() : zstd();
  const raw = createReadStream(file.label, { highWaterMark: 1 << 20 });
  raw.on('error', (error) => void text.destroy(error));
  raw.pipe(text);
  const explain = (error: unknown, offset: number): Error =>
    failure(
      'PLM_HEAP_COMPRESSED',
      { file: file.label, offset, reason: error instanceof Error ? error.message : String(error) },
      { cause: error },
    );
  const destroy = (): void => {
    raw.destroy();
    text.destroy();
  };
  return new StreamSource(file.label, text, { signal, destroy, explain });
}
