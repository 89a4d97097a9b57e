import { userInfo } from 'node:os';

/** The user that runs this process; its number in a container where that has no name. */
export function userName(unless: string): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? unless);
  }
}
