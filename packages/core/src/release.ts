import { dirname, join } from 'node:path';
import { readRegularText } from './read-regular-file.ts';

const mostChars = 64;
const mostFolders = 12;
const mostBytes = 1024 * 1024;

/**
 * The version of the user's program: what PLIMSOLL_RELEASE says, else the version in the package.json nearest to the program's file.
 * Null when nothing tells it.
 */
export function releaseOf(
  env: Readonly<Record<string, string | undefined>>,
  program: string | undefined,
): string | null {
  const told = env['PLIMSOLL_RELEASE']?.trim();
  if (told !== undefined && told !== '') return told.slice(0, mostChars);
  if (program === undefined) return null;
  let dir = dirname(program);
  for (let i = 0; i < mostFolders; i++) {
    const version = versionIn(join(dir, 'package.json'));
    // A package.json without a version only says what kind of modules the folder has.
    if (version !== undefined) return version.slice(0, mostChars);
    const above = dirname(dir);
    if (above === dir) return null;
    dir = above;
  }
  return null;
}

function versionIn(file: string): string | undefined {
  try {
    const { version } = JSON.parse(readRegularText(file, { maxBytes: mostBytes })) as { version?: unknown };
    return typeof version === 'string' && version !== '' ? version : undefined;
  } catch {
    return undefined;
  }
}
