import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allCommands } from './command-table.ts';
import { withSection } from './section.ts';
import { sections } from './sections.ts';

const docs = resolve(import.meta.dirname, '../../docs');

test.each(sections().map((section) => [section.page, section.name, section] as const))(
  'docs/%s has the part "%s" as the code says (npm run docs)',
  (name, _, section) => {
    const file = resolve(docs, name);
    expect(existsSync(file), `docs/${name} is missing`).toBe(true);
    const page = readFileSync(file, 'utf8');
    expect(page).toBe(withSection(page, section));
  },
);

test('every page of a command belongs to a command', () => {
  const pages = readdirSync(resolve(docs, 'reference/commands'));
  expect(pages.toSorted()).toEqual(
    allCommands()
      .map((command) => `${command.name()}.md`)
      .toSorted(),
  );
});

test('a page without the comments of a part is told apart from one that is up to date', () => {
  const section = { page: 'x.md', name: 'options', text: 'new' };
  expect(withSection('prose only', section)).toBeUndefined();
  expect(withSection('a\n<!-- made by npm run docs: options -->\nold\n<!-- end -->\nb', section)).toBe(
    'a\n<!-- made by npm run docs: options -->\nnew\n<!-- end -->\nb',
  );
});
