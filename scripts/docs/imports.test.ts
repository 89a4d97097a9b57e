import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allPages } from './links.ts';

const root = resolve(import.meta.dirname, '../..');

/** The public names of every entry, from the committed dumps of the API. */
function publicNames(): ReadonlyMap<string, ReadonlySet<string>> {
  const dumps = globSync('packages/*/api.d.ts', { cwd: root }).map((file) =>
    readFileSync(resolve(root, file), 'utf8'),
  );
  const lines = dumps.flatMap((dump) => [...dump.matchAll(/^\/\/ (@plimsoll\/[\w/-]+|plimsoll): (.*)$/gm)]);
  return new Map(lines.map(([, entry, names]) => [entry as string, new Set((names as string).split(' '))]));
}

/** Names that the examples of a page import from our packages, as `entry name`. Files under `internal` carry no promise and are left out. */
function importsOf(text: string): readonly (readonly [entry: string, name: string])[] {
  return [...text.matchAll(/^import (?:type )?\{([^}]*)\} from '(@plimsoll\/[^']+|plimsoll)';/gm)]
    .filter(([, , entry]) => entry?.includes('/internal/') !== true)
    .flatMap(([, names, entry]) =>
      (names as string)
        .split(',')
        .map(
          (name) =>
            name
              .replace(/^\s*type /, '')
              .trim()
              .split(' as ')[0] as string,
        )
        .filter((name) => name !== '')
        .map((name) => [entry as string, name] as const),
    );
}

test.each(allPages())('the examples of %s import public names only', (page) => {
  const known = publicNames();
  const unknown = importsOf(readFileSync(resolve(root, page), 'utf8')).filter(
    ([entry, name]) => known.get(entry)?.has(name) !== true,
  );
  expect(unknown.map(([entry, name]) => `${name} of ${entry}`)).toEqual([]);
});
