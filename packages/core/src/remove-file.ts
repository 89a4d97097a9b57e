import { unlinkSync } from 'node:fs';

/** Removes a file of ours if it can be removed; what stays behind is found dead by the next reader. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already gone, or its folder is: nothing to do.
  }
}
