import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes the folder of a lot, and those above it, for its owner alone; rejects with what the file system says. One at a time, because a
 * recursive mkdir of Node never returns where a folder exists that takes no other, such as /proc.
 */
export async function makeFolder(dir: string): Promise<void> {
  let error = await faultOf(dir);
  if (error?.code === 'ENOENT' && dirname(dir) !== dir) {
    await makeFolder(dirname(dir));
    error = await faultOf(dir);
  }
  if (error !== undefined) throw error;
}

/** Why a folder is not there after it was to be made; undefined when it is. */
async function faultOf(dir: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return undefined;
  } catch (error) {
    const found = await stat(dir).catch(() => undefined);
    return found?.isDirectory() === true ? undefined : (error as NodeJS.ErrnoException);
  }
}
