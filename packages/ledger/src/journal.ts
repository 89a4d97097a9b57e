import { isAlive } from '@plimsoll/core/internal/is-alive';
import { listing } from '@plimsoll/core/internal/listing';
import {
  closeSync,
  lstatSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingEntry } from './audit-entry.ts';
import { isPendingBatch } from './sample-batch.ts';
import type { PendingBatch } from './sample-batch.ts';
import { checkPath, makeOwnFolder, openOwnFile } from '@plimsoll/core/internal/own-path';

const idleMs = 60_000;

/** Type of a journal's lines, by the file for which they wait. */
interface Pending {
  readonly audit: PendingEntry;
  readonly samples: PendingBatch;
}

/**
 * Entries that could not be written into audit.db or samples.db yet, one JSON line each, in `audit.pending.<pid>-<run>` or
 * `samples.pending.<pid>-<run>`. They are written here while the writer rests, is dead, hangs or has no disk space. The next writer or
 * reader copies them. They outlive the process.
 */
export class PendingJournal<Kind extends keyof Pending> {
  readonly #dir: string;
  readonly #path: string;
  #sealed = 0;
  #written = false;
  /** Bytes appended since the last seal. */
  bytes = 0;

  constructor(dir: string, kind: Kind, pid: number, run: number) {
    this.#dir = dir;
    this.#path = join(dir, `${kind}.pending.${pid}-${run}`);
  }

  /** Appends without waiting for the disk, which `sync` does. Throws errors of the file system. */
  append(items: readonly Pending[Kind][]): void {
    makeOwnFolder(this.#dir);
    const file = openOwnFile(this.#path);
    try {
      const bytes = lines(items);
      writeWhole(file, bytes);
      this.#written = true;
      this.bytes += bytes.length;
    } finally {
      closeSync(file);
    }
  }

  /** Appends and waits for the disk on this thread. It is the last step before the process ends. */
  appendNow(items: readonly Pending[Kind][]): void {
    this.append(items);
    const file = openSync(this.#path, 'r+');
    try {
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Resolves when everything appended so far has reached the disk. */
  async sync(): Promise<void> {
    const file = await open(this.#path, 'r+').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    try {
      await file?.datasync();
    } finally {
      await file?.close();
    }
  }

  /** True when something was appended since the last seal. */
  get waiting(): boolean {
    return this.#written;
  }

  /** Removes the lines since the last seal, because all of them are in the chain. */
  remove(): void {
    if (!this.#written) return;
    this.#written = false;
    rmSync(this.#path, { force: true });
  }

  /** Gives the file a name of its own, so that it can be replayed while new entries go to a fresh one. */
  seal(): void {
    if (!this.#written) return;
    this.#written = false;
    this.bytes = 0;
    try {
      renameSync(this.#path, `${this.#path}.${++this.#sealed}`);
    } catch (error) {
      // Another process has already copied it.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A journal found in the folder. */
export interface FoundJournal<Item> {
  readonly path: string;
  readonly items: readonly Item[];
  /** Number of lines that a crash cut off. They were never confirmed. */
  readonly torn: number;
  /** Size of the file when it was read. */
  readonly bytes: number;
  /** True when a living process may append to it. */
  readonly isOwned: boolean;
}

/** Processes and runs that may still write a journal. */
export interface JournalOwners {
  readonly pid: number;
  /** Open runs of this process. In a container, successive processes may all have the same id. */
  readonly runs: readonly number[];
  readonly alive?: (pid: number) => boolean;
  readonly now?: number;
}

/**
 * The journals of a folder, ordered by their content. A journal has no writer any more when it is sealed, when its process or run is gone,
 * or when it did not change for a minute.
 */
export function findJournals<Kind extends keyof Pending>(
  dir: string,
  kind: Kind,
  owners: JournalOwners,
): FoundJournal<Pending[Kind]>[] {
  const alive = owners.alive ?? isAlive;
  const found: FoundJournal<Pending[Kind]>[] = [];
  for (const name of journalNames(dir)) {
    const match = namePattern.exec(name);
    if (match?.[1] !== kind) continue;
    const path = join(dir, name);
    const pid = Number(match[2]);
    const owned = pid === owners.pid ? owners.runs.includes(Number(match[3])) : alive(pid);
    try {
      // A link, or a file of another user, is not our journal. Its content must not get into the audit.
      if (checkPath(path, 'file').fault !== undefined || lstatSync(path).isSymbolicLink()) continue;
      const idle = (owners.now ?? Date.now()) - statSync(path).mtimeMs > idleMs;
      const isOwned = match[4] === undefined && owned && !idle;
      found.push({ ...readJournal(path, isWhole[kind]), isOwned });
    } catch (error) {
      // Another process has copied it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return found.sort((a, b) => placeOf(a.items[0]) - placeOf(b.items[0]));
}

/**
 * Sort key of a line. Entries are sorted by time. Batches of a run are numbered, and a lower number after a higher one would count as
 * already stored.
 */
function placeOf(item: PendingEntry | PendingBatch | undefined): number {
  if (item === undefined) return 0;
  return 'number' in item ? item.number : item.at;
}

const namePattern = /^(audit|samples)\.pending\.(\d+)-(\d+)(\.\d+)?$/;

/** The journals of a folder by name. */
export function journalNames(dir: string): readonly string[] {
  return listing(dir).filter((name) => namePattern.test(name));
}

/** Removes a journal that has been replayed, unless it grew since it was read. */
export function removeJournal({ path, bytes }: FoundJournal<unknown>): void {
  if (statSync(path, { throwIfNoEntry: false })?.size === bytes) rmSync(path, { force: true });
}

function readJournal<Item>(
  path: string,
  isItem: (value: object) => boolean,
): Omit<FoundJournal<Item>, 'isOwned'> {
  const items: Item[] = [];
  let torn = 0;
  const text = readFileSync(path);
  for (const line of text.toString().split('\n')) {
    if (line === '') continue;
    const value = parseLine(line);
    if (typeof value === 'object' && value !== null && isItem(value)) items.push(value as Item);
    else torn++;
  }
  return { path, items, torn, bytes: text.length };
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function isPendingEntry(value: Partial<PendingEntry>): boolean {
  return (
    typeof value.run === 'number' &&
    typeof value.n === 'number' &&
    typeof value.at === 'number' &&
    typeof value.kind === 'string' &&
    typeof value.scope === 'string' &&
    typeof value.body === 'string'
  );
}

/** Whether a line is complete. */
const isWhole = { audit: isPendingEntry, samples: isPendingBatch };

/** A leading newline ends a line that an earlier crash may have cut off. */
const lines = (items: readonly object[]): Buffer =>
  Buffer.from(`\n${items.map((item) => JSON.stringify(item)).join('\n')}\n`);

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
