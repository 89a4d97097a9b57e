import { expect, test } from 'vitest';
import { scopeRow } from './governed.fixture.ts';
import { scopePage } from './scope-page.ts';

const all = {
  at: 5,
  rows: Array.from({ length: 2500 }, (_, i) => ({ ...scopeRow(`process/session:${i}`), bytes: i })),
};
const asked =
  (query: Record<string, string>) =>
  (name: string): string | undefined =>
    query[name];

test('pages go from the heaviest scope to the last', () => {
  const first = scopePage(all, asked({}));
  expect([first.rows.length, first.total, first.next]).toEqual([1000, 2500, 1000]);
  expect(first.rows[0]?.path).toBe('process/session:2499');
  const last = scopePage(all, asked({ offset: '2000' }));
  expect([last.rows.length, last.next, last.rows.at(-1)?.path]).toEqual([500, null, 'process/session:0']);
  expect(scopePage(all, asked({ offset: '9000' })).rows).toEqual([]);
});

test('readers of the same answer share its first page', () => {
  expect(scopePage(all, asked({}))).toBe(scopePage(all, asked({ limit: '1000', offset: '0' })));
  expect(scopePage(all, asked({ limit: '3' })).rows).toHaveLength(3);
});

test('a limit out of bounds says what is accepted', () => {
  expect(() => scopePage(all, asked({ limit: '0' }))).toThrow('limit');
});
