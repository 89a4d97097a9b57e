import { expect, test } from 'vitest';
import { retryDelayMs } from './connect.ts';
import { ageOf, idleOf, KnownScopes } from './known-scopes.ts';
import { tokenIn } from './token.ts';
import type { ScopeRow } from '@plimsoll/host/protocol/frame';

function row(path: string, bytes: number): ScopeRow {
  return {
    path,
    kind: 'session',
    bytes,
    by: 'census',
    measuredAt: 0,
    spread: null,
    peakBytes: bytes,
    budgetBytes: null,
    level: 'normal',
    ageMs: 1000,
    idleMs: 10,
    leases: 0,
  };
}

test('attempts come at growing pauses, with an upper end', () => {
  expect([0, 1, 2, 9, 99].map((attempt) => retryDelayMs(attempt, 0.5))).toEqual([
    500, 1000, 2000, 10_000, 10_000,
  ]);
  expect(retryDelayMs(0, 0)).toBe(375);
  expect(retryDelayMs(0, 1)).toBe(625);
});

test('the table follows what changed and forgets what closed', () => {
  const table = new KnownScopes();
  table.apply({ at: 1, full: true, rows: [row('a', 1), row('b', 2)], gone: [] });
  table.apply({ at: 2, full: false, rows: [row('b', 5), row('c', 3)], gone: ['a'] });
  expect([...table.values()].map(({ row: { path, bytes } }) => [path, bytes])).toEqual([
    ['b', 5],
    ['c', 3],
  ]);
  table.apply({ at: 3, full: true, rows: [row('d', 1)], gone: [] });
  expect(table.size).toBe(1);
  table.clear();
  expect(table.get('d')).toBeUndefined();
});

test('a row that is not repeated ages', () => {
  const known = { row: row('a', 1), at: 5000 };
  expect(ageOf(known, 7000)).toBe(3000);
  expect(idleOf(known, 4000)).toBe(10);
});

test.each([
  ['#token=abc', 'abc'],
  ['#/approvals?id=1&token=abc', 'abc'],
  ['#/scopes', undefined],
  ['', undefined],
])('%s carries %s', (hash, token) => {
  expect(tokenIn(hash)).toBe(token);
});
