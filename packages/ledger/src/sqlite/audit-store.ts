import { chainHash, genesis } from '../audit-entry.ts';
import type { PendingEntry } from '../audit-entry.ts';
import type { Database } from './database.ts';

export const auditVersion = 1;

/** The triggers that refuse every change of a stored entry. */
export const guards = ['UPDATE', 'DELETE'].map(
  (verb) =>
    `CREATE TRIGGER audit_no_${verb.toLowerCase()} BEFORE ${verb} ON audit BEGIN SELECT raise(ABORT, 'the audit is append-only'); END`,
);
const layGuards = guards.map((guard) => `${guard};`).join('\n');
const schema = `
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY, run INTEGER NOT NULL, n INTEGER NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL,
  scope TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL, UNIQUE (run, n)) STRICT;
CREATE INDEX audit_kind ON audit (kind, at);
CREATE TABLE anchor (seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT;
INSERT INTO anchor VALUES (0, '${genesis}');
${layGuards}
PRAGMA user_version = ${auditVersion};
`;

/** The newest entry. Alerts carry it, so that a cut-off tail can be noticed. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

/** The write side of audit.db: appends entries to the hash chain. */
export class AuditStore {
  readonly #db: Database;

  constructor(db: Database) {
    this.#db = db;
    if (db.number('PRAGMA user_version') > 0) return;
    db.transaction(() => {
      if (db.number('PRAGMA user_version') === 0) db.exec(schema);
    });
  }

  /**
   * Appends the entries in one transaction and returns the new head. The head is read inside the transaction, so that several processes can
   * extend one chain. An entry that is already stored is not changed.
   */
  append(entries: readonly PendingEntry[]): ChainHead {
    return this.#db.transaction(() => {
      let head = chainHead(this.#db);
      for (const entry of entries) {
        if (this.#db.get('SELECT 1 FROM audit WHERE run = ? AND n = ?', entry.run, entry.n) !== undefined)
          continue;
        head = this.#insert(head, entry);
      }
      return head;
    });
  }

  /**
   * Removes the oldest entries up to and including `seq` and records it in the chain: the new first row follows the anchor, and a `ledger`
   * entry lists the removed rows.
   */
  prune(seq: number, entry: Omit<PendingEntry, 'body'>): number {
    return this.#db.transaction(() => {
      const last = this.#db.get('SELECT seq, hash FROM audit WHERE seq <= ? ORDER BY seq DESC LIMIT 1', seq);
      if (last === undefined) return 0;
      const { seq: upTo, hash } = last as unknown as ChainHead;
      this.#db.exec('DROP TRIGGER IF EXISTS audit_no_delete; DROP TRIGGER IF EXISTS audit_no_update;');
      const removed = this.#db.run('DELETE FROM audit WHERE seq <= ?', upTo);
      this.#db.run('UPDATE anchor SET seq = ?, hash = ?', upTo, hash);
      this.#db.exec(layGuards);
      const body = JSON.stringify({ event: 'pruned', hash, removed, upTo });
      this.#insert(chainHead(this.#db), { ...entry, body });
      return removed;
    });
  }

  #insert(head: ChainHead, entry: PendingEntry): ChainHead {
    const seq = head.seq + 1;
    const hash = chainHash(head.hash, { ...entry, seq });
    this.#db.run(
      'INSERT INTO audit (seq, run, n, at, kind, scope, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      seq,
      entry.run,
      entry.n,
      entry.at,
      entry.kind,
      entry.scope,
      entry.body,
      hash,
    );
    return { seq, hash };
  }
}

/** The newest row, or the anchor of an empty chain. */
export function chainHead(db: Database): ChainHead {
  const last = db.get('SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1');
  return (last ?? db.get('SELECT seq, hash FROM anchor')) as unknown as ChainHead;
}
