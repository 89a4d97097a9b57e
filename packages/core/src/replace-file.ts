import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.ts';

/**
 * Puts a text in the place of a file that only its owner can read. Written beside and moved over: nobody ever reads half of it, and whoever is
 * killed meanwhile leaves the old one or the new one. Throws what the file system says.
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  makeFolder(dirname(file));
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
