import { failure } from '@plimsoll/core/internal/errors';
import { makeFolder } from '@plimsoll/core/internal/make-folder';

/** Writes to a file the user named; a failure says which and why. */
export async function writeReport(file: string, text: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file, reason: (error as Error).message }, { cause: error });
  }
}

/** Makes a folder the user named; a failure says which and why. */
export function makeAskedFolder(dir: string): void {
  try {
    makeFolder(dir);
  } catch (error) {
    throw failure('PLM_CLI_CANNOT_WRITE', { file: dir, reason: (error as Error).message }, { cause: error });
  }
}
