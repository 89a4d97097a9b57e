import { isAlive } from '@plimsoll/core/internal/is-alive';
import {
  closeSync,
  existsSync,
  lstatSync,
  fdatasyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { PendingEntry } from './audit-entry.ts';
import { checkPath, makeOwnFolder, openOwnFile } from '@plimsoll/core/internal/own-path';

const prefix = 'audit.pending';
const idleMs = 60_000;

/**
 * Audit entries that could not reach audit.db yet, one JSON line each, in `audit.pending.<pid>-<run>`. Written when
 * the writer is dead, stuck or out of disk; read back by the writer at its next start. An entry in here is durable.
 */
export class PendingJournal {
  readonly #dir: string;
  readonly #path: string;
  #sealed = 0;
  #written = false;

  constructor(dir: string, pid: number, run: number) {
    this.#dir = dir;
    this.#path = join(dir, `${prefix}.${pid}-${run}`);
  }

  /** Appends without waiting for the disk; `sync` does that. Throws what the file system says. */
  append(entries: readonly PendingEntry[]): void {
    makeOwnFolder(this.#dir);
    const file = openOwnFile(this.#path);
    try {
      writeWhole(file, lines(entries));
      this.#written = true;
    } finally {
      closeSync(file);
    }
  }

  /** Appends and waits for the disk on this thread: the last thing before the process ends. */
  appendNow(entries: readonly PendingEntry[]): void {
    this.append(entries);
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
    try {
      renameSync(this.#path, `${this.#path}.${++this.#sealed}`);
    } catch (error) {
      // Another process has taken it in already.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** A journal found in the folder. */
interface FoundJournal {
  readonly path: string;
  readonly entries: readonly PendingEntry[];
  /** Lines cut off by a crash in the middle of a write; they were never confirmed. */
  readonly torn: number;
}

/** Who may still be writing a journal. */
export interface JournalOwners {
  readonly pid: number;
  /** Runs of this very process that are open. In a container every process may have the same id, one after the other. */
  readonly runs: readonly number[];
  readonly alive?: (pid: number) => boolean;
  readonly now?: number;
}

/** Journals that nobody writes any more: sealed ones, those of processes or runs that are gone, and those left alone for a minute. */
export function findJournals(dir: string, owners: JournalOwners): FoundJournal[] {
  if (!existsSync(dir)) return [];
  const alive = owners.alive ?? isAlive;
  const found: FoundJournal[] = [];
  for (const name of readdirSync(dir).sort()) {
    const match = /^audit\.pending\.(\d+)-(\d+)(\.\d+)?$/.exec(name);
    if (match === null) continue;
    const path = join(dir, name);
    // A link, or a file of somebody else, is no journal of ours. Its content must not enter the audit.
    const { fault, stat } = checkPath(path, 'file');
    if (fault !== undefined || stat === undefined || lstatSync(path).isSymbolicLink()) continue;
    const pid = Number(match[1]);
    const owned = pid === owners.pid ? owners.runs.includes(Number(match[2])) : alive(pid);
    const idle = (owners.now ?? Date.now()) - statSync(path).mtimeMs > idleMs;
    if (match[3] === undefined && owned && !idle) continue;
    found.push(readJournal(path));
  }
  return found;
}

/** Removes a journal that has been replayed, unless it grew since it was read. */
export function removeJournal(journal: FoundJournal): void {
  const again = readJournal(journal.path);
  if (again.entries.length === journal.entries.length) rmSync(journal.path, { force: true });
}

function readJournal(path: string): FoundJournal {
  const entries: PendingEntry[] = [];
  let torn = 0;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line === '') continue;
    const entry = parseLine(line);
    if (entry === undefined) torn++;
    else entries.push(entry);
  }
  return { path, entries, torn };
}

function parseLine(line: string): PendingEntry | undefined {
  try {
    const value = JSON.parse(line) as Partial<PendingEntry>;
    const whole =
      typeof value.run === 'number' &&
      typeof value.n === 'number' &&
      typeof value.at === 'number' &&
      typeof value.kind === 'string' &&
      typeof value.scope === 'string' &&
      typeof value.body === 'string';
    return whole ? (value as PendingEntry) : undefined;
  } catch {
    return undefined;
  }
}

/** A leading newline ends a line that an earlier crash may have cut off. */
const lines = (entries: readonly PendingEntry[]): Buffer =>
  Buffer.from(`\n${entries.map((entry) => JSON.stringify(entry)).join('\n')}\n`);

function writeWhole(file: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(file, bytes, written);
}
