import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The folder itself, or its `ledger` folder when that is where the files are. */
export function ledgerDir(dir: string): string {
  const holds = (folder: string): boolean =>
    existsSync(join(folder, 'audit.db')) || existsSync(join(folder, 'samples.db'));
  return !holds(dir) && holds(join(dir, 'ledger')) ? join(dir, 'ledger') : dir;
}
