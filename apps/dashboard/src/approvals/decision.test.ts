import { expect, test } from 'vitest';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import type { SessionAnswer } from '@plimsoll/host/protocol/api';
import { decisionKey, evidenceName, expiryText, quorumText, whyNot } from './decision.ts';

const row = {
  id: '1',
  state: 'open',
  quorum: 2,
  onExpiry: 'deny',
  votes: [{ by: 'alice', decision: 'approve', at: 1, channel: 'cli', comment: '' }],
} as unknown as ApprovalRow;
const session: SessionAnswer = { live: true, canDecide: true, as: 'bob', version: '0.1.0', process: null };

test('who may decide is not told why not', () => {
  expect(whyNot(row, session, true)).toBeUndefined();
});

test.each<[string, Partial<ApprovalRow>, Partial<SessionAnswer> | null, boolean]>([
  ['It is denied.', { state: 'denied' }, {}, true],
  ['The server has not said who you are yet.', {}, null, true],
  ['The process is gone; this is history.', {}, { live: false }, true],
  ['The token of this tab may not decide. Paste another one above.', {}, { canDecide: false }, true],
  [
    'Deciding needs a token. Open the address that the server printed, with #token= at its end, or paste the token above.',
    {},
    { canDecide: false },
    false,
  ],
  ['You (alice) have decided; 1 of 2 needed have approved.', {}, { as: 'alice' }, true],
])('%s', (reason, change, sessionChange, hasToken) => {
  const known = sessionChange === null ? null : { ...session, ...sessionChange };
  expect(whyNot({ ...row, ...change }, known, hasToken)).toBe(reason);
});

test('what is at stake is said in words', () => {
  expect(quorumText({ ...row, quorum: 1 })).toBe('one answer decides');
  expect(expiryText(row)).toBe('Without an answer it is denied.');
  expect(evidenceName('projectedBytes')).toBe('projected');
  expect(evidenceName('usedRatio')).toBe('used');
  expect(evidenceName('idleSessions')).toBe('idle sessions');
});

test('no two keys are alike', () => {
  const keys = Array.from({ length: 100 }, decisionKey);
  expect(new Set(keys).size).toBe(100);
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
});
