/** Rules of the house that the linter has no rule for. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { cyclesOf, edgesOf, sources, upwardOf } from './folder-graph.ts';

const root = resolve(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const files = sources(root);

test('no folder imports one that imports it, and no package one after it', () => {
  const edges = edgesOf(files, read);
  expect(cyclesOf(edges)).toEqual([]);
  expect(upwardOf(edges)).toEqual([]);
});

test('private members are # members; only a constructor can be private', () => {
  const found = files.flatMap((file) =>
    [...read(file).matchAll(/^\s*(?:static |readonly )?private (?!constructor\().*$/gm)].map(
      ([line]) => `${file}: ${line.trim()}`,
    ),
  );
  expect(found).toEqual([]);
});

test('the printed API of all packages can be read in a review', () => {
  const dumps = readdirSync(join(root, 'packages')).map((name) => read(`packages/${name}/api.d.ts`));
  expect(dumps.reduce((sum, text) => sum + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(2400);
});
