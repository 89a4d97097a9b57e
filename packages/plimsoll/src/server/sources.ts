import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { isLedger } from '@plimsoll/ledger/internal/read/is-ledger';
import type { ProcessRow } from '@plimsoll/host/protocol/api';
import { listing } from '@plimsoll/core/internal/listing';
import { liveDescriptors } from '@plimsoll/host/protocol';
import { LedgerDesk } from './ledger/ledger-desk.ts';
import { LedgerSource } from './ledger-source.ts';
import { LiveSource } from './live-source.ts';
import type { Source } from './source.ts';

const mostLedgers = 16;
const mostKept = 64;
/** Most ms between the starts in descriptor and ledger of the same process. */
const sameRunMs = 10_000;
/** Most age of a listing of the folder, ms. */
const listedMs = 100;

export interface SourcesOptions {
  /** Folder of the runs: descriptors, sockets, ledgers. */
  readonly dir: string;
  /** A ledger to show instead: its folder, one of its files, or a folder of runs. Then no process is live. */
  readonly ledger?: string | undefined;
  readonly desk?: LedgerDesk;
}

/** The processes of a folder: the running ones, and those in its ledgers. */
export class Sources implements AsyncDisposable {
  readonly dir: string;
  readonly desk: LedgerDesk;
  readonly #ledger: string | undefined;
  readonly #live = new Map<number, LiveSource>();
  readonly #gone = new Map<string, LedgerSource>();
  #listed: { readonly at: number; readonly found: ReturnType<typeof liveDescriptors> } | undefined;

  constructor(options: SourcesOptions) {
    this.dir = resolve(options.dir);
    this.desk = options.desk ?? new LedgerDesk();
    this.#ledger = options.ledger === undefined ? undefined : resolve(options.ledger);
  }

  /** Running ones first, then newest first. */
  async list(): Promise<readonly ProcessRow[]> {
    const running = this.running().map((source) => source.process);
    const pids = new Set(running.map((row) => row.pid));
    const known = (await this.#known()).map((source) => source.process);
    return [...running, ...known.filter((row) => !(row.state === 'running' && pids.has(row.pid)))];
  }

  /** The process with an id of `list`; by default the newest running one. */
  async pick(id: string | undefined): Promise<Source> {
    const running = this.running();
    const live = id === undefined ? running[0] : running.find((source) => source.process.id === id);
    if (live !== undefined) return live;
    const kept = id === undefined ? undefined : this.#gone.get(id);
    if (kept !== undefined) return kept;
    const known = await this.#known();
    const found = id === undefined ? known[0] : known.find((source) => source.process.id === id);
    if (found === undefined)
      throw failure('PLM_SERVER_NO_PROCESS', { dir: this.#ledger ?? this.dir, id: id ?? null });
    return found;
  }

  /** The ledger of a process that does not answer; undefined without one. */
  async recorded({ pid, startedAt }: ProcessRow): Promise<Source | undefined> {
    const known = await this.#known();
    return known.find(
      ({ process }) => process.pid === pid && Math.abs(process.startedAt - startedAt) < sameRunMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const source of this.#live.values()) source[Symbol.dispose]();
    this.#live.clear();
    await this.desk[Symbol.asyncDispose]();
  }

  /** Running processes, newest first. */
  running(): readonly LiveSource[] {
    if (this.#ledger !== undefined) return [];
    const found = this.#descriptors();
    for (const [pid, source] of this.#live) {
      const isSame = found.some((each) => each.pid === pid && each.startedAt === source.process.startedAt);
      if (isSame) continue;
      this.#live.delete(pid);
      source[Symbol.dispose]();
    }
    return found.map((descriptor) => {
      const known = this.#live.get(descriptor.pid);
      if (known !== undefined) return known;
      const made = new LiveSource(this.dir, descriptor);
      this.#live.set(descriptor.pid, made);
      return made;
    });
  }

  /** The descriptors of the folder, read once for all requests within a moment. */
  #descriptors(): ReturnType<typeof liveDescriptors> {
    const now = performance.now();
    if (this.#listed === undefined || now - this.#listed.at > listedMs)
      this.#listed = { at: now, found: liveDescriptors(this.dir) };
    return this.#listed.found;
  }

  async #known(): Promise<readonly LedgerSource[]> {
    const found = await Promise.all(this.#ledgerDirs().map((dir) => this.#runsOf(dir)));
    return found.flat().sort((a, b) => b.process.startedAt - a.process.startedAt);
  }

  async #runsOf(dir: string): Promise<readonly LedgerSource[]> {
    // A ledger that cannot be read does not hide the others. When it is named, its error is shown.
    const rows = await this.desk.ask(dir, 'processes', {}).catch((error: unknown) => {
      if (this.#ledger !== undefined) throw error;
      return [];
    });
    return rows.map((row) => {
      const known = this.#gone.get(row.id);
      if (known !== undefined && known.process.state === row.state) return known;
      const made = new LedgerSource(this.desk, dir, row);
      if (this.#gone.size >= mostKept) this.#gone.clear();
      this.#gone.set(row.id, made);
      return made;
    });
  }

  #ledgerDirs(): readonly string[] {
    const root = this.#ledger ?? this.dir;
    if (isFile(root)) return [dirname(root)];
    if (isLedger(root)) return [root];
    const found = listing(root)
      .filter((name) => /^ledger(?:-\d+)?$/.test(name))
      .map((name) => join(root, name))
      .filter(isLedger);
    // A folder without a ledger is asked anyway, because its error names what is missing.
    return found.length === 0 && this.#ledger !== undefined ? [root] : found.slice(0, mostLedgers);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
