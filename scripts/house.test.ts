/** Rules of the house that the linter has no rule for. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cyclesOf, edgesOf, pastProtocol, sources, forbiddenOf } from './folder-graph.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = sources(root);

test('no folder imports one that imports it, no room one that is closed to it, and nobody goes past the protocol', () => {
  const edges = edgesOf(files, read);
  expect(cyclesOf(edges)).toEqual([]);
  expect(forbiddenOf(edges)).toEqual([]);
  expect(pastProtocol(edges)).toEqual([]);
});

test('private members are # members; only a constructor can be private', () => {
  const found = files.flatMap((file) =>
    [...read(file).matchAll(/^\s*(?:static |readonly )?private (?!constructor\().*$/gm)].map(
      ([line]) => `${file}: ${line.trim()}`,
    ),
  );
  expect(found).toEqual([]);
});

test('an example imports public entries only, as a user would', () => {
  const found = globSync('examples/*/src/**/*.ts', { cwd: root })
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) => /'(?:@plimsoll\/\w+|plimsoll)\/internal\//.test(read(file)));
  expect(found).toEqual([]);
});

test('an exported type has a name of its own', () => {
  const places = new Map<string, string[]>();
  for (const file of files.filter((name) => !/\.(test|fixture)\.tsx?$/.test(name)))
    for (const [, name] of read(file).matchAll(/^export (?:abstract )?(?:interface|type|class) (\w+)/gm))
      places.set(name as string, [...(places.get(name as string) ?? []), file]);
  expect([...places].filter(([, where]) => where.length > 1)).toEqual([]);
});

const dumps = readdirSync(join(root, 'packages')).map((name) => read(`packages/${name}/api.d.ts`));

test('the printed API of all packages can be read in a review', () => {
  expect(dumps.reduce((sum, text) => sum + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(2000);
});

test('an entry of a package has at most 25 names', () => {
  const entries = dumps.flatMap((text) => [...text.matchAll(/^\/\/ (@?plimsoll\S*): (.*)$/gm)]);
  const large = entries.filter(([, , names]) => (names as string).split(' ').length > 25);
  expect(large.map(([, entry]) => entry)).toEqual([]);
});
