import { expect, test } from 'vitest';
import { ScopeTotals } from './scope-totals.ts';

test('a row per kind and name', () => {
  const totals = new ScopeTotals();
  const row = totals.row('session', 'a');
  expect(totals.row('session', 'a')).toBe(row);
  expect(totals.row('tool', 'a')).not.toBe(row);
  expect([...totals].map(({ kind, name }) => `${kind}:${name}`)).toEqual(['session:a', 'tool:a']);
});

test('a thousand names per kind, then one row for the others', () => {
  const totals = new ScopeTotals();
  for (let at = 0; at < 5_000; at += 1) totals.row('session', `${at}`).opened += 1;
  const rows = [...totals];
  expect(rows).toHaveLength(1_001);
  expect(rows.at(-1)).toMatchObject({ kind: 'session', name: '(other)', opened: 4_000 });
  expect(totals.row('session', '7').opened).toBe(1);
});

test('a hundred kinds, then one for the others', () => {
  const totals = new ScopeTotals();
  for (let at = 0; at < 300; at += 1) totals.row(`kind-${at}`, 'same').opened += 1;
  const rows = [...totals];
  expect(rows).toHaveLength(101);
  expect(rows.at(-1)).toMatchObject({ kind: '(other)', name: 'same', opened: 200 });
});
