import { failure } from '@plimsoll/core/internal/errors';
import type { PlimsollError } from '@plimsoll/core';
import { canonicalJson } from './audit-entry.ts';
import type { AuditEntry, PendingEntry } from './audit-entry.ts';
import { PendingJournal } from './journal.ts';
import type { LedgerSettings } from './options.ts';
import type { ChainHead } from './sqlite/audit-store.ts';
import type { RunInfo } from './sqlite/samples-store.ts';
import type { WorkerRequest } from './worker/protocol.ts';
import type { LinkState } from './worker/worker-link.ts';

/** Counters of audit entries since the ledger was opened. */
export interface AuditCounts {
  readonly taken: number;
  /** In the chain. */
  readonly written: number;
  /** In the pending journal: on disk, and in the chain later. */
  readonly spilled: number;
  /** In memory, not yet on disk. */
  readonly queued: number;
  /** Refused with a rejected promise. */
  readonly refused: number;
}

interface Waiting {
  readonly entry: PendingEntry;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: PlimsollError) => void;
  settled: boolean;
}

interface AuditQueueOptions {
  readonly settings: LedgerSettings;
  readonly run: RunInfo;
  /** Returns false when there is no writer to post to. */
  readonly post: (request: WorkerRequest) => boolean;
  /** Called after entries reached the disk or were refused. */
  readonly changed: () => void;
}

/**
 * Audit entries on their way to the chain. One delivery is under way at a time. The next one takes all entries that arrived meanwhile, so
 * that a burst shares one disk flush. Entries that cannot be delivered go to the pending journal. If that fails too, they stay in memory up
 * to a bound, above which entries are refused with an error.
 */
export class AuditQueue {
  readonly #options: AuditQueueOptions;
  readonly #journal: PendingJournal<'audit'>;
  /** Waiting entries by number, in order. */
  readonly #waiting = new Map<number, Waiting>();
  #delivery = 0;
  #flying: readonly Waiting[] = [];
  #deadline: NodeJS.Timeout | undefined;
  #sync: Promise<void> | undefined;
  #n = 0;
  #written = 0;
  #spilled = 0;
  #refused = 0;
  #reason = 'the writer has not answered';
  head: ChainHead | undefined;

  constructor(options: AuditQueueOptions) {
    this.#options = options;
    this.#journal = new PendingJournal(options.settings.dir, 'audit', options.run.pid, options.run.id);
  }

  add(entry: AuditEntry, writer: LinkState): Promise<void> {
    const pending = this.#pending(entry);
    if (typeof pending === 'string') return this.#refuse(entry.kind, pending);
    const promise = new Promise<void>((resolve, reject) => {
      const waiting: Waiting = { entry: pending, since: performance.now(), resolve, reject, settled: false };
      const writerIsDown = writer === 'down';
      const full = this.#waiting.size >= this.#options.settings.queueAudits;
      if ((full || writerIsDown || writer === 'resting') && this.#spill([waiting])) return;
      if (full) {
        this.#refused++;
        reject(this.#refusal(entry.kind, `${this.#waiting.size} entries wait and ${this.#reason}`));
        return;
      }
      this.#waiting.set(pending.n, waiting);
      if (writer === 'starting') this.#spool(pending);
      if (writerIsDown) this.#settleLate(waiting, performance.now());
    });
    // An unhandled rejection must not end a program that does not await the promise.
    promise.catch(() => undefined);
    this.#arm();
    this.send();
    return promise;
  }

  refuseClosed(kind: string): Promise<void> {
    return this.#refuse(kind, 'the ledger is closed');
  }

  /** Delivers waiting entries, unless a delivery is under way. */
  send(): void {
    if (this.#flying.length > 0 || this.#waiting.size === 0) return;
    const flying = [...this.#waiting.values()];
    const entries = flying.map((item) => item.entry);
    if (this.#options.post({ type: 'audit', delivery: this.#delivery + 1, entries })) {
      this.#delivery++;
      this.#flying = flying;
    }
  }

  /** The writer has stored a delivery. */
  confirm(delivery: number, head: ChainHead): void {
    this.head = head;
    if (delivery !== this.#delivery) return;
    for (const item of this.#flying) {
      // Entries that the deadline moved to the journal were counted there.
      if (this.#waiting.delete(item.entry.n)) this.#written++;
      settle(item);
    }
    this.#flying = [];
    if (this.#waiting.size > 0) this.send();
    else this.bringHome();
    this.#options.changed();
  }

  /** Called when the writer is gone or refused the delivery. Unconfirmed entries go to the journal. */
  undelivered(reason: string): void {
    this.#reason = reason;
    this.#flying = [];
    const left = [...this.#waiting.values()];
    if (this.#spill(left)) return;
    // Neither the writer nor the journal takes entries. The callers are told now, and the entries stay queued.
    for (const item of left) this.#settleLate(item, performance.now());
  }

  /** Asks the writer to copy the journal into the chain. */
  bringHome(): void {
    if (!this.#journal.waiting) return;
    void this.#synced().then(
      () => {
        if (this.seal()) this.#options.post({ type: 'replay' });
        this.#options.changed();
      },
      () => this.#options.changed(),
    );
  }

  /** Number of the newest entry; `durable(n)` resolves when it and all before it are on disk. */
  get target(): number {
    return this.#n;
  }

  durable(n: number): boolean {
    for (const item of this.#waiting.values()) return item.entry.n > n;
    return this.#sync === undefined;
  }

  /** True when entries are not on disk yet, or a journal is being copied into the chain. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0 || this.#sync !== undefined;
  }

  /** True while a caller may be waiting for its promise. */
  get promised(): boolean {
    for (const item of this.#waiting.values()) if (!item.settled) return true;
    return false;
  }

  /** Posts the remaining entries of an exiting process if it can. Returns the delivery to wait for. */
  lastCall(): number {
    this.#flying = [];
    this.send();
    return this.#delivery;
  }

  /** Writes unconfirmed entries to the journal on this thread. */
  saveNow(confirmedDelivery: number): void {
    const left = confirmedDelivery >= this.#delivery ? [] : [...this.#waiting.values()];
    try {
      // All copies in the journal were delivered, unless an entry is only there.
      if (left.length === 0 && this.#spilled === 0 && this.#delivery > 0) this.#journal.remove();
      if (left.length === 0) return;
      this.#journal.appendNow(left.map((item) => item.entry));
    } catch {
      // The process ends and the disk refuses, so the failure cannot be reported.
    }
  }

  counts(): AuditCounts {
    return {
      taken: this.#n,
      written: this.#written,
      spilled: this.#spilled,
      queued: this.#waiting.size,
      refused: this.#refused,
    };
  }

  close(): void {
    clearTimeout(this.#deadline);
    for (const item of this.#waiting.values()) this.#settleLate(item, performance.now());
    this.#waiting.clear();
    this.seal();
  }

  /**
   * Keeps a copy in the journal. A writer thread takes seconds to start from sources, and a process that is killed meanwhile would leave no
   * trace. The entry is delivered as well; the store takes each entry once.
   */
  #spool(entry: PendingEntry): void {
    try {
      this.#journal.append([entry]);
    } catch {
      // The writer reports the fault of the folder.
    }
  }

  /** Moves entries to the journal. False when it cannot be written; the entries then stay in the queue. */
  #spill(items: readonly Waiting[]): boolean {
    if (items.length === 0) return true;
    try {
      this.#journal.append(items.map((item) => item.entry));
    } catch (error) {
      this.#reason = error instanceof Error ? error.message : String(error);
      return false;
    }
    for (const item of items) this.#waiting.delete(item.entry.n);
    this.#spilled += items.length;
    void this.#synced().then(
      () => {
        for (const item of items) settle(item);
        this.#options.changed();
      },
      (error: unknown) => {
        this.#reason = String(error);
        for (const item of items) this.#settleLate(item, performance.now());
        this.#options.changed();
      },
    );
    return true;
  }

  /** Hands the journal over to the next writer; false when that failed. */
  seal(): boolean {
    try {
      this.#journal.seal();
      return true;
    } catch (error) {
      this.#reason = String(error);
      return false;
    }
  }

  /** One flush of the journal that covers everything appended before it began. */
  #synced(): Promise<void> {
    const after = (this.#sync ?? Promise.resolve()).catch(() => undefined);
    const flush = after.then(() => this.#journal.sync());
    this.#sync = flush;
    const clear = (): void => {
      if (this.#sync === flush) this.#sync = undefined;
    };
    void flush.then(clear, clear);
    return flush;
  }

  #arm(): void {
    const { auditDeadlineMs } = this.#options.settings;
    this.#deadline ??= setTimeout(() => {
      this.#deadline = undefined;
      const now = performance.now();
      const late = [...this.#waiting.values()].filter((item) => now - item.since >= auditDeadlineMs);
      if (!this.#spill(late)) {
        // The entries go back to the queue, and the next delivery tries again.
        this.#flying = [];
        for (const item of late) this.#settleLate(item, now);
        this.send();
        this.#options.changed();
      }
      if (this.#waiting.size > 0) this.#arm();
    }, auditDeadlineMs).unref();
  }

  #settleLate(item: Waiting, now: number): void {
    if (item.settled) return;
    item.settled = true;
    const details = { kind: item.entry.kind, dir: this.#options.settings.dir, reason: this.#reason };
    item.reject(failure('PLM_LEDGER_AUDIT_LATE', { ...details, afterMs: Math.round(now - item.since) }));
  }

  /** The entry as it will be stored, or why it cannot be. */
  #pending(entry: AuditEntry): PendingEntry | string {
    try {
      const body = canonicalJson(entry.body ?? {});
      if (body.length > this.#options.settings.maxBodyChars) {
        return `its body has ${body.length} characters of JSON, at most ${this.#options.settings.maxBodyChars} are stored`;
      }
      const at = entry.at !== undefined && Number.isFinite(entry.at) ? Math.round(entry.at) : Date.now();
      const scope = (entry.scope ?? 'process').slice(0, 1000);
      return {
        run: this.#options.run.id,
        n: ++this.#n,
        at,
        kind: String(entry.kind).slice(0, 100),
        scope,
        body,
      };
    } catch (error) {
      return `its body is no JSON (${error instanceof Error ? error.message : String(error)})`;
    }
  }

  #refuse(kind: string, reason: string): Promise<void> {
    this.#refused++;
    const promise = Promise.reject(this.#refusal(kind, reason));
    promise.catch(() => undefined);
    return promise;
  }

  #refusal(kind: string, reason: string): PlimsollError {
    return failure('PLM_LEDGER_AUDIT_REFUSED', { kind, dir: this.#options.settings.dir, reason });
  }
}

function settle(item: Waiting): void {
  if (item.settled) return;
  item.settled = true;
  item.resolve();
}
