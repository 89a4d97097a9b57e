import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { PackedBatch } from '../sample-batch.ts';
import { processWidth, scopeWidth } from '../sample-batch.ts';
import { Database } from '../sqlite/database.ts';
import type { RunInfo } from '../sqlite/samples-store.ts';
import type { FleetIdentity } from './fleet-options.ts';

const version = 1;
const schema = `
CREATE TABLE outbox (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, number INTEGER NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL,
  bytes INTEGER NOT NULL, body BLOB NOT NULL, UNIQUE (run, number)) STRICT;
CREATE TABLE life (run INTEGER PRIMARY KEY, process TEXT NOT NULL, token TEXT NOT NULL, identity TEXT NOT NULL, pid INTEGER NOT NULL,
  started INTEGER NOT NULL, lost INTEGER NOT NULL DEFAULT 0, isOver INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE chain (id TEXT NOT NULL, seq INTEGER NOT NULL, forked TEXT) STRICT;
INSERT INTO chain VALUES ('', 0, NULL);
PRAGMA user_version = ${version};
`;

/** One life of a process, as registered in the fleet. */
export interface SpooledLife {
  readonly run: number;
  readonly process: string;
  /** Distinguishes this writer from another one with the same id. */
  readonly token: string;
  readonly identity: FleetIdentity;
  readonly started: number;
  readonly pid: number;
  readonly lost: number;
}

/** A batch of samples that waits to be shipped. */
export interface WaitingBatch {
  readonly id: number;
  readonly run: number;
  readonly batch: PackedBatch;
  readonly bytes: number;
}

/** The local audit chain in the fleet: its id, and its newest entry there. */
export interface ChainCursor {
  readonly id: string;
  readonly seq: number;
  readonly forked: string | null;
}

/**
 * The queue for the fleet's database, in spool.db beside the ledger: batches of samples, their lives, and the position of the audit chain.
 * The audit itself is not copied, because audit.db serves as its spool. A batch stays here until the database has committed it.
 */
export class Spool {
  readonly #db: Database;
  readonly #maxBytes: number;
  /** Bytes of all batches. Another process of the same folder may add some, so the next removal counts again. */
  #bytes: number;

  constructor(dir: string, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#db = new Database(join(dir, 'spool.db'), { synchronous: 'NORMAL', walPages: 256 });
    this.#db.transaction(() => {
      if (this.#db.number('PRAGMA user_version') === 0) this.#db.exec(schema);
    });
    this.#bytes = this.#count();
  }

  /** Registers this run. Its identity in the fleet stays the same for its whole life. */
  begin(run: RunInfo, identity: FleetIdentity): void {
    this.#db.run(
      'INSERT INTO life (run, process, token, identity, pid, started) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      run.id,
      `${identity.host}-${run.id.toString(36)}`,
      randomBytes(12).toString('hex'),
      JSON.stringify(identity),
      run.pid,
      run.started,
    );
  }

  /** Adds a batch, unless it is already there. Returns the number of samples that were dropped for it. */
  add(run: number, batch: PackedBatch, at: number): number {
    const n = batch.scopes.length / scopeWidth + batch.processes.length / processWidth;
    const body = deflateRawSync(serialize([batch.paths, batch.scopes, batch.processes]), { level: 1 });
    return this.#db.transaction(() => {
      const added = this.#db.run(
        'INSERT INTO outbox (run, number, at, n, bytes, body) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
        run,
        batch.number,
        at,
        n,
        body.byteLength,
        body,
      );
      if (added === 0) return 0;
      this.#bytes += body.byteLength;
      return this.#bytes > this.#maxBytes ? this.#shed() : 0;
    });
  }

  /** Counts samples that could not be stored here. */
  lose(run: number, samples: number): void {
    this.#db.run('UPDATE life SET lost = lost + ? WHERE run = ?', samples, run);
  }

  /** The oldest batches of the run that has waited longest, up to `maxBytes`. */
  oldest(maxBytes: number): readonly WaitingBatch[] {
    const first = this.#db.get('SELECT run FROM outbox ORDER BY id LIMIT 1');
    if (first === undefined) return [];
    const picked: WaitingBatch[] = [];
    let bytes = 0;
    const rows = this.#db.prepare(
      'SELECT id, run, number, bytes, body FROM outbox WHERE run = ? ORDER BY number LIMIT 400',
    );
    for (const item of rows.iterate(first['run'] as number)) {
      const row = item as { id: number; run: number; number: number; bytes: number; body: Uint8Array };
      if (picked.length > 0 && bytes + row.bytes > maxBytes) break;
      bytes += row.bytes;
      picked.push({ id: row.id, run: row.run, bytes: row.bytes, batch: unpack(row.number, row.body) });
    }
    return picked;
  }

  /** Removes batches that the database has. */
  shipped(run: number, upTo: number): void {
    this.#db.run('DELETE FROM outbox WHERE run = ? AND number <= ?', run, upTo);
    this.#bytes = this.#count();
    if (this.#db.number('PRAGMA freelist_count') > 256) this.#db.shrink(2000);
  }

  /** Drops batches that are too old. Returns the number of their samples. */
  expire(before: number): number {
    return this.#db.transaction(() => this.#drop('at < ?', before));
  }

  get waiting(): number {
    return this.#db.number('SELECT count(*) FROM outbox');
  }

  get lost(): number {
    return this.#db.number('SELECT coalesce(sum(lost), 0) FROM life');
  }

  life(run: number): SpooledLife | undefined {
    return this.#db.all('SELECT * FROM life WHERE run = ?', run).map(lifeOf)[0];
  }

  /** The newest life of a process number that began before a time. */
  lifeOfPid(pid: number, before: number): SpooledLife | undefined {
    return this.#db
      .all('SELECT * FROM life WHERE pid = ? AND started <= ? ORDER BY started DESC LIMIT 1', pid, before)
      .map(lifeOf)[0];
  }

  /** Lives that are not marked as ended. */
  lives(): readonly SpooledLife[] {
    return this.#db.all('SELECT * FROM life WHERE isOver = 0 ORDER BY started').map(lifeOf);
  }

  /** Another writer has the id of this life, so it takes a new one. */
  rename(life: SpooledLife): SpooledLife {
    const process = `${life.identity.host}-${life.run.toString(36)}-${randomBytes(3).toString('hex')}`;
    this.#db.run('UPDATE life SET process = ? WHERE run = ?', process, life.run);
    return { ...life, process };
  }

  over(run: number): void {
    this.#db.run('UPDATE life SET isOver = 1 WHERE run = ?', run);
    // Old lives are needed for the names of unshipped entries. A few hundred take little space.
    this.#db.run(
      'DELETE FROM life WHERE isOver = 1 AND run NOT IN (SELECT run FROM life ORDER BY started DESC LIMIT 500) AND run NOT IN (SELECT run FROM outbox)',
    );
  }

  get chain(): ChainCursor {
    const row = this.#db.get('SELECT id, seq, forked FROM chain') as unknown as ChainCursor;
    return row.id === '' ? this.newChain(null) : row;
  }

  /** Moves the cursor; entries up to it may leave audit.db. */
  moved(seq: number): void {
    this.#db.run('UPDATE chain SET seq = ?', seq);
  }

  /** Starts a new chain id from the first entry, because the fleet has another chain under the old id. */
  newChain(forked: string | null): ChainCursor {
    const id = randomUUID();
    this.#db.run('UPDATE chain SET id = ?, seq = 0, forked = ?', id, forked);
    return { id, seq: 0, forked };
  }

  close(): void {
    this.#db.close();
  }

  /** Drops the oldest batches above the bound. */
  #shed(): number {
    let over = this.#count() - this.#maxBytes;
    let last = 0;
    for (const item of this.#db.prepare('SELECT id, bytes FROM outbox ORDER BY id').iterate()) {
      const row = item as { id: number; bytes: number };
      last = row.id;
      over -= row.bytes;
      if (over <= 0) break;
    }
    return this.#drop('id <= ?', last);
  }

  #drop(where: 'id <= ?' | 'at < ?', value: number): number {
    const gone = this.#db.all<{ run: number; n: number }>(
      `SELECT run, sum(n) AS n FROM outbox WHERE ${where} GROUP BY run`,
      value,
    );
    if (gone.length === 0) return 0;
    for (const { run, n } of gone) this.lose(run, n);
    this.#db.run(`DELETE FROM outbox WHERE ${where}`, value);
    this.#bytes = this.#count();
    return gone.reduce((sum, { n }) => sum + n, 0);
  }

  #count(): number {
    return this.#db.number('SELECT coalesce(sum(bytes), 0) FROM outbox');
  }
}

function unpack(number: number, body: Uint8Array): PackedBatch {
  const [paths, scopes, processes] = deserialize(inflateRawSync(body)) as [
    string[],
    Float64Array,
    Float64Array,
  ];
  return { number, paths, scopes, processes };
}

function lifeOf(row: Record<string, unknown>): SpooledLife {
  const { run, process, token, identity, started, pid, lost } = row as {
    [Key in keyof SpooledLife]: Key extends 'identity' ? string : SpooledLife[Key];
  };
  return { run, process, token, identity: JSON.parse(identity) as FleetIdentity, started, pid, lost };
}
