import { failure } from '@plimsoll/core/internal/errors';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import zlib from 'node:zlib';

/**
 * The bytes of a parked value: "PLMP", version, codec, CRC-32 of the payload, length of the payload when unpacked, length of the id, the id,
 * and the payload, which is what v8.serialize gives, compressed. zstd exists from Node 22.15 on; before that the payload is deflated.
 */
const magic = 0x504c_4d50;
const version = 1;
const headerBytes = 18;
const deflated = 1;
const zstd = 2;

/** More than this is no session but an attack or an accident. */
const mostBytes = 1024 ** 3;

/** Output is made in pieces of this size at most; each piece is a trip to the thread pool. */
const mostPiece = 64 * 1024 ** 2;

type Codec = (input: Uint8Array, options: object) => Promise<Buffer>;

const withZstd = zlib as { zstdCompress?: unknown; zstdDecompress?: unknown };
const zstdCompress = withZstd.zstdCompress === undefined ? undefined : codecOf(withZstd.zstdCompress);
const zstdDecompress = withZstd.zstdDecompress === undefined ? undefined : codecOf(withZstd.zstdDecompress);
const deflate = codecOf(zlib.deflateRaw);
const inflate = codecOf(zlib.inflateRaw);

/** Serialises and compresses a value; compression runs off the main thread. */
export async function encodeParked(id: string, value: unknown): Promise<Uint8Array> {
  const payload = v8.serialize(value);
  const compressed =
    zstdCompress === undefined
      ? await deflate(payload, { level: 1, chunkSize: pieceFor(payload.byteLength / 2) })
      : await zstdCompress(payload, { chunkSize: pieceFor(payload.byteLength / 2) });
  const name = Buffer.from(id, 'utf8');
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(magic, 0);
  header.writeUInt8(version, 4);
  header.writeUInt8(zstdCompress === undefined ? deflated : zstd, 5);
  header.writeUInt32BE(zlib.crc32(compressed), 6);
  header.writeUInt32BE(payload.byteLength, 10);
  header.writeUInt32BE(name.byteLength, 14);
  return Buffer.concat([header, name, compressed]);
}

/** The value of a form; the coded error of a damaged one. */
export async function decodeParked(id: string, form: Uint8Array, lot: string): Promise<unknown> {
  const bytes = Buffer.from(form.buffer, form.byteOffset, form.byteLength);
  const damaged = (why: string, cause?: unknown): Error =>
    failure('PLM_KEEP_PARKED_CORRUPT', { id, lot, why }, { cause });
  if (bytes.byteLength < headerBytes || bytes.readUInt32BE(0) !== magic)
    throw damaged('it is no parked value');
  if (bytes.readUInt8(4) !== version) throw damaged(`its version is ${bytes.readUInt8(4)}`);
  const start = headerBytes + bytes.readUInt32BE(14);
  if (start > bytes.byteLength) throw damaged('it is cut off');
  if (bytes.toString('utf8', headerBytes, start) !== id) throw damaged('it belongs to another id');
  const compressed = bytes.subarray(start);
  if (zlib.crc32(compressed) !== bytes.readUInt32BE(6)) throw damaged('checksum differs');
  const codec = bytes.readUInt8(5);
  if (codec !== deflated && codec !== zstd) throw damaged(`its codec is ${codec}`);
  const decompress = codec === deflated ? inflate : zstdDecompress;
  if (decompress === undefined) throw damaged('it needs zstd, which this Node lacks');
  const length = bytes.readUInt32BE(10);
  if (length > mostBytes) throw damaged(`it would unpack to ${length} bytes`);
  try {
    const limits = { chunkSize: pieceFor(length), maxOutputLength: Math.max(1, length) };
    const payload = await decompress(compressed, limits);
    if (payload.byteLength !== length) throw new Error('its length differs');
    return v8.deserialize(payload) as unknown;
  } catch (cause) {
    throw damaged(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

function pieceFor(bytes: number): number {
  return Math.min(mostPiece, Math.max(64 * 1024, Math.ceil(bytes)));
}

function codecOf(native: unknown): Codec {
  return promisify(
    native as (input: Uint8Array, options: object, done: (error: Error | null, out: Buffer) => void) => void,
  );
}
