import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { policyDocument } from './document.ts';
import { keyTable } from './key-table.fixture.ts';
import { checkPolicy } from './parse.ts';

const docs = new URL('../../../../docs/', import.meta.url);
const page = readFileSync(new URL('reference/policy.md', docs), 'utf8');

test('docs/reference/policy.md has the table of all keys as the loader knows them', () => {
  const table = page.slice(page.indexOf('| key | value | meaning |')).split('\n\n')[0]?.trim();
  expect(table).toBe(keyTable());
});

/** The keys at the top of a policy; other YAML of the guides (Kubernetes, GitHub, recipes) has others. */
const sections = new Set(Object.keys(policyDocument.keys));

/** The policies, whole or in part, that the pages show. */
const examples = [
  'reference/policy.md',
  ...readdirSync(new URL('guides/', docs)).map((name) => `guides/${name}`),
].flatMap((name) =>
  [...readFileSync(new URL(name, docs), 'utf8').matchAll(/^```yaml\n([^]*?)^```/gm)]
    .map((match) => [name, match[1] as string] as const)
    .filter(([, text]) => Object.keys(parse(text) as object).every((key) => sections.has(key))),
);

test('every policy of the reference and the guides is accepted', () => {
  expect(new Set(examples.map(([name]) => name)).size).toBeGreaterThan(8);
  const refused = examples.flatMap(([name, text]) => {
    const whole = /^apiVersion/m.test(text) ? text : `apiVersion: plimsoll/v1\n${text}`;
    return checkPolicy(whole, name).problems.map(String);
  });
  expect(refused).toEqual([]);
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
