import { failure } from '@plimsoll/core/internal/errors';
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { bytesOption, countOption } from '../bound.ts';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import type { ParkingLot } from './parking-lot.ts';

export interface FileLotOptions {
  /** Folder of the parked files; made with mode 0700 when it does not exist. */
  readonly dir: string;
  /** Most bytes on disk, default 1 GiB; the longest parked goes first. */
  readonly maxBytes?: number | string;
  /** Most files, default 100,000. */
  readonly maxEntries?: number;
}

const suffix = '.parked';
const half = '.part';
/** A half-written file of this age belongs to a process that died. */
const abandonedMs = 3_600_000;

/** Parked values as files of mode 0600, written beside their place and moved in at once, so that a crash leaves the old one or the new one. */
export class FileLot implements ParkingLot {
  readonly label: string;
  readonly #dir: string;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  /** Bytes of each file, longest parked first. */
  readonly #files = new Map<string, number>();
  #total = 0;
  #known: Promise<void> | undefined;
  #isKnown = false;

  constructor(options: FileLotOptions) {
    this.#dir = resolve(options.dir);
    this.label = `parking lot ${this.#dir}`;
    this.#maxBytes = bytesOption('FileLot', 'maxBytes', options.maxBytes) ?? 1024 ** 3;
    this.#maxEntries = countOption('FileLot', 'maxEntries', options.maxEntries) ?? 100_000;
  }

  /** Bytes on disk, as far as known. */
  get bytes(): number {
    return this.#total;
  }

  get size(): number | undefined {
    return this.#isKnown ? this.#files.size : undefined;
  }

  async put(id: string, form: Uint8Array): Promise<void> {
    const bytes = form.byteLength;
    const { label: lot } = this;
    const maxBytes = this.#maxBytes;
    if (bytes > maxBytes) throw failure('PLM_KEEP_PARK_TOO_LARGE', { id, bytes, maxBytes, lot });
    await this.#learn();
    const name = nameOf(id);
    const part = join(this.#dir, `${name}.${randomUUID()}${half}`);
    try {
      await writeFile(part, form, { mode: 0o600, flag: 'wx' });
      await rename(part, join(this.#dir, name));
    } catch (error) {
      await unlink(part).catch(() => {});
      throw error;
    }
    this.#note(name, bytes);
    await this.#makeRoom(name);
  }

  async get(id: string): Promise<Uint8Array | undefined> {
    const name = nameOf(id);
    try {
      const form = await readFile(join(this.#dir, name));
      // Another process may have parked it after this one looked.
      this.#note(name, form.byteLength);
      return form;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
  }

  async remove(id: string): Promise<boolean> {
    return this.#drop(nameOf(id));
  }

  mayHold(id: string): boolean {
    if (this.#isKnown) return this.#files.size > 0 && this.#files.has(nameOf(id));
    // A folder that cannot be read is the trouble of the call that needs it.
    this.#learn().catch(() => {});
    return true;
  }

  async close(): Promise<void> {
    await this.#known;
  }

  /** Looks once at what earlier processes left in the folder. */
  #learn(): Promise<void> {
    this.#known ??= this.#look().catch((error: unknown) => {
      this.#known = undefined;
      throw error;
    });
    return this.#known;
  }

  async #look(): Promise<void> {
    makeOwnFolder(this.#dir);
    const found: { name: string; bytes: number; at: number }[] = [];
    for (const name of await readdir(this.#dir)) {
      const info = await stat(join(this.#dir, name)).catch(() => undefined);
      if (info === undefined) continue;
      if (name.endsWith(suffix)) found.push({ name, bytes: info.size, at: info.mtimeMs });
      else if (name.endsWith(half) && Date.now() - info.mtimeMs > abandonedMs)
        await unlink(join(this.#dir, name)).catch(() => {});
    }
    found.sort((a, b) => a.at - b.at);
    for (const { name, bytes } of found) this.#note(name, bytes);
    this.#isKnown = true;
  }

  #note(name: string, bytes: number): void {
    this.#total += bytes - (this.#files.get(name) ?? 0);
    this.#files.delete(name);
    this.#files.set(name, bytes);
  }

  async #makeRoom(keep: string): Promise<void> {
    for (const name of this.#files.keys()) {
      if (this.#total <= this.#maxBytes && this.#files.size <= this.#maxEntries) return;
      if (name !== keep) await this.#drop(name);
    }
  }

  async #drop(name: string): Promise<boolean> {
    this.#total -= this.#files.get(name) ?? 0;
    this.#files.delete(name);
    try {
      await unlink(join(this.#dir, name));
      return true;
    } catch (error) {
      if (isAbsent(error)) return false;
      throw error;
    }
  }
}

/** Ids may hold anything, also path separators and secrets; the file is named by their hash. */
function nameOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40) + suffix;
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
