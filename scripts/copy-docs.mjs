/** Puts the documentation into the package before it is packed: `plimsoll docs` reads it there. */
import { cpSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';

const target = resolve(import.meta.dirname, '../packages/plimsoll/docs');
rmSync(target, { recursive: true, force: true });
cpSync(resolve(import.meta.dirname, '../docs'), target, {
  recursive: true,
  // The page of a report is an example of its own; its text is there as Markdown.
  filter: (file) => !/\.(?:png|svg|html)$/.test(file),
});
