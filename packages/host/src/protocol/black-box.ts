/**
 * The black box of a process: a file of fixed size with its newest readings, in slots that are written in turn. Each slot has a number, a
 * length and a checksum. A slot that the end of the process cut off is recognised and left out. The kernel keeps written data, however the
 * process ends.
 */
import {
  openSync,
  closeSync,
  fstatSync,
  readdirSync,
  readSync,
  renameSync,
  statSync,
  unlinkSync,
  constants,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import type { Level } from './frame.ts';

export const slotBytes = 2048;
export const slots = 128;
export const boxBytes = (slots + 1) * slotBytes;
const headBytes = 16;
const magic = 0x504c_4258;
/** Most boxes of ended processes that are kept for an autopsy. Older ones are removed. */
const mostKept = 16;

/** The identity of the process; the first slot. */
export interface BoxStart {
  readonly kind: 'start';
  readonly at: number;
  readonly pid: number;
  readonly node: string;
  readonly target: string;
  /** V8's limit of the main heap; a fatal report with another limit comes from a worker thread. */
  readonly heapLimit: number;
  /** Version of the program; boxes of an earlier Plimsoll do not have it. */
  readonly release?: string | null;
}

/** One reading with the largest holders at that time. Names and numbers only. */
export interface BoxReading {
  readonly kind: 'reading';
  readonly at: number;
  readonly used: number;
  readonly limit: number;
  readonly heapUsed: number;
  readonly floor: number | null;
  readonly external: number;
  readonly arrayBuffers: number;
  readonly rss: number;
  readonly loopDelayMs: number;
  readonly level: Level;
  /** Kind of the limit: heap, cgroup, native or policy. */
  readonly source: string;
  readonly scopes: readonly (readonly [path: string, bytes: number])[];
  readonly keepers: readonly (readonly [name: string, bytes: number])[];
  /** Scopes that are open, by kind. */
  readonly open: Readonly<Record<string, number>>;
  /** Worker threads that were started so far. */
  readonly workers: number;
  /** Requests refused so far. */
  readonly refused: number;
  /** Actions that are running. */
  readonly actions: readonly string[];
  /** The incident in one sentence. */
  readonly incident: string | null;
  /** Fingerprint of the gravest finding of that incident; boxes of an earlier Plimsoll do not have it. */
  readonly fingerprint?: string | null;
}

/** An error that nobody caught. Its message is left out, because it may contain user data. */
export interface BoxError {
  readonly kind: 'error';
  readonly at: number;
  readonly origin: 'uncaughtException' | 'unhandledRejection';
  readonly name: string;
  readonly code: string | null;
  /** A phrase of V8 that the message contains; null when it contains none. */
  readonly phrase: string | null;
  readonly frames: readonly string[];
}

/** An exit that the process made itself. */
export interface BoxExit {
  readonly kind: 'exit';
  readonly at: number;
  readonly code: number;
  /** The reason when the exit is a restart. */
  readonly reason: string | null;
  /** Stack of the call of `process.exit`; empty when the event loop ran empty. */
  readonly frames: readonly string[];
}

export type BoxRecord = BoxStart | BoxReading | BoxError | BoxExit;

/** The content of a box, oldest record first. */
export interface BlackBox {
  readonly file: string;
  readonly start: BoxStart;
  readonly records: readonly Exclude<BoxRecord, BoxStart>[];
  /** Slots that were cut off. */
  readonly torn: number;
}

export function boxFile(dir: string, pid: number): string {
  return join(dir, `black-box-${pid}.box`);
}

/** Byte position of the slot for a record number. */
export function slotOf(number: number): number {
  return number === 0 ? 0 : slotBytes * (1 + ((number - 1) % slots));
}

/** Writes a record into a slot's buffer; returns its length, or undefined when it does not fit. */
export function encodeSlot(buffer: Buffer, number: number, record: BoxRecord): number | undefined {
  const length = buffer.write(JSON.stringify(record), headBytes, 'utf8');
  // A text that fills the buffer was cut.
  if (length >= slotBytes - headBytes - 3) return undefined;
  buffer.writeUInt32LE(magic, 0);
  buffer.writeUInt32LE(number, 4);
  buffer.writeUInt32LE(length, 8);
  buffer.writeUInt32LE(crc32(buffer.subarray(headBytes, headBytes + length), number), 12);
  return headBytes + length;
}

/** Reads a box; undefined when the file is not a box or its first slot is damaged. Never throws. */
export function readBlackBox(file: string): BlackBox | undefined {
  const bytes = readBounded(file);
  if (bytes === undefined) return undefined;
  const found: { readonly number: number; readonly record: BoxRecord }[] = [];
  let torn = 0;
  for (let at = 0; at + slotBytes <= bytes.length; at += slotBytes) {
    const slot = bytes.subarray(at, at + slotBytes);
    if (slot.readUInt32LE(0) === 0 && slot.readUInt32LE(4) === 0) continue;
    const decoded = decodeSlot(slot);
    if (decoded === undefined) torn++;
    else found.push(decoded);
  }
  found.sort((a, b) => a.number - b.number);
  const [first, ...rest] = found.map(({ record }) => record);
  if (first?.kind !== 'start') return undefined;
  const records = rest.filter((record) => record.kind !== 'start');
  return { file, start: first, records, torn };
}

/** The boxes of a folder, the newest first. */
export function readBlackBoxes(dir: string): readonly BlackBox[] {
  return boxFiles(dir)
    .flatMap((file) => readBlackBox(file) ?? [])
    .sort((a, b) => b.start.at - a.start.at);
}

/** Removes boxes of processes that have ended, all but the newest. */
export function removeOldBoxes(dir: string): void {
  const ended = boxFiles(dir)
    .filter((file) => isSetAside({ file }) || !isAlive(Number(/(\d+)\.box$/.exec(file)?.[1])))
    .map((file) => ({ file, at: modifiedAt(file) }))
    .sort((a, b) => b.at - a.at);
  for (const { file } of ended.slice(mostKept)) removeBox(file);
}

/** True for the box of a process that is known to have ended. */
export function isSetAside({ file }: Pick<BlackBox, 'file'>): boolean {
  return /-\d+-\d+\.box$/.test(file);
}

/**
 * Renames the box of an ended process, because in a restarted container the next process has the same process id. A clean end leaves no
 * box.
 */
export function setBoxAside(file: string): void {
  try {
    renameSync(file, file.replace(/\.box$/, `-${Math.floor(modifiedAt(file))}.box`));
  } catch {
    // There is none.
  }
}

export function removeBox(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else removed it.
  }
}

function decodeSlot(slot: Buffer): { readonly number: number; readonly record: BoxRecord } | undefined {
  const number = slot.readUInt32LE(4);
  const length = slot.readUInt32LE(8);
  if (slot.readUInt32LE(0) !== magic || length > slotBytes - headBytes) return undefined;
  const text = slot.subarray(headBytes, headBytes + length);
  if (crc32(text, number) !== slot.readUInt32LE(12)) return undefined;
  return { number, record: JSON.parse(text.toString('utf8')) as BoxRecord };
}

function readBounded(file: string): Buffer | undefined {
  let handle: number | undefined;
  try {
    handle = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
    if (!fstatSync(handle).isFile()) return undefined;
    const bytes = Buffer.alloc(boxBytes);
    return bytes.subarray(0, readSync(handle, bytes, 0, boxBytes, 0));
  } catch {
    return undefined;
  } finally {
    if (handle !== undefined) closeSync(handle);
  }
}

function boxFiles(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
      .filter((name) => /^black-box-\d+(?:-\d+)?\.box$/.test(name))
      .map((name) => join(dir, name));
  } catch {
    return [];
  }
}

function modifiedAt(file: string): number {
  try {
    return statSync(file).mtimeMs;
  } catch {
    return 0;
  }
}
