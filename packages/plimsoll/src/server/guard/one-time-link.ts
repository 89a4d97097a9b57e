import { createHash, randomBytes } from 'node:crypto';
import { lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listing } from '@plimsoll/core/internal/listing';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';

/** How long a link is valid. */
const linkMs = 10 * 60_000;
const mostLinks = 32;

const linksOf = (dir: string): string => join(dir, 'links');
const nameOf = (link: string): string => createHash('sha256').update(link).digest('hex');

/**
 * Makes a link that opens the dashboard of a folder once. The folder keeps only its hash, so that reading the folder is not enough to open
 * it. Only the owner may write there.
 */
export function makeLink(dir: string, now = Date.now()): string {
  const folder = linksOf(dir);
  makeOwnFolder(folder);
  const left = listing(folder)
    .map((name) => ({ file: join(folder, name), at: madeAt(join(folder, name)) }))
    .sort((a, b) => a.at - b.at);
  const room = mostLinks - 1;
  left.forEach(({ file, at }, i) => {
    if (at < now - linkMs || i < left.length - room) removeFile(file);
  });
  const link = randomBytes(24).toString('base64url');
  writeFileSync(join(folder, nameOf(link)), '', { mode: 0o600, flag: 'wx' });
  return link;
}

/** True once for each link that was made in this folder and is not too old. Its file is then removed. */
export function takeLink(dir: string, link: string, now = Date.now()): boolean {
  if (!/^[\w-]{32}$/.test(link)) return false;
  const file = join(linksOf(dir), nameOf(link));
  const at = madeAt(file);
  try {
    unlinkSync(file);
  } catch {
    return false;
  }
  return at >= now - linkMs;
}

/** When a link was made; 0 when its file is missing or not a plain file of ours. */
function madeAt(file: string): number {
  try {
    const { mtimeMs, uid } = lstatSync(file);
    return uid === process.getuid?.() && lstatSync(file).isFile() ? mtimeMs : 0;
  } catch {
    return 0;
  }
}
