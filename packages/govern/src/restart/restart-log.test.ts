import { expect, test } from 'vitest';
import type { RestartEntry, RestartLog } from './restart-log.ts';
import { emptyLog, incidentOf, parseRestartLog, restartTimes, resumeFrom, withEntry } from './restart-log.ts';

const at = Date.UTC(2026, 10, 15, 10);
const entry: RestartEntry = {
  at,
  pid: 41,
  phase: 'parked',
  reason: 'the heap stays at 96 % of its limit',
  exitBy: at + 30_000,
  sessions: 215,
  parked: 212,
  lost: 3,
  interrupted: 2,
};
const logOf = (...entries: RestartEntry[]): RestartLog => ({ v: 1, entries });
const told = (changes: Partial<RestartEntry>): string | undefined =>
  resumeFrom(logOf({ ...entry, ...changes }), 42, at + 41_000)?.resume.text;

test('the next life tells how the last ended and what became of its sessions', () => {
  expect(told({})).toMatchInlineSnapshot(
    `"last exit: restart (the heap stays at 96 % of its limit), 41 s ago; 212 sessions parked, 2 of them in the middle of a turn, 3 lost"`,
  );
  expect(told({ phase: 'begun', parked: 0, lost: 0, interrupted: 0 })).toMatchInlineSnapshot(
    `"last exit: restart cut short while it drained (the heap stays at 96 % of its limit), 41 s ago; 0 sessions parked, 215 lost"`,
  );
  expect(
    told({
      phase: 'died',
      reason: 'suspected out of memory',
      parked: 0,
      lost: 0,
      interrupted: 0,
      sessions: 1,
    }),
  ).toMatchInlineSnapshot(`"last exit: suspected out of memory, 41 s ago; 0 sessions parked, 1 lost"`);
  expect(told({ sessions: 0, parked: 0, lost: 0, interrupted: 0 })).toMatchInlineSnapshot(
    `"last exit: restart (the heap stays at 96 % of its limit), 41 s ago; no session was open"`,
  );
  expect(told({ sessions: 1, parked: 1, lost: 0, interrupted: 0 })).toContain('; 1 session parked, 0 lost');
});

test('it is told once', () => {
  const first = resumeFrom(logOf(entry), 42, at);
  expect(first?.resume).toMatchObject({ parked: 212, lost: 3, interrupted: 2, phase: 'parked' });
  expect(resumeFrom(first?.log as RestartLog, 43, at)).toBeUndefined();
  expect(resumeFrom(emptyLog, 43, at)).toBeUndefined();
});

test('the phases of one restart are one entry; another life is another', () => {
  let log = withEntry(emptyLog, { ...entry, phase: 'begun' });
  log = withEntry(log, entry);
  expect(log.entries).toEqual([entry]);
  log = (resumeFrom(log, 42, at) as { log: RestartLog }).log;
  // In a container every life has the same process id.
  log = withEntry(log, { ...entry, at: at + 1000, phase: 'begun' });
  expect(restartTimes(log)).toEqual({ restarts: [at, at + 1000], handovers: [] });
  log = withEntry(log, { ...entry, at: at + 2000, pid: 43, phase: 'died' });
  log = withEntry(log, { ...entry, at: at + 3000, pid: 44, isHanded: true });
  expect(restartTimes(log)).toEqual({ restarts: [at, at + 1000], handovers: [at + 3000] });
});

test('the log is bounded and survives what is not a log', () => {
  let log = emptyLog;
  for (let i = 0; i < 100; i++) log = withEntry(log, { ...entry, pid: i });
  expect(log.entries).toHaveLength(64);
  expect(parseRestartLog(JSON.stringify(log))).toEqual(log);
  for (const text of ['', '{', 'null', '5', '{"v":2,"entries":[]}', '{"v":1,"entries":5}'])
    expect(parseRestartLog(text)).toEqual(emptyLog);
  const broken = { v: 1, entries: [null, 5, { ...entry, at: 'x' }, { ...entry, phase: 'x' }, entry] };
  expect(parseRestartLog(JSON.stringify(broken)).entries).toEqual([entry]);
});

test('the incident of a life is for its next life, and only while it is fresh', () => {
  const incident = {
    id: 'I-1',
    revision: 3,
    level: 'emergency',
    openedAt: at - 1000,
    refused: 0,
    freedBytes: 0,
    peakUsedBytes: 10,
    restarts: 1,
  } as const;
  const log = parseRestartLog(JSON.stringify(logOf({ ...entry, incident })));
  expect(incidentOf(log, 41, at + 60_000)).toEqual(incident);
  expect(incidentOf(log, 41, at + 3_600_000)).toBeUndefined();
  // That life has not begun to end.
  expect(incidentOf(log, 40, at)).toBeNull();
  expect(incidentOf(logOf(entry), 41, at)).toBeUndefined();
  const broken = { ...incident, level: 'high' } as never;
  expect(incidentOf(logOf({ ...entry, incident: broken }), 41, at)).toBeUndefined();
});
