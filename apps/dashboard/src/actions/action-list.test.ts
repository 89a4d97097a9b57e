import { expect, test } from 'vitest';
import type { ActionRow } from '@plimsoll/host/protocol/frame';
import type { AuditRow } from '@plimsoll/host/protocol/api';
import { actionOf, freedShare, grouped, mergedActions } from './action-list.ts';

const live: ActionRow = {
  id: 'a1',
  at: 50,
  action: 'evict-idle',
  scope: 'process/agent:a',
  level: 'warning',
  mode: 'enforce',
  outcome: 'done',
  text: 'evicted 2',
  rule: 'ladder.warning[0]',
  freedBytes: 100,
};
const entry = (seq: number, body: AuditRow['body']): AuditRow => ({
  seq,
  at: seq,
  kind: 'action',
  scope: 'process',
  body,
});

test('each action is shown once, the newer word wins, newest first', () => {
  const past = [entry(1, { ...live, outcome: 'settling', freedBytes: null }), entry(2, { action: 'notify' })];
  expect(mergedActions(past, [live]).map(({ id, outcome, freedBytes }) => [id, outcome, freedBytes])).toEqual(
    [
      ['a1', 'done', 100],
      ['seq-2', 'done', null],
    ],
  );
});

test('an entry that names no action is left out', () => {
  expect(actionOf(entry(1, { text: 'hello' }))).toBeUndefined();
  expect(mergedActions([entry(1, {})], [])).toEqual([]);
});

test('an outcome that is not known is not shown as such', () => {
  expect(actionOf(entry(3, { action: 'x', outcome: '<b>' }))).toMatchObject({
    outcome: 'done',
    scope: 'process',
    level: 'normal',
  });
});

test('bars are against the largest', () => {
  const small = { ...live, freedBytes: 25 };
  expect(freedShare(small, [live, small])).toBe(0.25);
  expect(freedShare({ ...live, freedBytes: -5 }, [live])).toBe(0);
  expect(freedShare({ ...live, freedBytes: null }, [])).toBe(0);
});

test('repeated notices are one group, and bytes of a group are added up', () => {
  const row = (id: string, at: number, changes: Partial<ActionRow>): ActionRow => ({
    ...live,
    id,
    at,
    ...changes,
  });
  const minute = 60_000;
  const groups = grouped([
    row('n3', 20 * minute, { action: 'notify', scope: 'process/session:3', freedBytes: null }),
    row('p2', 19 * minute, { freedBytes: 30, scope: 'process/session:2' }),
    row('n2', 18 * minute, { action: 'notify', scope: 'process/session:2', freedBytes: null }),
    row('p1', 17 * minute, { freedBytes: -50 }),
    row('n1', 1 * minute, { action: 'notify', freedBytes: null }),
  ]);
  expect(
    groups.map(({ newest, rows, scopes, freedBytes }) => [newest.id, rows.length, scopes.length, freedBytes]),
  ).toEqual([
    ['n3', 2, 2, null],
    ['p2', 2, 2, 30],
    ['n1', 1, 1, null],
  ]);
});
