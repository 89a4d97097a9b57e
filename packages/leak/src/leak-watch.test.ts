import { expect, test } from 'vitest';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import type { Finding } from './findings/finding.ts';
import { frameOf } from '../../host/src/protocol/frame.fixture.ts';
import { LeakWatch } from './leak-watch.ts';

type LingeringScope = ReturnType<Roster['lingering']> extends Iterable<infer Each> ? Each : never;

/** A roster of closed sessions that something still refers to. */
function rosterOf(lingering: LingeringScope[], epoch: () => number): Roster {
  return {
    watched: () => [],
    lingering: () => lingering,
    get majorGcEpoch() {
      return epoch();
    },
    totals: () => [{ kind: 'session', name: 'a', opened: 7, closed: 7, chargedBytes: 0, peakBytes: 0 }],
  } as unknown as Roster;
}

test('closed scopes that stay are found once, and told again when there are more', () => {
  const lingering: LingeringScope[] = [1, 2, 3].map((id) => ({
    id,
    path: `process/session:${id}`,
    kind: 'session',
    name: String(id),
    closedAt: 1,
    majorGcEpoch: 0,
  }));
  let epoch = 0;
  let now = 0;
  const found: Finding[] = [];
  const detection = new LeakWatch({
    roster: rosterOf(lingering, () => epoch),
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    mayProbe: false,
    now: () => now,
    onFinding: (finding) => found.push(finding),
  });
  const tick = (at: number): void => {
    now = at;
    detection.take({ ...frameOf().reading, at, loopUtilization: 0.1, majors: epoch });
  };
  tick(0);
  expect(found).toEqual([]);
  for (epoch = 1; epoch < 12; epoch++) tick(epoch * 6000);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({
    kind: 'survivor',
    severity: 'medium',
    count: 3,
    scope: 'process/session:1',
  });
  expect(found[0]?.fix).toMatchInlineSnapshot(
    `"let go of the closed session: a map entry, a listener, a timer or a promise that never settles still holds it."`,
  );
  expect(found[0]?.subject).toBe('the closed session');
  lingering.push({ ...(lingering[0] as LingeringScope), id: 4 });
  for (; epoch < 24; epoch++) tick(epoch * 6000);
  expect(found.at(-1)?.count).toBe(4);
  lingering.push({ ...(lingering[0] as LingeringScope), id: 5 });
  for (; epoch < 40; epoch++) tick(epoch * 6000);
  const finding = found.at(-1) as Finding;
  expect(detection.weigh(finding, 20 * 1024 ** 2)).toMatchObject({
    bytes: 100 * 1024 ** 2,
    severity: 'critical',
  });
  expect(detection.weigh({ ...finding, fingerprint: 'unknown' }, 1)).toMatchObject({ severity: 'medium' });
});

test('what is watched at the end is decided there', () => {
  const found: Finding[] = [];
  const watched = {
    label: 'state',
    scopePath: 'process/session:1',
    kind: 'session',
    closedAt: 1,
    majorGcEpoch: 0,
  };
  const detection = new LeakWatch({
    roster: { ...rosterOf([], () => 3), watched: () => [watched], majorGcEpoch: 3 } as unknown as Roster,
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    mayProbe: false,
    onFinding: (finding) => found.push(finding),
  });
  detection.conclude();
  expect(found).toMatchObject([{ kind: 'survivor', subject: '"state" of the closed session', count: 1 }]);
});

test('earlier runs are read once, minutes after the start, and may be missing', () => {
  let now = 0;
  let reads = 0;
  const detection = new LeakWatch({
    roster: rosterOf([], () => 0),
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    mayProbe: false,
    now: () => now,
    history: () => {
      reads++;
      return Promise.reject(new Error('no ledger'));
    },
    onFinding: () => undefined,
  });
  for (const minutes of [0, 4, 5, 6, 60]) {
    now = minutes * 60_000;
    detection.take({ ...frameOf().reading, at: now });
    expect(reads).toBe(minutes < 5 ? 0 : 1);
  }
});

test('growth that only the series shows is told, but as no alarm', () => {
  const found: Finding[] = [];
  let now = 0;
  const detection = new LeakWatch({
    roster: rosterOf([], () => 0),
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    mayProbe: true,
    now: () => now,
    onFinding: (finding) => found.push(finding),
  });
  const minuteMs = 60_000;
  for (let minute = 0; minute < 72 * 60 && found.length === 0; minute++) {
    now = minute * minuteMs;
    const floor = 100e6 + minute * 60_000;
    const majors = Math.floor(minute / 5) + 1;
    detection.take({
      ...frameOf().reading,
      at: now,
      floor,
      floorAgeMs: 0,
      majors,
      heapUsed: floor,
      loopUtilization: 0.1,
    });
  }
  expect(found[0]).toMatchObject({ kind: 'growth', severity: 'low' });
  expect(detection.growing).toMatchObject([{ channel: 'heap' }]);
});
