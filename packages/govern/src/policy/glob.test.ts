import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bySpecificity, compileGlob, isTie, overlap } from './glob.ts';
import { editDistance, suggestion } from './form/suggestion.ts';

/** The same language as a regular expression, as an oracle. */
function asRegExp(glob: string): RegExp {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}

const letters = fc.string({ unit: fc.constantFrom('a', 'b', '-'), maxLength: 8 });
const globs = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?', '-'), minLength: 1, maxLength: 7 });

describe('globs', () => {
  test('match as their regular expressions do', () => {
    fc.assert(
      fc.property(globs, letters, (glob, name) => {
        expect(compileGlob(glob).matches(name)).toBe(asRegExp(glob).test(name));
      }),
      { numRuns: 5000, seed: 1 },
    );
  });

  test('a name that two globs match makes them overlap', () => {
    fc.assert(
      fc.property(globs, globs, letters, (a, b, name) => {
        const both = asRegExp(a).test(name) && asRegExp(b).test(name);
        expect(!both || overlap(a, b)).toBe(true);
        expect(overlap(a, b)).toBe(overlap(b, a));
      }),
      { numRuns: 5000, seed: 1 },
    );
  });

  test.each([
    ['rag-*', '*-web', true],
    ['rag-*', 'web-*', false],
    ['a*', 'ab*', false],
    ['a?', '?b', true],
    ['*', '**', true],
    ['a', 'a', true],
    ['a*b', 'a*c', false],
  ])('%s and %s are a tie: %s', (a, b, tie) => {
    expect(isTie(compileGlob(a), compileGlob(b))).toBe(tie);
  });

  test('an exact name beats a longer glob, more literal characters beat fewer', () => {
    const order = ['*', 'research-*', 'r*', 'res', 'research-?*'].map(compileGlob).sort(bySpecificity);
    expect(order.map(({ text }) => text)).toEqual(['res', 'research-?*', 'research-*', 'r*', '*']);
  });

  test('many stars take no exponential time', () => {
    const glob = compileGlob('a*'.repeat(50) + 'b');
    expect(glob.matches('a'.repeat(5000))).toBe(false);
  });
});

describe('suggestions', () => {
  test.each([
    ['maxx', 'max'],
    ['idel', 'idle'],
    ['MAX', 'max'],
    ['banana', undefined],
    ['', undefined],
  ])('%s', (word, near) => {
    expect(suggestion(word, ['max', 'priority', 'idle'])).toBe(near);
  });

  test('distance is a metric on short words', () => {
    fc.assert(
      fc.property(letters, letters, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
      { numRuns: 1000, seed: 1 },
    );
  });
});
