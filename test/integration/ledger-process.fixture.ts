/** One short life with a ledger, by name. Arguments: what to do, folder. */
import { once } from 'node:events';
import { writeSync } from 'node:fs';
import { openLedger } from '@plimsoll/ledger';

const [what = '', dir = ''] = process.argv.slice(2);
const ledger = openLedger({ dir, auditDeadlineMs: 1500, batchMs: 50, exitWaitMs: 2000 });
const say = (line: string): void => void writeSync(1, `${line}\n`);

switch (what) {
  case 'idle':
    ledger.sample({ at: Date.now(), scope: 'process', bytes: 1 });
    break;
  case 'await':
    await ledger.audit({ kind: 'level', body: { i: 1 } });
    say('durable');
    break;
  case 'exit':
    for (let i = 0; i < 5; i++) void ledger.audit({ kind: 'level', body: { i } });
    ledger.sample({ at: Date.now(), scope: 'process', bytes: 1 });
    process.exit(7);
    break;
  case 'exit-later':
    await ledger.audit({ kind: 'level', body: { i: 0 } });
    for (let i = 1; i < 5; i++) void ledger.audit({ kind: 'level', body: { i } });
    ledger.sample({ at: Date.now(), scope: 'process', bytes: 1 });
    process.exit(7);
    break;
  case 'unwritable': {
    const warned = once(process, 'warning');
    // The ledger keeps no process alive.
    const waiting = setTimeout(() => undefined, 90_000);
    say(
      await ledger.audit({ kind: 'level' }).then(
        () => 'durable',
        (error: { code: string }) => error.code,
      ),
    );
    // On a loaded machine the writer starts late, and its warning comes after the time of the close.
    await warned;
    clearTimeout(waiting);
    say(`closed ${await ledger.close(100)}`);
    break;
  }
  case 'fill': {
    // Until the disk refuses: every entry is durable, or its promise says that it is not.
    const answers: Record<string, number> = {};
    for (let i = 0; i < 3000; i++) {
      ledger.sample(
        Array.from({ length: 200 }, (_, k) => ({
          at: Date.now(),
          scope: `process/s:${k}`,
          bytes: 2 ** 40 + i,
        })),
      );
      const answer = await ledger.audit({ kind: 'level', body: { i, text: 'x'.repeat(2000) } }).then(
        () => 'durable',
        (error: { code: string }) => error.code,
      );
      answers[answer] = (answers[answer] ?? 0) + 1;
      if (answer === 'durable') say(`audit ${i}`);
      // A busy machine can be late by itself, before the disk is full.
      if ((answers['PLM_LEDGER_AUDIT_LATE'] ?? 0) >= 2 && ledger.health.lastError !== undefined) break;
    }
    say(JSON.stringify({ answers, error: ledger.health.lastError, dropped: ledger.health.samples.dropped }));
    process.exit(0);
    break;
  }
  default:
    throw new Error(what);
}
