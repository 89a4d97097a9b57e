/** Writes to a ledger for ever and prints each thing the ledger has confirmed. Arguments: folder, first number. */
import { writeSync } from 'node:fs';
import { openLedger } from '@plimsoll/ledger';

const [dir = '', first = '0'] = process.argv.slice(2);
const ledger = openLedger({ dir, batchMs: 10 });
const start = Number(first);

async function audits(): Promise<void> {
  for (let i = start; ; i++) {
    await ledger.audit({ kind: 'level', body: { i } });
    writeSync(1, `audit ${i}\n`);
  }
}

async function samples(): Promise<void> {
  for (let i = start; ; i += 50) {
    for (let k = i; k < i + 50; k++)
      ledger.sample({ at: Date.now(), scope: `process/session:${k % 7}`, bytes: k });
    if (await ledger.flush()) writeSync(1, `samples ${i}\n`);
  }
}

setInterval(() => undefined, 1000);
await Promise.all([audits(), samples()]);
