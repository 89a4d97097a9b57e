import { join } from 'node:path';
import { findJournals, journalNames, removeJournal } from '../journal.ts';
import { AuditStore, auditVersion } from '../sqlite/audit-store.ts';
import { Database } from '../sqlite/database.ts';
import { samplesVersion } from '../sqlite/samples-schema.ts';
import { SamplesStore } from '../sqlite/samples-store.ts';

/** A process that is being read does not wait for a reader. */
const busyMs = 1000;

/**
 * Takes what waits in journals into the files, so that a reader sees it: a process whose thread rests writes samples there, and one that was
 * killed left its last entries. The stores take everything once, so the writer may do the same later. What cannot be taken in stays.
 */
export function bringHome(dir: string): void {
  if (journalNames(dir).length === 0) return;
  // Of no process: an id of our own may be that of an earlier one, and a living one keeps its journal.
  const owners = { pid: 0, runs: [] };
  try {
    const audit = findJournals(dir, 'audit', owners);
    if (audit.length > 0) {
      into(join(dir, 'audit.db'), 'FULL', auditVersion, (db) => {
        const store = new AuditStore(db);
        for (const { items } of audit) store.append(items);
      });
    }
    const samples = findJournals(dir, 'samples', owners);
    if (samples.length > 0) {
      into(join(dir, 'samples.db'), 'NORMAL', samplesVersion, (db) => {
        for (const { items } of samples)
          if (items[0] !== undefined) new SamplesStore(db, items[0].run).takeIn(items);
      });
    }
    for (const journal of [...audit, ...samples]) if (!journal.isOwned) removeJournal(journal);
  } catch {
    // A disk that is full or may not be written, a file that is busy: the next writer takes it in.
  }
}

function into(
  path: string,
  synchronous: 'FULL' | 'NORMAL',
  version: number,
  write: (db: Database) => void,
): void {
  const db = new Database(path, { synchronous, busyMs });
  try {
    const found = db.number('PRAGMA user_version');
    // An older format is changed by a process that goes on writing, not by one that reads.
    if (found !== 0 && found !== version) throw new Error(`${path} has another format`);
    write(db);
  } finally {
    db.close();
  }
}
