const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The part of Node's Buffer that reading a snapshot from a stream needs, for browsers. */
export class ByteBuffer extends Uint8Array {
  static alloc(length: number): ByteBuffer {
    return new ByteBuffer(length);
  }

  static allocUnsafe(length: number): ByteBuffer {
    return new ByteBuffer(length);
  }

  static allocUnsafeSlow(length: number): ByteBuffer {
    return new ByteBuffer(length);
  }

  static override from(
    source: string | ArrayLike<number> | Iterable<number>,
    encoding?: unknown,
  ): ByteBuffer {
    if (typeof source !== 'string') return new ByteBuffer(source as ArrayLike<number>);
    if (encoding === 'latin1') return new ByteBuffer(Array.from(source, (letter) => letter.charCodeAt(0)));
    if (encoding === 'base64') return ByteBuffer.from(atob(source), 'latin1');
    return new ByteBuffer(new TextEncoder().encode(source));
  }

  override toString(encoding?: string, start = 0, end = this.length): string {
    const part = this.subarray(start, end);
    // TextDecoder reads "latin1" as windows-1252, which differs between 0x80 and 0x9f.
    if (encoding === 'latin1') return Array.from(part, (byte) => String.fromCharCode(byte)).join('');
    // Keeps a byte order mark, as Buffer does.
    return decoder.decode(part);
  }

  readBigUInt64LE(): bigint {
    return new DataView(this.buffer, this.byteOffset).getBigUint64(0, true);
  }
}

const place = globalThis as { Buffer?: unknown; setImmediate?: unknown };
place.Buffer ??= ByteBuffer;
place.setImmediate ??= (run: () => void) => setTimeout(run, 0);
