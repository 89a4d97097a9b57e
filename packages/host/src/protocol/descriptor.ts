import { createHash } from 'node:crypto';
import { dirname, join, resolve } from 'node:path';
import { listing } from '@plimsoll/core/internal/listing';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { makeOwnFolder, readOwnText, trustedPath } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

/** The file that says where a governed process can be watched: `.plimsoll/<pid>.json`. */
export interface Descriptor {
  readonly pid: number;
  readonly target: string;
  readonly startedAt: number;
  readonly socket: string;
}

/** The kernel refuses longer socket paths (108 bytes with the closing zero). */
const longestSocketPath = 100;
const longestDescriptor = 64 * 1024;

/** Path of the process's socket: beside the descriptor, or in a folder that only this user can open when that path is too long. */
export function socketPath(dir: string, pid: number): string {
  const beside = join(dir, `${pid}.sock`);
  if (Buffer.byteLength(beside) <= longestSocketPath) return beside;
  // Two containers that share /tmp have processes of the same id, so the folder is part of the name.
  const key = createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 12);
  return join(socketFolder(), `${key}-${pid}.sock`);
}

/** TMPDIR is not used, because it may itself be too long. */
function socketFolder(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? '';
  const isShort = runtime !== '' && Buffer.byteLength(runtime) <= longestSocketPath - 60;
  return isShort ? join(runtime, 'plimsoll') : `/tmp/plimsoll-${process.geteuid?.() ?? 'user'}`;
}

/** Writes where a process can be watched. Throws PLM_PATH_FOREIGN when the folder or the socket's folder is not ours. */
export function writeDescriptor(dir: string, descriptor: Descriptor): void {
  makeOwnFolder(dirname(descriptor.socket));
  replaceFile(join(dir, `${descriptor.pid}.json`), `${JSON.stringify(descriptor)}\n`);
}

export function removeDescriptor(dir: string, pid: number): void {
  removeFile(join(dir, `${pid}.json`));
  removeFile(socketPath(dir, pid));
}

/**
 * The governed processes of a folder that are alive, newest first. The descriptors of dead ones are removed. Throws PLM_PATH_FOREIGN when
 * the folder is not ours, because it could name a process of another user.
 */
export function liveDescriptors(dir: string): readonly Descriptor[] {
  trustedPath(dir, 'folder');
  const found: Descriptor[] = [];
  for (const name of listing(dir)) {
    if (!/^\d+\.json$/.test(name)) continue;
    const descriptor = parse(join(dir, name));
    if (descriptor === undefined) continue;
    if (isAlive(descriptor.pid)) found.push(descriptor);
    else removeDescriptor(dir, descriptor.pid);
  }
  return found.sort((a, b) => b.startedAt - a.startedAt);
}

function parse(file: string): Descriptor | undefined {
  try {
    const value = JSON.parse(readOwnText(file, longestDescriptor) ?? '') as Partial<Descriptor>;
    return typeof value.pid === 'number' && typeof value.socket === 'string'
      ? (value as Descriptor)
      : undefined;
  } catch {
    return undefined;
  }
}
