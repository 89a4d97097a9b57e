import { Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { failure } from '../errors.ts';
import type { FileSource } from './file-source.ts';
import { StreamSource } from './stream-source.ts';

/** zstd came to node:zlib with Node 22.15; older ones read gzip only. */
const zstd = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;

/** The decompressed text of a gzip file, or of a zstd file when it does not begin like gzip. */
export function decompressed(file: FileSource, signal?: AbortSignal): StreamSource {
  const path = file.label;
  const text = decompressor(file);
  const raw = Readable.from(file.chunks(), { objectMode: false });
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
    file.close();
  };
  return new StreamSource(path, text, { signal, destroy, explain });
}

function decompressor(file: FileSource): Transform {
  const head = Buffer.alloc(2);
  file.readAt(head, 0);
  if (head.readUInt16BE(0) === 0x1f8b) return zlib.createGunzip();
  if (zstd !== undefined) return zstd();
  throw failure('PLM_HEAP_COMPRESSED', {
    file: file.label,
    offset: 0,
    reason: 'zstd needs Node 22.15 or later',
  });
}
