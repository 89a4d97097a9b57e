import { failure } from '@plimsoll/core/internal/errors';
import { exitCode } from '../exit-code.ts';
import type { Io } from '../io.ts';
import type { AddCommand } from '../program.ts';
import type { Found, Page } from '../docs/library.ts';

const help = `
Example:
  plimsoll docs                       the index
  plimsoll docs policy                a page by its name
  plimsoll docs PLM_LEDGER_NOT_FOUND  what an error means and what to do
  plimsoll docs abort                 every line that mentions a word`;

export const addDocsCommand: AddCommand = (program, io, done) => {
  program
    .command('docs')
    .description(
      'print a page of the documentation, the section of an error code, or where a word is mentioned',
    )
    .argument('[word]', 'a page, an error code, a heading or any word')
    .option('--json', 'print what was found as JSON')
    .addHelpText('after', help)
    .action(async (word: string | undefined, options: { readonly json?: boolean }) =>
      done(await printDocs(word, options.json === true, io)),
    );
};

async function printDocs(word: string | undefined, isJson: boolean, io: Io): Promise<number> {
  const { docsFolder, lookUp, pagesOf } = await import('../docs/library.ts');
  const folder = docsFolder();
  const pages: readonly Page[] = folder === undefined ? [] : pagesOf(folder);
  const found = lookUp(pages, word ?? 'README');
  if (found.kind === 'places' && found.places.length === 0)
    throw failure('PLM_CLI_NO_PAGE', { word: word ?? 'README', pages: pages.map(({ name }) => name) });
  io.stdout.write(isJson ? `${JSON.stringify(found, null, 2)}\n` : `${textOf(found)}\n`);
  return exitCode.fine;
}

function textOf(found: Found): string {
  if (found.kind === 'text') return found.text.trimEnd();
  const width = Math.max(...found.places.map(({ name }) => name.length));
  return found.places.map(({ name, line }) => `${name.padEnd(width)}  ${line}`).join('\n');
}
