import { renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { listing } from '@plimsoll/core/internal/listing';

/** Names of the files that a governed process leaves for its run: snapshots, the record of its growth, its last frame. */
const evidenceName =
  /^(\d+)\.(?:(?:first|last|end|worker-\d+-\d)\.heapsnapshot(?:\.partial)?|proof\.json|last\.json)$/;
const claimName = /^(\d+)\.run$/;

/**
 * Marks that a run reads the evidence in this folder, and removes the evidence of killed runs. Snapshots hold users' data, so they must not
 * stay. While another run still reads evidence of dead processes, that run removes it at its end.
 */
export function claimEvidence(dir: string): Disposable {
  const claim = join(dir, `${process.pid}.run`);
  const forget = (): void => {
    removeFile(claim);
    if (!hasOtherRun(dir)) clearEvidence(dir);
  };
  forget();
  try {
    writeFileSync(claim, '', { mode: 0o600, flag: 'wx' });
  } catch {
    // The disk is full. Another run in the same folder may then remove files that we still read, and the verdict is undecided.
  }
  return { [Symbol.dispose]: forget };
}

/** Moves a snapshot that the user wants to keep to a name that no later run removes. Returns its new path. */
export function keepSnapshot(file: string, at: number): string {
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '-');
  const kept = join(dirname(file), `kept-${time}-${basename(file)}`);
  try {
    renameSync(file, kept);
    return kept;
  } catch {
    return file;
  }
}

function hasOtherRun(dir: string): boolean {
  let found = false;
  for (const name of listing(dir)) {
    const pid = Number(claimName.exec(name)?.[1]);
    if (Number.isNaN(pid) || pid === process.pid) continue;
    if (isAlive(pid)) found = true;
    else removeFile(join(dir, name));
  }
  return found;
}

/** Removes the evidence of ended processes. */
function clearEvidence(dir: string): void {
  for (const name of listing(dir)) {
    const pid = evidenceName.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeFile(join(dir, name));
  }
}
