import { expect, test } from 'vitest';
import { groupOf } from './scope-groups.ts';

test('roots of one shape are one group, and a hundred thousand dictionaries make no more of them', () => {
  expect(groupOf('run', [{ id: 1, steps: [], at: 0 }])).toBe('run id steps at');
  expect(groupOf('run', [{ id: 2, steps: [], at: 1, more: 1 }])).toBe('run id steps at');
  expect(groupOf('run', [])).toBe('run');
  expect(groupOf('run', [new Proxy({}, {})])).toBe('run');
  expect(groupOf('run', [Object.create(null) as object])).toBe('run');
  const word = (i: number): string =>
    i.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] as string);
  const names = new Set(
    Array.from({ length: 100_000 }, (_, i) => groupOf('tags', [{ [`tag${word(i)}`]: i }])),
  );
  expect(names.size).toBeLessThan(5000);
  expect(groupOf('later', [{ id: 1 }])).toBe('later');
});
