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

/** Marker file of a folder whose entries are all in the database. */
const doneName = 'shipped';
/** File with the process id of the process that is shipping a folder. */
const heldName = 'adopted-by';

/**
 * Ships entries that dead processes left beside this ledger. A process that a governed one forks writes into `ledger-PID`, and no later
 * process uses that folder. Returns the number of completely shipped folders. The folders stay as history. Rejects when the database does
 * not answer.
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

/** Claims a folder, so that only one process ships it. Two would store nothing twice. */
function take(folder: string): boolean {
  const file = join(folder, heldName);
  try {
    const holder = Number(readRegularText(file, { maxBytes: 100, noFollow: true }));
    if (holder !== process.pid && isAlive(holder)) return false;
  } catch {
    // No process holds it.
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
    // Copies acknowledged entries of the journal into the file.
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
    // The next process ships the rest.
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
