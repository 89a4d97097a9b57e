import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examplesOf, expectedLines, runExample } from './examples.ts';

const root = resolve(import.meta.dirname, '../..');
const keepers = [
  'replay-buffer',
  'delegation-breaker',
  'conversation-window',
  'output-bag',
  'event-sink',
  'weak-registry',
  'pool',
].map((name) => `docs/reference/keepers/${name}.md`);
const pages = [
  'docs/reference/api.md',
  'docs/reference/keepers/README.md',
  'docs/reference/keepers/session-cache.md',
  ...keepers,
  'docs/guides/add-scopes.md',
  'docs/guides/isolate.md',
  'docs/guides/meter.md',
  'docs/guides/which-keeper.md',
  'docs/guides/track-stages.md',
  'packages/core/README.md',
  'packages/govern/README.md',
  'packages/keep/README.md',
  'packages/ledger/README.md',
  'packages/pipeline/README.md',
];
const examples = pages.flatMap((page) =>
  examplesOf(page).map((each) => [page, each.heading, each.code] as const),
);

describe.concurrent('examples', () => {
  test.each(examples)('%s: the example of %s prints what its comments say', async (_, __, code) => {
    const { lines, complaints } = await runExample(code);
    expect(complaints).toBe('');
    expect(lines).toEqual(expectedLines(code));
  });
});

test.each(keepers)('%s shows an example, then the promises, and ends with its limits in a box', (page) => {
  const source = readFileSync(resolve(root, page), 'utf8');
  expect([...source.matchAll(/^## (.+)$/gm)].map((match) => match[1])).toEqual([
    'Example',
    'What it promises',
  ]);
  expect(source).toMatch(/\n> \*\*What it cannot do\.\*\*(\n>.*)+\n$/);
  expect(examplesOf(page)).not.toEqual([]);
});

test.each(
  readdirSync(resolve(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.md'),
  ),
)('docs/%s has its limits in a box, after what it can do', (page) => {
  const source = readFileSync(resolve(root, 'docs', page), 'utf8');
  expect(source.match(/^#+ What .*cannot.*/gm)).toBeNull();
});

/** The entries that docs/reference/api.md promises to show completely. */
const entries = [
  'core',
  'core/meter',
  'core/units',
  'core/keeper',
  'core/testing',
  'keep',
  'govern',
  'testkit',
  'isolate',
  'pipeline',
  'ledger',
];

test.each(entries)('docs/reference/api.md has every name of @plimsoll/%s', (entry) => {
  const dump = readFileSync(resolve(root, `packages/${entry.split('/')[0]}/api.d.ts`), 'utf8');
  const names = new RegExp(`^// @plimsoll/${entry}: (.*)$`, 'm').exec(dump)?.[1]?.split(' ') ?? [];
  const page = readFileSync(resolve(root, 'docs/reference/api.md'), 'utf8');
  const part = page.split(`\n## @plimsoll/${entry}\n`)[1]?.split(/^## /m)[0] ?? '';
  expect(names.length).toBeGreaterThan(4);
  expect(names.filter((name) => !part.includes(`\`${name}\``))).toEqual([]);
});

test('a name in a heading of docs/reference/api.md is used by its example', () => {
  const idle = examplesOf('docs/reference/api.md').flatMap(({ heading, code }) =>
    [...heading.matchAll(/`(\w+)`/g)]
      .map((match) => match[1] as string)
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(code)),
  );
  expect(idle).toEqual([]);
});
