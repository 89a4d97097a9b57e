/** Puts the documentation into the package before it is packed: `plimsoll docs` reads it there. */
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const target = resolve(import.meta.dirname, '../packages/plimsoll/docs');
rmSync(target, { recursive: true, force: true });
cpSync(resolve(import.meta.dirname, '../docs'), target, {
  recursive: true,
  filter: (file) => !file.endsWith('.png') && !file.endsWith('.svg'),
});
