import { accessSync, constants, readFileSync } from 'node:fs';
import { failure } from '@plimsoll/core/internal/errors';
import { makeFolder } from '@plimsoll/core/internal/make-folder';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';

/** Writes to a file that the user named. An error names the file and the reason. */
export async function writeReport(file: string, text: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file, reason: (error as Error).message }, { cause: error });
  }
}

/** For an option that may be given more than once. */
export function collect(value: string, earlier: readonly string[]): readonly string[] {
  return [...earlier, value];
}

/** Makes a folder that the user named. An error names the folder and the reason. */
export function makeAskedFolder(dir: string): void {
  try {
    makeFolder(dir);
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file: dir, reason: (error as Error).message }, { cause: error });
  }
}

/**
 * Makes the folder of a run. A program must start even when our folder cannot be used, so that fault is only reported. Returns whether the
 * folder can be used.
 */
export function makeRunFolder(dir: string, say: (text: string) => void): boolean {
  try {
    makeOwnFolder(dir);
    // It fails with EROFS on a read-only file system, also for root.
    accessSync(dir, constants.W_OK);
    return true;
  } catch (error) {
    say(`${String(failure('PLM_RUN_NO_FOLDER', { dir, reason: (error as Error).message }))}\n`);
    return false;
  }
}

/** Number of files that Node.js, the ledger and the feed have open together. */
const neededFiles = 64;

/** Warns when the limit of open files is so low that ledger and feed would fail with EMFILE, which does not name the cause. */
export function checkOpenFiles(say: (text: string) => void, limits = ownLimits()): void {
  const limit = Number(/^Max open files +(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  if (limit < neededFiles) say(`${String(failure('PLM_RUN_FEW_FILES', { limit, needed: neededFiles }))}\n`);
}

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
