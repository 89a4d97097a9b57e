import { renameSync, rmSync, statSync } from 'node:fs';
import { Database, refusal } from './database.ts';
import type { DatabaseOptions } from './database.ts';

/** Largest file for a full check, which reads every page. In a larger file only the pages in use are checked. */
const quickCheckBytes = 32 * 1024 * 1024;

/** Opens a file of the ledger. A damaged one is renamed and a new one is started. */
export function openOrSetAside<Store>(
  path: string,
  options: DatabaseOptions,
  build: (db: Database) => Store,
  now: number,
): { db: Database; store: Store; setAside?: string } {
  try {
    return open(path, options, build);
  } catch (error) {
    if (refusal(error) !== 'corrupt') throw error;
    const setAside = moveAside(path, now);
    return { ...open(path, options, build), setAside };
  }
}

function open<Store>(
  path: string,
  options: DatabaseOptions,
  build: (db: Database) => Store,
): { db: Database; store: Store } {
  const db = new Database(path, options);
  try {
    if (statSync(path).size <= quickCheckBytes) {
      const verdict = db.get('PRAGMA quick_check(1)');
      const text = verdict === undefined ? 'no answer' : String(Object.values(verdict)[0]);
      if (text !== 'ok') throw Object.assign(new Error(text), { errcode: 11 });
    }
    return { db, store: build(db) };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Renames the file and its write-ahead log; nothing is deleted, because a damaged file may still be recovered. */
export function moveAside(path: string, now: number): string {
  const target = `${path}.corrupt-${new Date(now).toISOString().replaceAll(/[-:]/g, '').replace(/\..*/, 'Z')}`;
  for (const suffix of ['', '-wal']) {
    try {
      renameSync(path + suffix, target + suffix);
    } catch (error) {
      // Another process of the same ledger has moved it first, or there is no log.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  rmSync(`${path}-shm`, { force: true });
  return target;
}
