import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeOwnFolder } from './own-path.ts';

/**
 * Puts a text in the place of a file in a folder of ours; only its owner can read it. The text is written to a new file, which is then
 * moved over the old one: nobody reads half of it, a kill leaves the old or the new text, and a link in its place is replaced, not
 * followed. Throws PLM_PATH_FOREIGN, or what the file system says.
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  makeOwnFolder(dirname(file));
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
