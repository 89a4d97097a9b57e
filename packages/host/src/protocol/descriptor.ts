import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listing } from './listing.ts';
import { makeFolder } from '@plimsoll/core/internal/make-folder';
import { removeFile } from '@plimsoll/core/internal/remove-file';

/** The file that says where a governed process can be watched: `.plimsoll/<pid>.json`. */
export interface Descriptor {
  readonly pid: number;
  readonly target: string;
  readonly startedAt: number;
  readonly socket: string;
}

/** The kernel refuses longer socket paths (108 bytes with the closing zero). */
const longestSocketPath = 100;

/** Where the process's socket goes: beside the descriptor, or in the temporary folder when that path is too long. */
export function socketPath(dir: string, pid: number): string {
  const beside = join(dir, `${pid}.sock`);
  return Buffer.byteLength(beside) <= longestSocketPath ? beside : join(tmpdir(), `plimsoll-${pid}.sock`);
}

export function writeDescriptor(dir: string, descriptor: Descriptor): void {
  makeFolder(dir);
  writeFileSync(join(dir, `${descriptor.pid}.json`), `${JSON.stringify(descriptor)}\n`, { mode: 0o600 });
}

export function removeDescriptor(dir: string, pid: number): void {
  removeFile(join(dir, `${pid}.json`));
  removeFile(socketPath(dir, pid));
}

/** The governed processes of a folder that are alive, newest first; those of dead ones are removed. */
export function liveDescriptors(dir: string): readonly Descriptor[] {
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
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Descriptor>;
    return typeof value.pid === 'number' && typeof value.socket === 'string'
      ? (value as Descriptor)
      : undefined;
  } catch {
    return undefined;
  }
}

/** True when a process of this id exists, also one of another user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
