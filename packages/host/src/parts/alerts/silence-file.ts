import { join } from 'node:path';
import type { Silence } from '@plimsoll/govern/internal/alert/silence';
import { parseMatcher } from '@plimsoll/govern/internal/alert/silence';
import { readRegularText } from '@plimsoll/core/internal/read-regular-file';
import { replaceFile } from '@plimsoll/core/internal/replace-file';

const fileName = 'silences.json';
const longestFile = 1024 * 1024;

/** The silences of a folder, so that a restart does not end them; none when they cannot be read. */
export function readSilences(dir: string): readonly Silence[] {
  try {
    const text = readRegularText(join(dir, fileName), { maxBytes: longestFile, noFollow: true });
    const found = JSON.parse(text) as unknown;
    return Array.isArray(found) ? found.filter(isSilence) : [];
  } catch {
    return [];
  }
}

/** Writes the silences in force. When the disk is full, only their persistence is lost. */
export function writeSilences(dir: string, silences: readonly Silence[]): void {
  try {
    replaceFile(join(dir, fileName), JSON.stringify(silences));
  } catch {
    // They stay in force in this process.
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
