import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it, for its owner alone unless another mode is given; throws what the file system says. One at a time,
 * because a recursive mkdir of Node never returns where a folder exists that takes no other, such as /proc.
 */
export function makeFolder(dir: string, mode = 0o700): void {
  let error = faultOf(dir, mode);
  if (error?.code === 'ENOENT' && dirname(dir) !== dir) {
    makeFolder(dirname(dir), mode);
    error = faultOf(dir, mode);
  }
  if (error !== undefined) throw error;
}

/** Why a folder is not there after it was to be made; undefined when it is. */
function faultOf(dir: string, mode: number): NodeJS.ErrnoException | undefined {
  try {
    mkdirSync(dir, { mode });
    return undefined;
  } catch (error) {
    const isThere = statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
    return isThere ? undefined : (error as NodeJS.ErrnoException);
  }
}
