/** Writes the generated parts of the documentation (`npm run docs:write`). `npm run docs` also builds the site. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyTable } from '../packages/govern/src/policy/key-table.fixture.ts';
import { allErrors } from './all-errors.ts';
import { allCommands, firstPage } from './docs/command-table.ts';
import { withSection } from './docs/section.ts';
import { sections } from './docs/sections.ts';
import { errorPage } from './error-page.ts';

const docs = resolve(import.meta.dirname, '../docs');
writeFileSync(resolve(docs, 'reference/errors.md'), errorPage(allErrors));

rewrite('reference/policy.md', (page) => {
  const table = page.slice(page.indexOf('| key | value | meaning |')).split('\n\n')[0] as string;
  return page.replace(table.trim(), () => keyTable());
});

for (const command of allCommands()) {
  const page = resolve(docs, `reference/commands/${command.name()}.md`);
  if (!existsSync(page)) writeFileSync(page, firstPage(command));
}

for (const section of sections())
  rewrite(section.page, (page) => {
    const made = withSection(page, section);
    if (made === undefined)
      throw new Error(
        `docs/${section.page} lacks "<!-- made by npm run docs: ${section.name} -->" and "<!-- end -->"`,
      );
    return made;
  });

function rewrite(name: string, change: (page: string) => string): void {
  const file = resolve(docs, name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
