import { expect, test } from 'vitest';
import { codedBounds } from './coded-bounds.ts';

const cache = new Map<string, number>();
const history: string[] = [];
const state = { cache, limits: { pages: 700 } };
const scopes = [
  { history, most: 300 },
  { cache, state, text: 'ten', most: 9 },
];
const boundsIn = (text: string): readonly (readonly [object, number])[] =>
  codedBounds(text, scopes).map(({ container, bound }) => [container, bound]);

test('a branch that takes entries out when there are too many is a bound', () => {
  expect(boundsIn('if (cache.size > most) cache.delete(cache.keys().next().value);')).toEqual([[cache, 300]]);
  expect(boundsIn('while (history.length >= 1_000) history.shift();')).toEqual([[history, 1000]]);
  expect(boundsIn('e => { if (state.limits.pages < state.cache.size) { state.cache.clear(); } }')).toEqual([
    [cache, 700],
  ]);
  expect(
    boundsIn('if (cache.size > most) {\n  const [oldest] = cache.keys();\n  cache.delete(oldest);\n}'),
  ).toEqual([[cache, 300]]);
  expect(boundsIn('cache.size>most&&cache.delete(k);')).toEqual([[cache, 300]]);
  expect(boundsIn('if (history.length > 50) history.length = 50;')).toEqual([[history, 50]]);
  expect(boundsIn('if (history.length > 50)\n  history = history.slice(-50);')).toEqual([[history, 50]]);
});

test('what does not take entries out of the same container there is none', () => {
  for (const text of [
    // Another container, a refusal, a removal for another reason.
    'if (cache.size > most) history.shift();',
    'if (cache.size > most) return busy(); cache.set(id, call); cache.delete(id);',
    'if (cache.size > most) { return cache.delete(id); }',
    'if (cache.size > most) { warn(cache.size); } cache.delete(id);',
    'if (cache.size > most) warn(); cache.delete(id);',
    // A comparison with a sum, with a text, with something unknown, with zero, with another field of the same name.
    'if (cache.size > most * 2) cache.clear();',
    'if (2 * most < cache.size) cache.clear();',
    'if (cache.size > text) cache.clear();',
    'if (cache.size > unknown) cache.clear();',
    'if (cache.size > 0) cache.clear();',
    'if (other.cache.size > most) other.cache.clear();',
    'if (cache.size < most) cache.delete(id);',
    'if (cache.size === most) cache.delete(id);',
    `if (cache.size > most) cache.clear();${' '.repeat(20_000)}`,
  ])
    expect(boundsIn(text), text).toEqual([]);
});

test('no getter is run for a bound', () => {
  const secret = {
    get most(): number {
      throw new Error('never');
    },
  };
  expect(codedBounds('if (cache.size > secret.most) cache.clear();', [{ cache, secret }])).toEqual([]);
});
