import { readdirSync } from 'node:fs';

/** The names in a folder; none when it cannot be read. */
export function listing(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}
