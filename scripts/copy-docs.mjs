/** Copies the documentation into the package before it is packed, for `plimsoll docs`. */
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const target = resolve(import.meta.dirname, '../packages/plimsoll/docs');
rmSync(target, { recursive: true, force: true });
cpSync(resolve(import.meta.dirname, '../docs'), target, {
  recursive: true,
  // HTML reports are left out, because their text is also there as Markdown.
  filter: (file) => !/\.(?:png|svg|html)$/.test(file),
});
