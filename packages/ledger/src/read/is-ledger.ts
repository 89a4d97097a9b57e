import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { journalNames } from '../journal.ts';

/** Whether a folder holds a ledger, even one that consists only of journals so far. */
export function isLedger(dir: string): boolean {
  return (
    ['samples.db', 'audit.db'].some((name) => existsSync(join(dir, name))) || journalNames(dir).length > 0
  );
}
