import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { warnOnce } from '@plimsoll/core/errors';
import { emptyLog, parseRestartLog } from '@plimsoll/core/govern';
import type { RestartLog } from '@plimsoll/core/govern';

/** Where the ends of a program's lives are remembered. */
export function restartFile(dir: string): string {
  return join(dir, 'restarts.json');
}

/** The log of a folder; empty when there is none that can be read. */
export function readRestartLog(dir: string): RestartLog {
  try {
    return parseRestartLog(readFileSync(restartFile(dir), 'utf8'));
  } catch {
    return emptyLog;
  }
}

/** Writes the log beside its place and moves it in: whoever is killed meanwhile leaves the old one or the new one. */
export function writeRestartLog(dir: string, log: RestartLog): void {
  const file = restartFile(dir);
  const part = `${file}.${process.pid}.part`;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(part, `${JSON.stringify(log)}\n`, { mode: 0o600 });
    renameSync(part, file);
  } catch (error) {
    warnOnce('PLM_RESTART_LOG', { file, reason: (error as Error).message });
  }
}
