import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { listing } from '@plimsoll/core/internal/listing';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';
import type { LedgerSettings } from '../options.ts';
import { Writer } from './writer.ts';
import { Shipper } from '../postgres/shipper.ts';
import { Spool } from '../postgres/spool.ts';
import type { SpooledLife } from '../postgres/spool.ts';

/** Written when everything of a folder is in the database. */
const doneName = 'shipped';
/** Holds the number of the process that ships a folder just now. */
const heldName = 'adopted-by';

/**
 * Ships what dead processes left beside this ledger. A process that a governed one forks writes into `ledger-PID`, and nobody begins in
 * that folder again. Returns how many folders were shipped whole; the folders stay as history. Rejects when the database does not answer.
 */
export async function adoptDead(settings: LedgerSettings, over?: AbortSignal): Promise<number> {
  let shipped = 0;
  for (const folder of deadFolders(settings.dir)) {
    if (over?.aborted === true || !take(folder)) continue;
    try {
      await shipFolder(settings, folder, over);
      replaceFile(join(folder, doneName), '');
      shipped++;
    } finally {
      removeFile(join(folder, heldName));
    }
  }
  return shipped;
}

function deadFolders(own: string): readonly string[] {
  const parent = dirname(own);
  return listing(parent)
    .filter((name) => {
      const pid = /^ledger-([1-9]\d{0,9})$/.exec(name)?.[1];
      return pid !== undefined && join(parent, name) !== own && !isAlive(Number(pid));
    })
    .map((name) => join(parent, name))
    .filter((folder) => existsSync(join(folder, 'spool.db')) && !existsSync(join(folder, doneName)));
}

/** Two processes that ship the same folder would store nothing twice; one is enough. */
function take(folder: string): boolean {
  const file = join(folder, heldName);
  try {
    const holder = Number(readRegularText(file, { maxBytes: 100, noFollow: true }));
    if (holder !== process.pid && isAlive(holder)) return false;
  } catch {
    // Nobody holds it.
  }
  replaceFile(file, String(process.pid));
  return true;
}

async function shipFolder(
  settings: LedgerSettings,
  dir: string,
  over: AbortSignal | undefined,
): Promise<void> {
  const { fleet } = settings;
  const life = fleet === undefined ? undefined : newestLife(dir, fleet.spoolBytes);
  if (fleet === undefined || life === undefined) return;
  const run = { id: life.run, pid: life.pid, host: life.identity.host, started: life.started };
  const confirmed = new Int32Array(new SharedArrayBuffer(8));
  let stop = (): void => undefined;
  const writer = new Writer({ settings: { ...settings, dir }, run, openRuns: [], confirmed });
  try {
    // Brings home the entries that were acknowledged into a journal.
    writer.hello();
    const shipper = new Shipper({
      settings: fleet,
      run,
      spool: writer.spool as Spool,
      audit: () => writer.audit,
      changed: () => undefined,
      findings: () => undefined,
      vote: () => undefined,
    });
    // What is not shipped by then is shipped by the next one.
    stop = () => void shipper.close();
    over?.addEventListener('abort', stop);
    await shipper.shipRest();
  } finally {
    over?.removeEventListener('abort', stop);
    writer.close();
  }
}

function newestLife(dir: string, spoolBytes: number): SpooledLife | undefined {
  const spool = new Spool(dir, spoolBytes);
  try {
    return spool.lives().at(-1);
  } finally {
    spool.close();
  }
}
