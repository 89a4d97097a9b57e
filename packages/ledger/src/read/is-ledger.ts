import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { journalNames } from '../journal.ts';

/** Whether a folder holds a ledger, be it one whose files are still to be made from journals. */
export function isLedger(dir: string): boolean {
  return (
    ['samples.db', 'audit.db'].some((name) => existsSync(join(dir, name))) || journalNames(dir).length > 0
  );
}
