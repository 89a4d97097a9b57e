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

/** What a line of a journal may be, by the file that it waits for. */
interface Pending {
  readonly audit: PendingEntry;
  readonly samples: PendingBatch;
}

/**
 * What could not reach audit.db or samples.db yet, one JSON line each, in `audit.pending.<pid>-<run>` or `samples.pending.<pid>-<run>`.
 * Written when the writer rests, is dead, stuck or out of disk; read back by the next writer or reader. What is in here outlives the process.
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

  /** Appends without waiting for the disk; `sync` does that. Throws what the file system says. */
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

  /** Appends and waits for the disk on this thread: the last thing before the process ends. */
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

  /** Removes what was appended since the last seal: all of it is in the chain. */
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
      // Another process has taken it in already.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A journal found in the folder. */
export interface FoundJournal<Item> {
  readonly path: string;
  readonly items: readonly Item[];
  /** Lines cut off by a crash in the middle of a write; they were never confirmed. */
  readonly torn: number;
  /** Size of the file when it was read. */
  readonly bytes: number;
  /** A living process may append to it. */
  readonly isOwned: boolean;
}

/** Who may still be writing a journal. */
export interface JournalOwners {
  readonly pid: number;
  /** Runs of this very process that are open. In a container every process may have the same id, one after the other. */
  readonly runs: readonly number[];
  readonly alive?: (pid: number) => boolean;
  readonly now?: number;
}

/**
 * The journals of a folder in the order of what they hold. Nobody writes those any more that are sealed, those of processes or runs that are gone, and those left alone for
 * a minute.
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
      // A link, or a file of somebody else, is no journal of ours. Its content must not enter the audit.
      if (checkPath(path, 'file').fault !== undefined || lstatSync(path).isSymbolicLink()) continue;
      const idle = (owners.now ?? Date.now()) - statSync(path).mtimeMs > idleMs;
      const isOwned = match[4] === undefined && owned && !idle;
      found.push({ ...readJournal(path, isWhole[kind]), isOwned });
    } catch (error) {
      // Another process has taken it in meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return found.sort((a, b) => placeOf(a.items[0]) - placeOf(b.items[0]));
}

/** Entries come in the order of time. The batches of a run are numbered, and a lower number after a higher one is taken for stored. */
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

/** Tells a whole line of ours from one that was cut off. */
const isWhole = { audit: isPendingEntry, samples: isPendingBatch };

/** A leading newline ends a line that an earlier crash may have cut off. */
const lines = (items: readonly object[]): Buffer =>
  Buffer.from(`\n${items.map((item) => JSON.stringify(item)).join('\n')}\n`);

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
