import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { keyTable } from './key-table.fixture.ts';
import { parsePolicy } from './parse.ts';

const page = readFileSync(new URL('../../../../docs/policy.md', import.meta.url), 'utf8');

test('docs/policy.md has the table of all keys as the loader knows them', () => {
  const table = page.slice(page.indexOf('| key | value | meaning |')).split('\n\n')[0]?.trim();
  expect(table).toBe(keyTable());
});

test('every example of docs/policy.md is accepted', () => {
  const examples = [...page.matchAll(/```yaml\n([^]*?)```/g)].map((match) => match[1] as string);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples)
    expect(
      parsePolicy(/^apiVersion/m.test(example) ? example : `apiVersion: plimsoll/v1\n${example}`, 'p').file,
    ).toBe('p');
});
