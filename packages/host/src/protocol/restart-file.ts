import { join } from 'node:path';
import { warnOnce } from '@plimsoll/core/internal/errors';
import { emptyLog, parseRestartLog } from '@plimsoll/govern/internal/restart/restart-log';
import type { RestartLog } from '@plimsoll/govern/internal/restart/restart-log';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

const longestFile = 1024 * 1024;

/** Path of the log of a program's restarts. */
export function restartFile(dir: string): string {
  return join(dir, 'restarts.json');
}

/** The log of a folder; empty when there is none that can be read. */
export function readRestartLog(dir: string): RestartLog {
  try {
    return parseRestartLog(readRegularText(restartFile(dir), { maxBytes: longestFile, noFollow: true }));
  } catch {
    return emptyLog;
  }
}

/** Keeps the log of a folder; warns when it cannot be written. */
export function writeRestartLog(dir: string, log: RestartLog): void {
  const file = restartFile(dir);
  try {
    replaceFile(file, `${JSON.stringify(log)}\n`);
  } catch (error) {
    warnOnce('PLM_RESTART_LOG', { file, reason: (error as Error).message });
  }
}
