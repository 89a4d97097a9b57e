import { join } from 'node:path';
import type { PendingEntry } from '../audit-entry.ts';
import { findJournals, removeJournal } from '../journal.ts';
import { Spool } from '../postgres/spool.ts';
import { processWidth, scopeWidth } from '../sample-batch.ts';
import type { PackedBatch } from '../sample-batch.ts';
import { AuditStore, auditVersion, chainHead } from '../sqlite/audit-store.ts';
import type { ChainHead } from '../sqlite/audit-store.ts';
import { isInChain } from '../sqlite/chain-check.ts';
import { refusal } from '../sqlite/database.ts';
import type { Database, DatabaseOptions } from '../sqlite/database.ts';
import { LedgerClock } from '../sqlite/ledger-clock.ts';
import { SamplesUpkeep } from '../sqlite/retention.ts';
import { samplesVersion } from '../sqlite/samples-schema.ts';
import { SamplesStore } from '../sqlite/samples-store.ts';
import { moveAside, openOrSetAside } from '../sqlite/set-aside.ts';
import type { WorkerNotice, WorkerReply, WorkerRequest, SetAside, WriterStart } from './protocol.ts';

const pageBytes = 4096;

interface OpenFile<Store> {
  db: Database;
  store: Store;
}

/**
 * Both files of a ledger, open for writing, and the answers to the main thread's requests. It runs inside the worker thread but does not
 * depend on threads, so that tests run it in-process.
 */
export class Writer {
  readonly #start: WriterStart;
  readonly #now: () => number;
  #samples: OpenFile<SamplesStore>;
  #audit: OpenFile<AuditStore>;
  #upkeep: SamplesUpkeep;
  #setAside: SetAside[] = [];
  readonly #notices: WorkerNotice[] = [];
  #isCut = false;
  /** Samples that the spool refused and has not yet counted as lost. */
  #unspooled = 0;
  /** The queue for the fleet's database; undefined without one. */
  readonly spool: Spool | undefined;

  /** Opens or creates the files. Throws errors of SQLite and of the file system. */
  constructor(start: WriterStart, now: () => number = Date.now) {
    this.#start = start;
    this.#now = now;
    this.#samples = this.#openSamples();
    try {
      this.#audit = this.#openAudit();
    } catch (error) {
      this.#samples.db.close();
      throw error;
    }
    this.#upkeep = new SamplesUpkeep(this.#samples.db, start.settings.retention);
    this.spool = this.#openSpool();
    // This comes before the first row of this run, because rows of earlier runs show whether the clock leapt.
    this.#time();
    this.#witness();
  }

  /** The first message: the head of the chain, renamed files and copied journals. */
  hello(): WorkerReply {
    const { replayed } = this.#replay();
    return { type: 'ready', head: chainHead(this.#audit.db), setAside: this.#takeSetAside(), replayed };
  }

  /** Answers one request; never throws. */
  handle(request: Exclude<WorkerRequest, { type: 'news' }>): WorkerReply {
    const what = request.type === 'close' ? 'upkeep' : request.type;
    try {
      switch (request.type) {
        case 'samples':
          return this.#writeSamples(request.batch);
        case 'audit':
          return this.#writeAudit(request.delivery, request.entries);
        case 'replay':
          return this.#replay();
        default:
          this.close();
          return { type: 'closed' };
      }
    } catch (error) {
      return failed(what, error);
    }
  }

  /** One short step of roll-up, retention and size cap. Returns whether more waits; a failure is reported, not thrown. */
  upkeep(): { more: boolean; replies: readonly WorkerReply[] } {
    try {
      const now = this.#time();
      this.#witness();
      const audits = this.#pruneAudit(now);
      const step = this.#upkeep.step(now, this.#samplesCap());
      if (step.expired > 0) this.#samples.store.forget();
      const more = step.more || audits > 0;
      // A process that died meanwhile may have left entries behind.
      if (!more) this.#replay();
      return { more, replies: this.#takeNotices() };
    } catch (error) {
      return { more: false, replies: [failed('upkeep', error)] };
    }
  }

  /** The open audit.db. */
  get audit(): Database {
    return this.#audit.db;
  }

  close(): void {
    this.#witness();
    this.spool?.close();
    this.#samples.db.close();
    this.#audit.db.close();
  }

  #writeSamples(batch: PackedBatch): WorkerReply {
    const rows = this.#intoSamples(() => this.#samples.store.write(batch), [batch]);
    this.#spoolSamples(batch);
    this.#confirm(0, batch.number);
    return { type: 'samples', number: batch.number, rows, setAside: this.#takeSetAside() };
  }

  #intoSamples<T>(write: () => T, batches: readonly Rows[]): T {
    return this.#recovering(
      write,
      () => {
        this.#samples.db.close();
        this.#recordSetAside('samples.db', moveAside(this.#path('samples.db'), this.#now()));
        this.#samples = this.#openSamples();
        this.#time();
        this.#upkeep = new SamplesUpkeep(this.#samples.db, this.#start.settings.retention);
      },
      () => this.#upkeep.makeRoom(this.#now(), rowsOf(batches)),
    );
  }

  /** A spool that cannot be written loses samples for the fleet, not for the ledger. */
  #spoolSamples(batch: PackedBatch): void {
    const run = this.#start.run.id;
    try {
      this.spool?.add(run, batch, this.#now());
    } catch {
      this.#unspooled += rowsOf([batch]);
      return;
    }
    if (this.#unspooled === 0) return;
    this.spool?.lose(run, this.#unspooled);
    this.#unspooled = 0;
  }

  #writeAudit(delivery: number, entries: readonly PendingEntry[]): WorkerReply {
    const head = this.#append(entries);
    this.#confirm(1, delivery);
    this.#witness();
    return { type: 'audit', delivery, head, setAside: this.#takeSetAside() };
  }

  #append(entries: readonly PendingEntry[]): ChainHead {
    return this.#recovering(
      () => this.#audit.store.append(entries),
      () => {
        this.#audit.db.close();
        this.#recordSetAside('audit.db', moveAside(this.#path('audit.db'), this.#now()));
        this.#audit = this.#openAudit();
      },
      () => undefined,
    );
  }

  /** A damaged file is set aside and the write repeated; a full one gets one attempt to make room first. */
  #recovering<T>(write: () => T, renew: () => void, makeRoom: () => void): T {
    try {
      return write();
    } catch (error) {
      const why = refusal(error);
      if (why === 'corrupt') renew();
      else if (why === 'full') makeRoom();
      else throw error;
      return write();
    }
  }

  #replay(): { type: 'replayed'; replayed: number } {
    const { settings, run, openRuns } = this.#start;
    const owners = { pid: run.pid, runs: openRuns };
    let replayed = 0;
    for (const journal of findJournals(settings.dir, 'audit', owners)) {
      if (journal.isOwned) continue;
      if (journal.items.length > 0) this.#append(journal.items);
      removeJournal(journal);
      replayed += journal.items.length;
    }
    for (const journal of findJournals(settings.dir, 'samples', owners)) {
      if (journal.isOwned) continue;
      const { items } = journal;
      const [first] = items;
      if (first !== undefined)
        this.#intoSamples(() => new SamplesStore(this.#samples.db, first.run).takeIn(items), items);
      removeJournal(journal);
    }
    return { type: 'replayed', replayed };
  }

  /** Removes entries by age. When the audit alone fills a quarter of the cap, its oldest eighth is removed. */
  #pruneAudit(now: number): number {
    const { db, store } = this.#audit;
    const { retention, maxBytes } = this.#start.settings;
    const kept = db.number(
      'SELECT seq FROM audit WHERE at >= ? ORDER BY seq LIMIT 1',
      now - retention.auditMs,
    );
    const head = chainHead(db).seq;
    const first = db.number('SELECT seq FROM anchor') + 1;
    let upTo = (kept === 0 ? head + 1 : kept) - 1;
    if (db.liveBytes() > maxBytes / 4) upTo = Math.max(upTo, first + Math.floor((head - first) / 8));
    // Entries that the fleet's database does not have yet stay, whatever their size.
    if (this.spool !== undefined) upTo = Math.min(upTo, this.spool.chain.seq);
    if (upTo < first) return 0;
    const removed = store.prune(upTo, this.#ownEntry(now));
    db.shrink(2000);
    return removed;
  }

  /** The time for retention. A leap of the clock is recorded in the audit and reported once. */
  #time(): number {
    const { now, leap } = new LedgerClock(this.#samples.db).tick(this.#now(), () => this.#newest());
    if (leap === undefined) return now;
    this.#notices.push({ what: 'clock-leap', ...leap });
    const body = JSON.stringify({ event: 'clock-leap', ...leap });
    this.#audit.store.append([{ ...this.#ownEntry(this.#now()), body }]);
    return now;
  }

  /** The time of the entry that was written last; undefined when there is none, or none that can be read. */
  #newest(): number | undefined {
    const last = 'SELECT last_at AS at FROM series WHERE last_at IS NOT NULL ORDER BY id DESC LIMIT 1';
    try {
      const found =
        this.#audit.db.get('SELECT at FROM audit ORDER BY seq DESC LIMIT 1') ?? this.#samples.db.get(last);
      return found === undefined ? undefined : Number(found['at']);
    } catch {
      return undefined;
    }
  }

  /**
   * Stores the head of the chain in samples.db, so that `verify` can detect when the end of audit.db was cut off. A head that is no longer
   * in the chain stays stored as evidence.
   */
  #witness(): void {
    try {
      const { db } = this.#samples;
      const known = db.get('SELECT seq, hash FROM witness') as unknown as ChainHead | undefined;
      const head = chainHead(this.#audit.db);
      if (known !== undefined && !isInChain(this.#audit.db, known)) {
        if (!this.#isCut) this.#notices.push({ what: 'chain-cut', seq: known.seq, head: head.seq });
        this.#isCut = true;
        return;
      }
      if (head.seq === (known?.seq ?? 0)) return;
      db.transaction(() => {
        db.run('DELETE FROM witness');
        db.run('INSERT INTO witness VALUES (?, ?)', head.seq, head.hash);
      });
    } catch {
      // The next batch reports a file that cannot be written or read.
    }
  }

  #takeNotices(): WorkerReply[] {
    return this.#notices.splice(0).map((notice) => ({ type: 'notice', notice }));
  }

  /** Entries of the writer itself are numbered downwards, so that they differ from the main thread's numbers. */
  #ownEntry(at: number): Omit<PendingEntry, 'body'> {
    const run = this.#start.run.id;
    const n = Math.min(0, this.#audit.db.number('SELECT min(n) FROM audit WHERE run = ?', run)) - 1;
    return { run, n, at, kind: 'ledger', scope: 'process' };
  }

  #samplesCap(): number {
    const { maxBytes } = this.#start.settings;
    return maxBytes - this.#audit.db.liveBytes() - 2 * walPages(maxBytes) * pageBytes;
  }

  /** A damaged spool is set aside like the other files. */
  #openSpool(): Spool | undefined {
    const { fleet, dir } = this.#start.settings;
    if (fleet === undefined) return undefined;
    const open = (): Spool => new Spool(dir, fleet.spoolBytes);
    let spool: Spool;
    try {
      spool = open();
    } catch (error) {
      if (refusal(error) !== 'corrupt') throw error;
      this.#recordSetAside('spool.db', moveAside(this.#path('spool.db'), this.#now()));
      spool = open();
    }
    spool.begin(this.#start.run, fleet.identity);
    return spool;
  }

  #openSamples(): OpenFile<SamplesStore> {
    const { maxBytes } = this.#start.settings;
    const options: DatabaseOptions = {
      synchronous: 'NORMAL',
      maxPages: Math.floor(maxBytes / pageBytes),
      walPages: walPages(maxBytes),
    };
    return this.#open('samples.db', options, samplesVersion, (db) => new SamplesStore(db, this.#start.run));
  }

  #openAudit(): OpenFile<AuditStore> {
    const options: DatabaseOptions = {
      synchronous: 'FULL',
      walPages: walPages(this.#start.settings.maxBytes),
    };
    const file = this.#open('audit.db', options, auditVersion, (db) => new AuditStore(db));
    const moved = this.#setAside.find((item) => item.file === 'audit.db');
    if (moved !== undefined) {
      this.#audit = file;
      const body = JSON.stringify({ event: 'set-aside', movedTo: moved.movedTo });
      file.store.append([{ ...this.#ownEntry(this.#now()), body }]);
      this.#samples.db.run('DELETE FROM witness');
    }
    return file;
  }

  #open<Store>(
    name: string,
    options: DatabaseOptions,
    version: number,
    build: (db: Database) => Store,
  ): OpenFile<Store> {
    const checked = (db: Database): Store => {
      const found = db.number('PRAGMA user_version');
      if (found > version)
        throw new Error(
          `${name} was written by a newer version (format ${found}, this one knows ${version})`,
        );
      return build(db);
    };
    const opened = openOrSetAside(this.#path(name), options, checked, this.#now());
    if (opened.setAside !== undefined) this.#recordSetAside(name, opened.setAside);
    return opened;
  }

  #path(name: string): string {
    return join(this.#start.settings.dir, name);
  }

  #recordSetAside(file: string, movedTo: string): void {
    this.#setAside.push({ file, movedTo });
  }

  #takeSetAside(): readonly SetAside[] {
    const taken = this.#setAside;
    this.#setAside = [];
    return taken;
  }

  #confirm(slot: 0 | 1, value: number): void {
    Atomics.store(this.#start.confirmed, slot, value);
    Atomics.notify(this.#start.confirmed, slot);
  }
}

/** The rows of a batch, packed or as JSON. */
type Rows = Readonly<Record<'scopes' | 'processes', { readonly length: number }>>;

function rowsOf(batches: readonly Rows[]): number {
  const rows = ({ scopes, processes }: Rows): number =>
    scopes.length / scopeWidth + processes.length / processWidth;
  return batches.reduce((sum, batch) => sum + rows(batch), 0);
}

/** The write-ahead log is checkpointed earlier under a small cap, so that it does not outgrow the cap itself. */
export function walPages(maxBytes: number): number {
  return Math.min(1000, Math.max(16, Math.floor(maxBytes / 16 / pageBytes)));
}

export function failed(what: (WorkerReply & { type: 'failed' })['what'], error: unknown): WorkerReply {
  return {
    type: 'failed',
    what,
    refusal: refusal(error),
    message: error instanceof Error ? error.message : String(error),
  };
}
