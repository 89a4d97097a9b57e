import { expect, test } from 'vitest';
import type { AuditRow } from '@plimsoll/host/protocol/api';
import { rollbackState } from './rollback-state.ts';

const entry = (seq: number, body: AuditRow['body'], kind = 'policy'): AuditRow => ({
  seq,
  at: seq,
  kind,
  scope: 'process',
  body,
});
const rollback = entry(2, {
  event: 'rollback',
  trigger: 'growth',
  text: 'the floor rose by 41 %',
  by: null,
  from: { revision: 4, mode: 'enforce' },
  to: { revision: 3, mode: 'shadow' },
});

test('a rollback stands until the policy is said anew', () => {
  expect(rollbackState([entry(1, { event: 'reload', revision: 4 }), rollback])).toEqual({
    at: 2,
    from: 4,
    to: 3,
    mode: 'shadow',
    text: 'the floor rose by 41 %',
    by: null,
  });
  expect(rollbackState([rollback, entry(3, { event: 'reload', revision: 5 })])).toBeUndefined();
  expect(rollbackState([rollback, entry(3, { event: 'mode' })])).toBeUndefined();
});

test('entries of other kinds and unknown bodies say nothing', () => {
  expect(rollbackState([])).toBeUndefined();
  expect(rollbackState([rollback, entry(3, {}, 'level')])?.from).toBe(4);
  expect(rollbackState([entry(1, { event: 'rollback', by: 'alice' })])).toEqual({
    at: 1,
    from: null,
    to: null,
    mode: '',
    text: '',
    by: 'alice',
  });
});
