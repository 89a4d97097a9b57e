import type { RestartEntry } from '@plimsoll/govern/internal/restart/restart-log';
import { expect, test } from 'vitest';
import { begunBy, nextLife, nextLifeText } from './next-life.ts';
import type { NextLifeFacts } from './next-life.ts';

const now = Date.UTC(2026, 10, 15, 10);
const entry: RestartEntry = {
  at: now - 1000,
  pid: 41,
  phase: 'parked',
  reason: 'the heap stays at 96 %',
  exitBy: now,
  sessions: 5,
  parked: 4,
  lost: 1,
  interrupted: 0,
};
const facts: NextLifeFacts = {
  life: { pid: 41, startedAt: now - 60_000 },
  log: { v: 1, entries: [entry] },
  restarts: [],
  now,
  mostPerHour: 3,
  isStopping: false,
};

test('a life that drained to its end is followed by another at once', () => {
  expect(nextLife(facts)).toEqual({ step: 'start', afterMs: 0, entry });
  expect(nextLife({ ...facts, restarts: [now - 9000, now - 5000] })).toMatchObject({ afterMs: 0 });
});

test('one that ended in the middle of its drain is followed by another after a pause that doubles', () => {
  const log = { v: 1 as const, entries: [{ ...entry, phase: 'begun' as const }] };
  const cut: NextLifeFacts = { ...facts, log };
  expect(nextLife(cut)).toMatchObject({ step: 'start', afterMs: 500 });
  expect(nextLife({ ...cut, restarts: [now - 9000, now - 5000] })).toMatchObject({ afterMs: 2000 });
  const many = Array.from({ length: 20 }, (_, i) => now - i);
  expect(nextLife({ ...cut, restarts: many, mostPerHour: 100 })).toMatchObject({ afterMs: 30_000 });
});

test('anything else ends it: another exit, another process, somebody who stops us, restarts turned off', () => {
  const ends = [
    { ...facts, log: { v: 1 as const, entries: [] } },
    { ...facts, life: { pid: 42, startedAt: now - 60_000 } },
    { ...facts, life: { pid: 41, startedAt: now } },
    { ...facts, log: { v: 1 as const, entries: [{ ...entry, resumedBy: 43 }] } },
    { ...facts, log: { v: 1 as const, entries: [{ ...entry, phase: 'died' as const }] } },
    { ...facts, isStopping: true },
    { ...facts, mostPerHour: 0 },
  ];
  expect(ends.map((each) => nextLife(each).step)).toEqual(ends.map(() => 'end'));
  expect(begunBy(facts.life, facts.log)).toBe(entry);
});

test('too many in an hour are given up; older ones are forgotten', () => {
  const restarts = [now - 3000, now - 2000, now - 1000];
  expect(nextLife({ ...facts, restarts })).toEqual({ step: 'give-up', entry });
  expect(nextLife({ ...facts, restarts: [now - 3_700_000, ...restarts.slice(1)] }).step).toBe('start');
});

test('what is said', () => {
  expect(nextLifeText({ step: 'start', afterMs: 0, entry }, 'node server.js', 3, 1)).toContain(
    '1 now: the heap',
  );
  expect(nextLifeText({ step: 'start', afterMs: 1000, entry }, 'node server.js', 3, 2)).toMatchInlineSnapshot(
    `"2 in 1 s: the heap stays at 96 %; 4 sessions parked"`,
  );
  expect(nextLifeText({ step: 'give-up', entry }, 'node server.js', 3, 4)).toMatchInlineSnapshot(
    `"given up: PLM_RESTART_TOO_OFTEN: "node server.js" ended to be restarted 3 times within 1 h and is not started again. fix: look for what fills it (plimsoll ledger summary), raise its limit, or allow more with --restarts."`,
  );
});
