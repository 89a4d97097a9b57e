import { join } from 'node:path';
import { isLedger } from '@plimsoll/ledger/internal/read/is-ledger';

/** The folder itself, or its `ledger` folder if the files are there. */
export function ledgerDir(dir: string): string {
  return !isLedger(dir) && isLedger(join(dir, 'ledger')) ? join(dir, 'ledger') : dir;
}
