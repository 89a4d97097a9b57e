import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { keyTable } from './key-table.fixture.ts';
import { parsePolicy } from './parse.ts';

const page = readFileSync(new URL('../../../../docs/reference/policy.md', import.meta.url), 'utf8');

test('docs/reference/policy.md has the table of all keys as the loader knows them', () => {
  const table = page.slice(page.indexOf('| key | value | meaning |')).split('\n\n')[0]?.trim();
  expect(table).toBe(keyTable());
});

const governing = readFileSync(new URL('../../../../docs/guides/governing.md', import.meta.url), 'utf8');

test('every example of docs/reference/policy.md and docs/guides/governing.md is accepted', () => {
  const examples = [...`${page}${governing}`.matchAll(/```yaml\n([^]*?)```/g)].map(
    (match) => match[1] as string,
  );
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples)
    expect(
      parsePolicy(/^apiVersion/m.test(example) ? example : `apiVersion: plimsoll/v1\n${example}`, 'p').file,
    ).toBe('p');
});

test('every key of the table has an example in docs/reference/policy.md', () => {
  const paths = new Set<string>();
  for (const [, example] of page.matchAll(/```yaml\n([^]*?)```/g))
    collect(
      parse(`apiVersion: plimsoll/v1\n${(example as string).replace(/^apiVersion.*$/m, '')}`),
      '',
      paths,
    );
  const keys = keyTable()
    .split('\n')
    .slice(2)
    .map((row) => (/^\| `(.+?)` /.exec(row) as RegExpExecArray)[1] as string);
  expect(keys.length).toBeGreaterThan(100);
  const matcher = (key: string): RegExp =>
    new RegExp(`^${key.replaceAll('.', '\\.').replaceAll('*', '.+').replaceAll('NAME', '.+')}$`);
  expect(keys.filter((key) => ![...paths].some((path) => matcher(key).test(path)))).toEqual([]);
});

/** The paths of all keys of a document, lists left out. */
function collect(value: unknown, path: string, into: Set<string>): void {
  if (Array.isArray(value))
    for (const item of value) collect(typeof item === 'string' ? { [item]: null } : item, path, into);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const full = path === '' ? key : `${path}.${key}`;
      into.add(full);
      collect(inner, full, into);
    }
}
