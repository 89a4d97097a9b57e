import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { listing } from '@plimsoll/core/internal/listing';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

/** A running server of a folder, for `plimsoll open`. */
interface ServingRow {
  readonly pid: number;
  readonly address: string;
}

const fileOf = (dir: string, pid: number): string => join(dir, `serving-${pid}.json`);

export function writeServing(dir: string, row: ServingRow): void {
  replaceFile(fileOf(dir, row.pid), `${JSON.stringify(row)}\n`);
}

export function removeServing(dir: string, pid: number): void {
  removeFile(fileOf(dir, pid));
}

/** The running servers of a folder. Files of dead ones are removed. */
export function liveServers(dir: string): readonly ServingRow[] {
  const rows: ServingRow[] = [];
  for (const name of listing(dir)) {
    const pid = Number(/^serving-(\d+)\.json$/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const address = isAlive(pid) ? addressIn(join(dir, name)) : undefined;
    if (address === undefined) removeServing(dir, pid);
    else rows.push({ pid, address });
  }
  return rows;
}

function addressIn(file: string): string | undefined {
  try {
    const { address } = JSON.parse(readFileSync(file, 'utf8')) as { address?: unknown };
    return typeof address === 'string' && URL.canParse(address) ? address : undefined;
  } catch {
    return undefined;
  }
}
