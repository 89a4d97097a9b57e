import { closeSync, fdatasyncSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { makeOwnFolder, openOwnFile } from '@plimsoll/core/internal/own-path';
import type { ChainHead } from './sqlite/audit-store.ts';

/** The head of an audit chain at one moment. It is kept where writers of the ledger have no access. */
export interface Anchor extends ChainHead {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Folder of the ledger. */
  readonly dir: string;
}

/** Where heads of the audit chain are kept outside the ledger. `plimsoll ledger verify --anchors FILE` compares them with the chain. */
export interface AnchorOptions {
  /** A file that gets one JSON line for each new head. Put it on another disk, or where this user may only append. */
  readonly file?: string | undefined;
  /** Sends a head elsewhere, such as to a webhook. When it rejects, a warning is emitted once, and the next head is sent as usual. */
  readonly send?: ((anchor: Anchor) => Promise<void>) | undefined;
  /** Name of the target, for the warning. */
  readonly to?: string | undefined;
  /** How often a new head is kept. Milliseconds, default 10 minutes, at least 1 second. The last one is kept at close. */
  readonly everyMs?: number | undefined;
}

/** Keeps heads of one ledger elsewhere at its own interval. Never throws and never keeps the process alive. */
export class AnchorKeeper {
  readonly #dir: string;
  readonly #options: AnchorOptions;
  readonly #everyMs: number;
  #head: ChainHead | undefined;
  #keptSeq = 0;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;

  constructor(dir: string, options: AnchorOptions) {
    this.#dir = dir;
    this.#options = options;
    this.#everyMs = Math.max(1000, options.everyMs ?? 600_000);
  }

  /** Takes a head. The first one of a run is kept at once. */
  note(head: ChainHead): void {
    this.#head = head;
    if (this.#timer !== undefined || head.seq === this.#keptSeq) return;
    if (this.#keptSeq === 0) this.keep();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.keep();
    }, this.#everyMs).unref();
  }

  /** Keeps the newest head now, unless it is already kept. */
  keep(): void {
    const head = this.#head;
    if (head === undefined || head.seq === 0 || head.seq === this.#keptSeq) return;
    this.#keptSeq = head.seq;
    const anchor: Anchor = { at: Date.now(), dir: this.#dir, ...head };
    const { file, send, to = 'its receiver' } = this.#options;
    if (file !== undefined) this.#append(resolve(file), anchor);
    if (send === undefined) return;
    this.#sending = send(anchor).catch((error: unknown) => this.#failed(to, error));
  }

  /** Keeps the last head; resolves when it was sent or given up. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.keep();
    await this.#sending;
  }

  #append(file: string, anchor: Anchor): void {
    try {
      makeOwnFolder(dirname(file));
      const fd = openOwnFile(file);
      try {
        writeSync(fd, `${JSON.stringify(anchor)}\n`);
        fdatasyncSync(fd);
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      this.#failed(file, error);
    }
  }

  #failed(to: string, error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    warnOnce('PLM_LEDGER_ANCHOR_LOST', { dir: this.#dir, to, reason });
  }
}
