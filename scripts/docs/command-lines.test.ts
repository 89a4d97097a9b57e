import { expect, test } from 'vitest';
import { commandLines, whyWrong, wrongCommands } from './command-lines.ts';
import { allPages } from './links.ts';

/** The change log tells of commands as they were. */
const pages = allPages().filter((page) => page !== 'CHANGELOG.md');

test.each(pages)('every command of %s exists, with its options', (page) => {
  // Guides speak of the scripts of the reader's own project.
  const isOurs = !page.startsWith('docs/guides/');
  expect(wrongCommands(page).filter((line) => isOurs || !line.startsWith('npm run '))).toEqual([]);
});

test('commands are found in blocks and in the text, and what another program gets is left out', () => {
  const page =
    'Use `plimsoll top --json`.\n```\nplimsoll run --status 0 -- \\\n  node server.js --load   # ends\nnode x.js\n```\n';
  expect(commandLines(page)).toEqual([
    'plimsoll run --status 0 -- node server.js --load   # ends',
    'plimsoll top --json',
  ]);
  expect(commandLines(page).map(whyWrong)).toEqual([undefined, undefined]);
  expect(whyWrong('plimsoll tpo')).toBe('no command "tpo"');
  expect(whyWrong('plimsoll top --jsno')).toBe('"top" has no option --jsno');
  expect(whyWrong('npm run nothing')).toBe('no script "nothing"');
});
