import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlimsollError } from '@plimsoll/core';
import { checkPolicy, positionOf } from './parse.ts';
import { fullPolicy } from './policy.fixture.ts';

const scraps = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ' ',
  '\n',
  '  ',
  '"',
  "'",
  '*',
  '&a ',
  '*a',
  '- ',
  '#',
  '%',
  '\t',
  '0',
  'é',
  '!!x ',
  '|',
  '? ',
];
const edit = fc.record({
  at: fc.nat(fullPolicy.length),
  cut: fc.nat(12),
  put: fc.oneof(
    fc.constantFrom(...scraps),
    fc.constantFrom('max', 'notify', '64', '60%', 'levels'),
    fc.constant(''),
  ),
});

test('a policy edited at random is accepted or refused with places in the file, never more', () => {
  let refused = 0;
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 4 }), (edits) => {
      let text = fullPolicy;
      for (const { at, cut, put } of edits) text = text.slice(0, at) + put + text.slice(at + cut);
      const { policy, problems } = checkPolicy(text, 'p.yaml');
      expect(policy === undefined).toBe(problems.length > 0);
      if (problems.length > 0) refused++;
      const lines = text.split('\n').length;
      for (const problem of problems) {
        expect(isPlimsollError(problem)).toBe(true);
        expect(problem.where).toMatch(/^p\.yaml:\d+:\d+/);
        expect(positionOf(problem).line).toBeLessThanOrEqual(lines);
        expect(String(problem)).not.toMatch(/undefined|NaN|\[object/);
      }
    }),
    { numRuns: 200, seed: 7 },
  );
  expect(refused).toBeGreaterThan(100);
});
