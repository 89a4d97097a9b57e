/** Installs what some tests and the benchmarks need beside the repository's own packages, when the first of them asks. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from '@plimsoll/core/internal/is-alive';

const exec = promisify(execFile);

/**
 * Installs the packages of a folder by its lockfile, once for all test files that ask at the same time and again when the lockfile has
 * changed. `finish` runs after each installation.
 */
export async function installOnce(folder: string, finish: () => void = () => {}): Promise<void> {
  const lock = join(folder, 'node_modules.lock');
  const mark = join(folder, 'node_modules/.installed');
  const wanted = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  while (textOf(mark) !== wanted) {
    if (!take(lock)) {
      await sleep(500);
      continue;
    }
    try {
      if (textOf(mark) === wanted) return;
      await exec('npm', ['ci', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'], {
        cwd: folder,
      });
      finish();
      writeFileSync(mark, wanted);
    } finally {
      rmSync(lock);
    }
  }
}

/** True when the lock is ours now. The lock of a run that was killed counts for nothing. */
function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const owner = textOf(lock);
    if (owner !== undefined && owner !== '' && !isAlive(Number(owner))) rmSync(lock, { force: true });
    return false;
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
