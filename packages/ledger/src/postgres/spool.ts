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

/** One life of a process, as it has to be known to the fleet. */
export interface SpooledLife {
  readonly run: number;
  readonly process: string;
  /** Tells this writer apart from another one that uses the same id. */
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

/** Where the local audit chain goes in the fleet: under which id, and up to which entry it is there. */
export interface ChainCursor {
  readonly id: string;
  readonly seq: number;
  readonly forked: string | null;
}

/**
 * What waits for the fleet's database, in spool.db beside the ledger: batches of samples, the lives they belong to, and how far the audit chain
 * was shipped. The audit itself is not copied: audit.db is its own spool. A batch stays here until the database has committed it.
 */
export class Spool {
  readonly #db: Database;
  readonly #maxBytes: number;
  /** Of all batches. Another process of the same folder may add some; the next removal counts anew. */
  #bytes: number;

  constructor(dir: string, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#db = new Database(join(dir, 'spool.db'), { synchronous: 'NORMAL', walPages: 256 });
    this.#db.transaction(() => {
      if (this.#db.number('PRAGMA user_version') === 0) this.#db.exec(schema);
    });
    this.#bytes = this.#count();
  }

  /** Makes this run known; what it is called in the fleet stays the same for its whole life. */
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

  /** Keeps a batch; one that is there already is left as it is. Returns the samples that had to go for it. */
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

  /** Samples that could not even be kept here. */
  lose(run: number, samples: number): void {
    this.#db.run('UPDATE life SET lost = lost + ? WHERE run = ?', samples, run);
  }

  /** The oldest batches of one run, of the run that has waited longest, up to so many bytes. */
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

  /** The database has them. */
  shipped(run: number, upTo: number): void {
    this.#db.run('DELETE FROM outbox WHERE run = ? AND number <= ?', run, upTo);
    this.#bytes = this.#count();
    if (this.#db.number('PRAGMA freelist_count') > 256) this.#db.shrink(2000);
  }

  /** Gives up what is too old; returns the samples. */
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

  /** Lives that are not known to be over. */
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
    // Old lives are needed to name entries that were not shipped yet; a few hundred cost nothing.
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

  /** The local chain is not the one that the fleet knows under this id: it goes on under a new one, from its first entry. */
  newChain(forked: string | null): ChainCursor {
    const id = randomUUID();
    this.#db.run('UPDATE chain SET id = ?, seq = 0, forked = ?', id, forked);
    return { id, seq: 0, forked };
  }

  close(): void {
    this.#db.close();
  }

  /** Over the bound the oldest batches go. */
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
