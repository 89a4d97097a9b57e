import { readFileSync } from 'node:fs';

/** The version of this package, read once from its manifest. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
