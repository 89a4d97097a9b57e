import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failure } from '@plimsoll/core/internal/errors';
import { makeOwnFolder } from '@plimsoll/core/internal/own-path';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

/** File of the admin token of a folder. A user who can read it may decide. */
export function tokenFile(dir: string): string {
  return join(dir, 'token');
}

/** The admin token of a folder, from a file that only its owner can read. It is made when there is none. */
export function adminToken(dir: string): string {
  const file = tokenFile(dir);
  const token = randomBytes(32).toString('base64url');
  try {
    makeOwnFolder(dirname(file));
    writeFileSync(file, `${token}\n`, { mode: 0o600, flag: 'wx' });
    return token;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST')
      throw failure('PLM_SERVER_TOKEN_FILE', { file, reason: message }, { cause: error });
  }
  return readToken(file);
}

/** Replaces the admin token of a folder. Running servers use it from their next request on. */
export function rotateToken(dir: string): string {
  const token = passingToken();
  const file = tokenFile(dir);
  try {
    replaceFile(file, `${token}\n`);
  } catch (error) {
    throw failure('PLM_SERVER_TOKEN_FILE', { file, reason: (error as Error).message }, { cause: error });
  }
  return token;
}

/**
 * Returns a function for the current admin token. It reads the file again when it has changed, and keeps the last token when the file is
 * gone or broken.
 */
export function followToken(dir: string): () => string {
  const file = tokenFile(dir);
  let token = adminToken(dir);
  let seen = stampOf(file);
  return () => {
    const stamp = stampOf(file);
    if (stamp === seen) return token;
    seen = stamp;
    try {
      token = readToken(file);
    } catch {
      // The last token stays in force.
    }
    return token;
  };
}

function stampOf(file: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
}

/** A token in memory for a server without a folder of its own, such as one that shows another user's ledger. */
export function passingToken(): string {
  return randomBytes(32).toString('base64url');
}

function readToken(file: string): string {
  const { mode, isFile } = statOf(file);
  if (!isFile) throw failure('PLM_SERVER_TOKEN_FILE', { file, reason: 'it is no plain file' });
  if ((mode & 0o077) !== 0)
    throw failure('PLM_SERVER_TOKEN_FILE', {
      file,
      reason: `others may read it, its mode is 0${(mode & 0o777).toString(8)}`,
    });
  const token = readFileSync(file, 'utf8').trim();
  if (!/^[\w-]{32,128}$/.test(token))
    throw failure('PLM_SERVER_TOKEN_FILE', { file, reason: 'it holds no token of ours' });
  return token;
}

function statOf(file: string): { mode: number; isFile: boolean } {
  const found = lstatSync(file);
  return { mode: found.mode, isFile: found.isFile() };
}

/** Compares two secrets in constant time. */
export function isSameSecret(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
