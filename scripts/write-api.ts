/** Writes each package's public types to its api.d.ts, so that a reviewer sees changes: `npm run api` after `npm run build`. */
import { readdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { apiDump } from './api-dump.ts';

const packages = resolve(import.meta.dirname, '../packages');
for (const name of readdirSync(packages)) {
  writeFileSync(resolve(packages, name, 'api.d.ts'), apiDump(resolve(packages, name)));
}
