import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { formatByteSize } from './units/byte-size.ts';

/** Why `readRegularFile` refused a path that exists. File-system errors such as ENOENT are thrown as Node throws them. */
export class RegularFileError extends Error {
  readonly why: 'not-regular' | 'too-big';
  /** Size of the file as far as it is known; 0 for what is no regular file. */
  readonly bytes: number;

  constructor(why: 'not-regular' | 'too-big', message: string, bytes: number) {
    super(message);
    this.name = 'RegularFileError';
    this.why = why;
    this.bytes = bytes;
  }
}

interface RegularFileOptions {
  /** Most bytes that are read. A file that is larger, or grows beyond it while it is read, is refused. */
  readonly maxBytes: number;
  /** Refuses a symbolic link as the last part of the path. False by default. */
  readonly noFollow?: boolean;
}

/**
 * Reads a regular file and nothing else. It is opened without blocking, because opening a FIFO for reading waits for a writer, for ever. A
 * FIFO, device, socket or folder is refused by what the open file is, so a path that is swapped in between cannot get around it. The size
 * is capped while reading, because files under /proc and files that grow report another size than they deliver.
 */
export function readRegularFile(path: string, options: RegularFileOptions): Buffer {
  const { maxBytes, noFollow = false } = options;
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW, O_NOCTTY } = constants;
  // Flags that a platform does not have are undefined there and count as 0 here.
  const fd = openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | (noFollow ? O_NOFOLLOW : 0));
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile())
      throw new RegularFileError('not-regular', `it is ${nounOf(stats)}, not a regular file`, 0);
    if (stats.size > maxBytes) throw tooBig(stats.size, maxBytes);
    return readAll(fd, stats.size, maxBytes);
  } finally {
    closeSync(fd);
  }
}

/** As `readRegularFile`, as UTF-8 text. */
export function readRegularText(path: string, options: RegularFileOptions): string {
  return readRegularFile(path, options).toString('utf8');
}

function readAll(fd: number, size: number, maxBytes: number): Buffer {
  // One byte more than the size tells that the file has grown.
  let buffer = Buffer.allocUnsafe(Math.min(size, maxBytes) + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.subarray(0, length);
    length += read;
    if (length > maxBytes) throw tooBig(length, maxBytes);
    if (length < buffer.length) continue;
    const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * buffer.length, 4096), maxBytes + 1));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }
}

function tooBig(bytes: number, maxBytes: number): RegularFileError {
  return new RegularFileError(
    'too-big',
    `it has ${formatByteSize(bytes)} or more; at most ${formatByteSize(maxBytes)} are read`,
    bytes,
  );
}

function nounOf(stats: {
  isDirectory(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
  isCharacterDevice(): boolean;
}): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a named pipe';
  if (stats.isSocket()) return 'a socket';
  return stats.isCharacterDevice() ? 'a character device' : 'a device';
}
