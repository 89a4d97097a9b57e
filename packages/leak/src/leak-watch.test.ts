import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, test } from 'vitest';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import type { Finding } from './findings/finding.ts';
import { frameOf } from '../../host/src/protocol/frame.fixture.ts';
import type { Forecast } from './judge/forecast.ts';
import { LeakWatch } from './leak-watch.ts';
import type { GrowthRecorder } from './proof/growth-recorder.ts';

type LingeringScope = ReturnType<Roster['lingering']> extends Iterable<infer Each> ? Each : never;

/** A roster of closed sessions that something still refers to. */
function rosterOf(lingering: LingeringScope[], epoch: () => number): Roster {
  return {
    watched: () => [],
    roots: () => [],
    count: 1,
    lingering: () => lingering,
    get majorGcEpoch() {
      return epoch();
    },
    opened: 7,
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
  const watch = new LeakWatch({
    roster: rosterOf(lingering, () => epoch),
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    now: () => now,
    onFinding: (finding) => found.push(finding),
  });
  const tick = (at: number): void => {
    now = at;
    watch.take({ ...frameOf().reading, pressures: [], at, loopUtilization: 0.1, majors: epoch });
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
    `"release the closed session: a map entry, a listener, a timer or a promise that never settles still holds it."`,
  );
  expect(found[0]?.subject).toBe('the closed session');
  lingering.push({ ...(lingering[0] as LingeringScope), id: 4 });
  for (; epoch < 24; epoch++) tick(epoch * 6000);
  expect(watch.findings[0]?.count).toBe(4);
  // A larger number alone is no news for whoever listens.
  expect(found).toHaveLength(1);
  // All of them are gone: they were late, not leaked. What survives afterwards is told again.
  const late = lingering.splice(0);
  for (; epoch < 28; epoch++) tick(epoch * 6000);
  expect(watch.findings[0]).toMatchObject({ severity: 'info', endedAt: expect.any(Number) });
  lingering.push(...late);
  for (; epoch < 40; epoch++) tick(epoch * 6000);
  expect(watch.findings[0]).toMatchObject({ severity: 'medium', count: 4 });
  expect(watch.findings[0]?.endedAt).toBeUndefined();
});

test('what is watched at the end is decided there', () => {
  let end: (() => void) | undefined;
  const wanted: number[] = [];
  const recorder = {
    onEnd: (listener: () => void) => (end = listener),
    onPair: () => undefined,
    want: (since: number) => wanted.push(since),
  } as unknown as GrowthRecorder;
  const watched = {
    label: 'state',
    scopePath: 'process/session:1',
    kind: 'session',
    closedAt: 1,
    majorGcEpoch: 0,
  };
  const watch = new LeakWatch({
    roster: { ...rosterOf([], () => 3), watched: () => [watched], majorGcEpoch: 3 } as unknown as Roster,
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    recorder,
  });
  watch.start();
  end?.();
  expect(watch.findings).toMatchObject([
    { kind: 'survivor', subject: '"state" of the closed session', count: 1 },
  ]);
  expect(wanted).toEqual([1]);
});

test('earlier runs are read once, minutes after the start, and may be missing', () => {
  let now = 0;
  let reads = 0;
  const watch = new LeakWatch({
    roster: rosterOf([], () => 0),
    budgetBytes: 1e9,
    attributedBytes: () => 0,
    now: () => now,
    history: () => {
      reads++;
      return Promise.reject(new Error('no ledger'));
    },
  });
  for (const minutes of [0, 4, 5, 6, 60]) {
    now = minutes * 60_000;
    watch.take({ ...frameOf().reading, pressures: [], at: now });
    expect(reads).toBe(minutes < 5 ? 0 : 1);
  }
});

const minuteMs = 60_000;
const limit = 420e6;

interface Growing {
  readonly watch: LeakWatch;
  readonly told: string[];
  readonly heard: string[];
  readonly forecasts: (Forecast | null)[];
}

/** A server whose floor grows by 4 MB an hour, from 200 MB towards 420 MB, as its host sees it. */
function grow(hours: number, growHours = hours): Growing {
  const [told, heard]: string[][] = [[], []] as [string[], string[]];
  const forecasts: (Forecast | null)[] = [];
  const listen = (message: unknown): void => void heard?.push((message as Finding).severity);
  let now = 0;
  const watch = new LeakWatch({
    roster: rosterOf([], () => 0),
    budgetBytes: limit,
    attributedBytes: () => 0,
    now: () => now,
    onFinding: ({ severity }) => void told?.push(severity),
  });
  subscribe('plimsoll:finding', listen);
  for (let minute = 0; minute < hours * 60; minute++) {
    now = minute * minuteMs;
    const floor = 200e6 + 4e6 * Math.min(growHours, minute / 60) + 3e5 * Math.sin(minute / 7);
    watch.take({
      ...frameOf().reading,
      at: now,
      floor,
      floorAgeMs: 0,
      majors: Math.floor(minute / 5) + 1,
      heapUsed: floor,
      used: floor,
      limit,
      pressures: [{ source: 'heap', used: floor, limit }] as never,
      loopUtilization: 0.1,
    });
    forecasts.push(watch.forecast);
  }
  unsubscribe('plimsoll:finding', listen);
  return { watch, told: told as string[], heard: heard as string[], forecasts };
}

test('forty hours of growth are one finding whose severity rises, the same for channel, ledger and frame', () => {
  const { watch, told, heard, forecasts } = grow(40);
  expect(heard).toEqual(['low', 'medium']);
  expect(told).toEqual(heard);
  expect(watch.findings.map(({ severity }) => severity)).toEqual(['medium']);
  const last = forecasts.at(-1);
  expect(last).toMatchObject({ source: 'heap' });
  // 60 MB are left at 4 MB an hour.
  expect(last?.ms).toBeGreaterThan(7 * 60 * minuteMs);
  expect(last?.ms).toBeLessThan(30 * 60 * minuteMs);
  expect(watch.findings[0]?.exhaustsIn?.ms).toBeGreaterThan(0);
});

test('growth that ended is taken back, and listeners hear it', () => {
  const { watch, heard } = grow(160, 30);
  expect(heard.at(-1)).toBe('info');
  expect(watch.findings).toMatchObject([{ severity: 'info', endedAt: expect.any(Number) as number }]);
  expect(watch.isLeaking).toBe(false);
});
