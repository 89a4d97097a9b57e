import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ScriptFactsReader } from './script-facts.ts';
import { placeText } from './script-place.ts';

/** Line 1 column 20 of the bundle is `class SessionStore` in line 12 of its source, column 60 comes from a package. */
const map = {
  version: 3,
  sources: ['../src/store.ts', '../node_modules/lru-cache/dist/index.js'],
  names: ['SessionStore'],
  // Segments [20, 0, 11, 0, 0] and [60, 1, 48, 0].
  mappings: 'oBAWAA,wCCqCA',
};

function bundle(comment: (mapText: string) => string): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-facts-'));
  mkdirSync(join(dir, 'dist'));
  mkdirSync(join(dir, 'node_modules/lru-cache/dist'), { recursive: true });
  writeFileSync(
    join(dir, 'node_modules/lru-cache/package.json'),
    JSON.stringify({ name: 'lru-cache', version: '11.2.1' }),
  );
  writeFileSync(join(dir, 'dist/server.js'), `${'x'.repeat(5000)}\n${comment(JSON.stringify(map))}\n`);
  writeFileSync(join(dir, 'dist/server.js.map'), JSON.stringify(map));
  return dir;
}

test.each([
  ['beside it', () => '//# sourceMappingURL=server.js.map'],
  [
    'inside of it',
    (text: string) =>
      `//# sourceMappingURL=data:application/json;base64,${Buffer.from(text.padEnd(9000)).toString('base64')}`,
  ],
])('a place in a bundle is told by the map %s', (_, comment) => {
  const dir = bundle(comment);
  const reader = new ScriptFactsReader();
  const script = pathToFileURL(join(dir, 'dist/server.js')).href;
  const own = reader.of(script, 0, 20);
  expect(own).toEqual({ source: { file: join(dir, 'src/store.ts'), line: 12, name: 'SessionStore' } });
  expect(placeText('dist/server.js:1', own)).toMatch(/src\/store\.ts:12 SessionStore$/);
  const packaged = reader.of(script, 0, 60);
  expect(packaged).toMatchObject({ source: { line: 49, name: undefined }, package: 'lru-cache 11.2.1' });
  expect(placeText('dist/server.js:1', packaged)).toBe('lru-cache/dist/index.js:49 (lru-cache 11.2.1)');
});

test('code of a package without a map has the version of its package', () => {
  const dir = bundle(() => '');
  const facts = new ScriptFactsReader().of(join(dir, 'node_modules/lru-cache/dist/index.js'), 48, 0);
  expect(facts).toEqual({ package: 'lru-cache 11.2.1' });
  expect(placeText('lru-cache/dist/index.js:49', facts)).toBe(
    'lru-cache/dist/index.js:49 (lru-cache 11.2.1)',
  );
});

test('a script that is not here, or that has no map, has no facts', () => {
  const reader = new ScriptFactsReader();
  const dir = bundle(() => '//# sourceMappingURL=gone.map');
  expect(reader.of(join(dir, 'dist/server.js'), 0, 20)).toEqual({});
  expect(reader.of(join(dir, 'dist'), 0, 0)).toEqual({});
  expect(reader.of('node:events', 1, 1)).toEqual({});
  expect(reader.of('/nowhere/node_modules/ai/dist/index.js', 1, 1)).toEqual({});
  expect(reader.of('file://elsewhere/x.js', 1, 1)).toEqual({});
  expect(placeText('app/src/server.ts:3', {})).toBe('app/src/server.ts:3');
});
