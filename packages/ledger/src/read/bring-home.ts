import { join } from 'node:path';
import { findJournals, journalNames, removeJournal } from '../journal.ts';
import { AuditStore, auditVersion } from '../sqlite/audit-store.ts';
import { Database } from '../sqlite/database.ts';
import { samplesVersion } from '../sqlite/samples-schema.ts';
import { SamplesStore } from '../sqlite/samples-store.ts';

/** Longest wait for a lock. A running writer must not wait for a reader. */
const busyMs = 1000;

/**
 * Copies the journals into the files, so that a reader sees their lines: a process whose thread rests writes samples there, and a killed
 * one left its last entries. The stores take each line once, so the writer may copy them again. Lines that cannot be copied stay.
 */
export function bringHome(dir: string): void {
  if (journalNames(dir).length === 0) return;
  // No owner: our own process id may be that of an earlier process, and a living process keeps its journal.
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
    // The disk is full or read-only, or the file is busy. The next writer copies the journal.
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
    // Only a writer migrates an older format; a reader does not.
    if (found !== 0 && found !== version) throw new Error(`${path} has another format`);
    write(db);
  } finally {
    db.close();
  }
}
