import { rmSync } from 'node:fs';
import { join } from 'node:path';

let folders = 0;

/** A folder of its own for the snapshots of one check, e.g. `.plimsoll/leaks/agent-run-4211-1`. It is not made yet. */
export function snapshotFolder(dir: string, name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return join(dir, 'leaks', `${slug === '' ? 'check' : slug}-${process.pid}-${++folders}`);
}

/** Removes the snapshots of a check that found nothing. */
export function removeFolder(dir: string): void {
  try {
    rmSync(dir, { recursive: true, force: true });
  } catch {
    // A file that cannot be removed must not fail a test that passed.
  }
}
