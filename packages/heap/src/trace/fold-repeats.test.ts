import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldRepeats } from './fold-repeats.ts';

interface Step {
  readonly key: string;
  readonly times: number;
}
const fold = (keys: string, isFixed?: (step: Step) => boolean): string =>
  foldRepeats(
    keys.split('').map((key) => ({ key, times: 1 })),
    (step) => step.key,
    (step, times) => ({ ...step, times }),
    isFixed,
  )
    .map((step) => (step.times === 1 ? step.key : `${step.key}${step.times}`))
    .join('');

test('runs of four and more fold, of one step or of several', () => {
  expect(fold('abbbbbc')).toBe('ab5c');
  expect(fold('abbbc')).toBe('abbbc');
  expect(fold('xababababy')).toBe('xa4b4y');
  expect(fold('abcabcabcabcabca')).toBe('a5b5c5a');
});

test('a fixed step ends a run', () => {
  expect(fold('aaaaaa', (step) => step.key === 'a')).toBe('aaaaaa');
});

test('what is folded stands for what was there', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c')), (keys) => {
      const folded = foldRepeats(
        keys.map((key) => ({ key, times: 1 })),
        (step) => step.key,
        (step, times) => ({ ...step, times }),
      );
      expect(folded.reduce((sum, step) => sum + step.times, 0)).toBe(keys.length);
    }),
  );
});
