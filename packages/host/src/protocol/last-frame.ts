import { join } from 'node:path';
import { parseFrame } from './feed-client.ts';
import type { Frame } from './frame.ts';
import { readOwnText } from '@plimsoll/core/internal/own-path';
import { removeFile } from '@plimsoll/core/internal/remove-file';

/** Two hundred scopes and a hundred findings with their traces take less than 1 MiB. */
const longestFrame = 16 * 1024 * 1024;

/** Path of the last frame, which a process writes while it exits. A watcher's newest frame is up to a second older. */
export function lastFrameFile(dir: string, pid: number): string {
  return join(dir, `${pid}.last.json`);
}

/** Reads and removes the last frame of a process that ended by itself; undefined when it was killed. */
export function takeLastFrame(dir: string, pid: number): Frame | undefined {
  const file = lastFrameFile(dir, pid);
  try {
    return parseFrame(readOwnText(file, longestFrame) ?? '');
  } catch {
    return undefined;
  } finally {
    removeFile(file);
  }
}
