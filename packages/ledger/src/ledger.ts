import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { AnchorKeeper } from './anchors.ts';
import type { AuditEntry } from './audit-entry.ts';
import { AuditQueue } from './audit-queue.ts';
import type { AuditCounts } from './audit-queue.ts';
import { journalNames, PendingJournal } from './journal.ts';
import { settle } from './options.ts';
import type { LedgerOptions, LedgerSettings } from './options.ts';
import type { FleetHealth, FleetNews } from './postgres/fleet-options.ts';
import { redactUrl } from './postgres/redact.ts';
import { pendingBatch } from './sample-batch.ts';
import type { PackedBatch } from './sample-batch.ts';
import { SampleQueue } from './sample-queue.ts';
import type { SampleCounts } from './sample-queue.ts';
import type { Sample } from './sample.ts';
import type { ChainHead } from './sqlite/audit-store.ts';
import type { RunInfo } from './sqlite/samples-store.ts';
import type { WorkerNotice, WorkerReply, WorkerRequest, SetAside } from './worker/protocol.ts';
import { WorkerLink } from './worker/worker-link.ts';
import type { LinkState } from './worker/worker-link.ts';

/** State of the ledger. */
export interface LedgerHealth {
  readonly state: LinkState;
  readonly samples: SampleCounts;
  readonly audit: AuditCounts;
  /** Number of restarts of the writer thread. */
  readonly restarts: number;
  /** The newest problem in words, or undefined. */
  readonly lastError: string | undefined;
  /** The newest entry of the audit chain, for alerts. */
  readonly head: ChainHead | undefined;
  /** Shipping to the fleet's database; undefined without one, or before its first try. */
  readonly fleet: FleetHealth | undefined;
}

/** While the thread rests, pending samples are copied into samples.db after this time or when the journal reaches this size. */
const homeMs = 600_000;
const mostPendingBytes = 1024 ** 2;
/** Each life leaves up to two journals. With more journals than this, a process that restarts often copies those of earlier lives. */
const mostJournals = 16;

/** Ledgers of this process that are open; each has its own pending journal. */
const openRuns = new Set<number>();

/** Opens a ledger for writing. Returns at once and never throws. A failure is emitted as a coded warning and is visible in `health`. */
export function openLedger(options: LedgerOptions): Ledger {
  return new Ledger(options);
}

/**
 * The write side of a ledger. Slow work happens in a worker thread; `sample` and `audit` only queue. Only an audit entry on its way to the
 * disk, flush and close keep the process alive, each with a deadline.
 *
 * A thread costs 50 ms of CPU and 18 MiB. With `restMs` it runs only when there is more to write than samples and the start and end of a
 * run, which go to a journal. The next reader or writer of the ledger copies the journal, also after a kill.
 */
export class Ledger {
  readonly dir: string;
  /** Random number of this process's run, in every row. */
  readonly run: number;
  readonly #settings: LedgerSettings;
  readonly #samples: SampleQueue;
  readonly #audit: AuditQueue;
  readonly #anchors: AnchorKeeper | undefined;
  readonly #link: WorkerLink;
  readonly #shared = new Int32Array(new SharedArrayBuffer(8));
  readonly #waiters = new Set<() => void>();
  readonly #atExit = (): void => this.#lastCall();
  #closing: Promise<boolean> | undefined;
  #lastError: string | undefined;
  #fleet: FleetHealth | undefined;
  readonly #events: LedgerOptions['fleet'];
  readonly #runInfo: RunInfo;
  readonly #journal: PendingJournal<'samples'>;
  #home: NodeJS.Timeout | undefined;
  #rest: NodeJS.Timeout | undefined;

  /** `workerEntry` replaces the file of the writer thread; for tests with a thread that dies. */
  constructor(options: LedgerOptions, workerEntry?: URL) {
    this.#settings = settle({ ...options, dir: resolve(options.dir) });
    this.dir = this.#settings.dir;
    this.#events = options.fleet;
    this.#anchors = options.anchors === undefined ? undefined : new AnchorKeeper(this.dir, options.anchors);
    this.run = Math.floor(Math.random() * 2 ** 47) + 1;
    const run = { id: this.run, pid: process.pid, host: hostname(), started: Date.now() };
    this.#runInfo = run;
    this.#journal = new PendingJournal(this.dir, 'samples', run.pid, run.id);
    openRuns.add(this.run);
    const post = (request: WorkerRequest): boolean => this.#post(request);
    const changed = (): void => this.#changed();
    this.#samples = new SampleQueue(this.#settings, post, changed);
    this.#audit = new AuditQueue({ settings: this.#settings, run, post, changed });
    this.#link = new WorkerLink(
      { settings: this.#settings, run, openRuns: [...openRuns], confirmed: this.#shared },
      { reply: (reply) => this.#hear(reply), down: (reason) => this.#down(reason) },
      workerEntry,
    );
    if (this.#settings.restMs === undefined) this.#link.wake();
    else if (journalNames(this.dir).length >= mostJournals) this.#wake();
    process.on('exit', this.#atExit);
  }

  /** Queues samples; returns how many were taken. A full queue drops the newest and counts them. */
  sample(rows: Sample | readonly Sample[]): number {
    if (this.#closing !== undefined) return 0;
    if (!Array.isArray(rows)) return this.#samples.add(rows as Sample) ? 1 : 0;
    let taken = 0;
    for (const row of rows as readonly Sample[]) if (this.#samples.add(row)) taken++;
    return taken;
  }

  /** Records a fact. Resolves when it is on disk, in the chain or in the pending journal; rejects with a coded error. */
  audit(entry: AuditEntry): Promise<void> {
    if (this.#closing !== undefined) return this.#audit.refuseClosed(entry.kind);
    if (entry.kind !== 'start' && entry.kind !== 'exit') this.#wake();
    const promise = this.#audit.add(entry, this.#link.state);
    // The journal refuses it. The thread will say what is wrong with the folder.
    if (this.#link.state === 'resting' && this.#audit.counts().queued > 0) this.#wake();
    this.#changed();
    return promise;
  }

  /** Passes facts for the fleet besides the samples. Without a fleet it does nothing. */
  tell(news: FleetNews): void {
    if (this.#settings.fleet !== undefined) this.#post({ type: 'news', news });
  }

  /** Writes everything queued so far. Resolves to false when the deadline passes first. */
  flush(deadlineMs = 5000): Promise<boolean> {
    const batch = this.#samples.target;
    const entry = this.#audit.target;
    this.#samples.send();
    this.#audit.send();
    const done = (): boolean => this.#samples.stored(batch) && this.#audit.durable(entry);
    if (done()) return Promise.resolve(true);
    return new Promise((settled) => {
      const timer = setTimeout(() => finish(false), deadlineMs);
      const finish = (result: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(check);
        this.#changed();
        settled(result);
      };
      const check = (): void => {
        if (done()) finish(true);
      };
      this.#waiters.add(check);
      this.#changed();
    });
  }

  /** Flushes and ends the writer. Resolves to false when something could not be written in time; a second call returns the same promise. */
  close(deadlineMs = 5000): Promise<boolean> {
    this.#closing ??= this.#close(deadlineMs);
    return this.#closing;
  }

  get health(): LedgerHealth {
    return {
      state: this.#link.state,
      samples: this.#samples.counts(),
      audit: this.#audit.counts(),
      restarts: this.#link.restarts,
      lastError: this.#lastError,
      head: this.#audit.head,
      fleet: this.#fleet,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(deadlineMs: number): Promise<boolean> {
    const until = performance.now() + deadlineMs;
    const whole = await this.flush(deadlineMs);
    if (this.#link.state === 'ready') {
      this.#link.hold(true);
      const gone = this.#link.ended();
      this.#link.state = 'closed';
      this.#link.post({ type: 'close' });
      await Promise.race([gone, pause(Math.max(100, until - performance.now()))]);
    }
    await this.#link.end();
    if (!whole) this.#audit.saveNow(Atomics.load(this.#shared, 1));
    process.off('exit', this.#atExit);
    openRuns.delete(this.run);
    clearTimeout(this.#home);
    clearTimeout(this.#rest);
    this.#samples.close();
    this.#audit.close();
    this.#sealSamples();
    await Promise.race([this.#anchors?.close(), pause(Math.max(100, until - performance.now()))]);
    return whole;
  }

  #post(request: WorkerRequest): boolean {
    if (this.#link.state === 'resting' && request.type === 'samples') return this.#keep(request.batch);
    if (this.#link.state !== 'ready') return false;
    this.#link.post(request);
    return true;
  }

  /** Keeps a batch in the journal. It counts as written, because it outlives the process. */
  #keep(batch: PackedBatch): boolean {
    try {
      this.#journal.append([pendingBatch(this.#runInfo, batch)]);
    } catch {
      // The thread will say what is wrong with the folder.
      this.#wake();
      return false;
    }
    Atomics.store(this.#shared, 0, batch.number);
    this.#samples.confirm(batch.number);
    if (this.#journal.bytes > mostPendingBytes) this.#wake();
    else this.#home ??= setTimeout(() => this.#wake(), homeMs).unref();
    return true;
  }

  /** Starts the thread if it rests, and keeps it running for `restMs`. */
  #wake(): void {
    const { restMs } = this.#settings;
    if (restMs === undefined) return;
    clearTimeout(this.#home);
    this.#home = undefined;
    if (this.#link.state === 'resting') {
      // A new thread begins with the sealed journal, so that the next batch and entry come after it.
      this.#sealSamples();
      this.#audit.seal();
      this.#link.wake();
    }
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => {
      const isAtWork = this.#samples.isSent || this.#audit.isWaiting || this.#link.state !== 'ready';
      if (isAtWork || this.#waiters.size > 0) this.#wake();
      else this.#link.rest();
    }, restMs).unref();
  }

  #sealSamples(): void {
    try {
      this.#journal.seal();
    } catch (error) {
      this.#lastError = `samples: ${String(error)}`;
    }
  }

  #hear(reply: WorkerReply): void {
    switch (reply.type) {
      case 'ready':
        this.#audit.head = reply.head;
        this.#warnSetAside(reply.setAside);
        this.#samples.resume();
        this.#audit.send();
        this.#audit.bringHome();
        break;
      case 'samples':
        this.#warnSetAside(reply.setAside);
        this.#samples.confirm(reply.number);
        break;
      case 'audit':
        this.#warnSetAside(reply.setAside);
        this.#audit.confirm(reply.delivery, reply.head);
        this.#anchors?.note(reply.head);
        break;
      case 'notice':
        this.#notice(reply.notice);
        break;
      case 'fleet':
        this.#hearFleet(reply.health);
        break;
      case 'findings':
        this.#events?.onFindings?.(reply.findings);
        break;
      case 'votes':
        this.#events?.onVotes?.(reply.votes);
        break;
      case 'failed':
        this.#failed(reply);
        break;
      default:
        break;
    }
  }

  #hearFleet(health: FleetHealth): void {
    this.#fleet = health;
    const { url } = this.#settings.fleet ?? { url: '' };
    if (health.state === 'down')
      warnOnce('PLM_FLEET_UNREACHABLE', { url: redactUrl(url), reason: health.lastError ?? 'no answer' });
  }

  #notice(notice: WorkerNotice): void {
    const { dir } = this;
    if (notice.what === 'clock-leap') warnOnce('PLM_LEDGER_CLOCK_LEAP', { dir, ...notice });
    else warnOnce('PLM_LEDGER_CHAIN_CUT', { dir, seq: notice.seq, head: notice.head });
  }

  #failed(reply: WorkerReply & { type: 'failed' }): void {
    this.#lastError = `${reply.what}: ${reply.message}`;
    if (reply.what === 'samples') this.#samples.refused();
    if (reply.what === 'audit') this.#audit.undelivered(reply.message);
    if (reply.refusal !== 'busy') {
      warnOnce('PLM_LEDGER_UNWRITABLE', { dir: this.dir, reason: reply.message });
    }
    this.#changed();
  }

  #down(reason: string): void {
    // A folder that cannot be opened was already reported.
    if (this.#lastError !== `open: ${reason}`) {
      this.#lastError = `writer: ${reason}`;
      warnOnce('PLM_LEDGER_WRITER_DIED', { dir: this.dir, reason });
    }
    this.#audit.undelivered(reason);
    this.#changed();
  }

  #warnSetAside(items: readonly SetAside[]): void {
    for (const item of items) warnOnce('PLM_LEDGER_CORRUPT', item);
  }

  #changed(): void {
    for (const check of this.#waiters) check();
    // A reply that arrives while `close` waits for the thread must not release the process.
    this.#link.hold(this.#waiters.size > 0 || this.#audit.promised || this.#closing !== undefined);
  }

  /** Called on process.exit. The writer thread still runs, so it gets a moment. Unconfirmed entries go to the journal. */
  #lastCall(): void {
    const alive = this.#link.state === 'ready' || this.#link.state === 'starting';
    const until = performance.now() + (alive ? this.#settings.exitWaitMs : 0);
    if (this.#link.state === 'starting') this.#link.state = 'ready';
    this.#samples.send();
    const batch = this.#samples.target;
    const delivery = this.#audit.lastCall();
    this.#await(0, batch, until);
    this.#await(1, delivery, until);
    this.#audit.saveNow(Atomics.load(this.#shared, 1));
  }

  #await(slot: 0 | 1, value: number, until: number): void {
    for (;;) {
      const seen = Atomics.load(this.#shared, slot);
      const left = until - performance.now();
      if (seen >= value || left <= 0) return;
      Atomics.wait(this.#shared, slot, seen, left);
    }
  }
}

/** The timer is unreferenced, because a timer alone would keep a process alive that has nothing left to do. */
function pause(ms: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, ms).unref();
  });
}
