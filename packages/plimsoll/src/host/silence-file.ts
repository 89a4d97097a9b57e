import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Silence } from '@plimsoll/core/alert';
import { parseMatcher } from '@plimsoll/core/alert';

const fileName = 'silences.json';
const longestFile = 1024 * 1024;

/** The silences of a folder, so that a restart does not end them; none when they cannot be read. */
export function readSilences(dir: string): readonly Silence[] {
  try {
    const text = readFileSync(join(dir, fileName), 'utf8');
    const found = JSON.parse(text.slice(0, longestFile)) as unknown;
    return Array.isArray(found) ? found.filter(isSilence) : [];
  } catch {
    return [];
  }
}

/** Written beside and moved, so that a reader never sees half of it. A full disk costs the memory of silences, nothing else. */
export function writeSilences(dir: string, silences: readonly Silence[]): void {
  const draft = join(dir, `${fileName}.${process.pid}`);
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(draft, JSON.stringify(silences), { mode: 0o600 });
    renameSync(draft, join(dir, fileName));
  } catch {
    // They are in force in this process all the same.
  }
}

function isSilence(value: unknown): value is Silence {
  const given = value as Partial<Silence> | null;
  try {
    return (
      typeof given?.id === 'string' &&
      typeof given.author === 'string' &&
      typeof given.comment === 'string' &&
      typeof given.createdAt === 'number' &&
      typeof given.endsAt === 'number' &&
      Array.isArray(given.matchers) &&
      given.matchers.every(
        ({ label, value, negated }) =>
          typeof value === 'string' &&
          typeof negated === 'boolean' &&
          parseMatcher(`${label}=${value}`).label === label,
      )
    );
  } catch {
    return false;
  }
}
