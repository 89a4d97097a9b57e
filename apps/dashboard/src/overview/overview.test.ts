import { expect, test } from 'vitest';
import type { AutopsyRow } from '@plimsoll/host/protocol/api';
import type { Finding, Forecast, KeeperRow } from '@plimsoll/host/protocol/frame';
import { frameOf, incidentOf } from '@plimsoll/host/internal/protocol/frame.fixture';
import { holdersOf } from '@plimsoll/host/protocol/text';
import { bandText } from '../text/forecast-text.ts';
import { autopsyFacts, containerLines, flightLines, grownLines, siteLines } from './autopsy.tsx';
import { fan, growthText, growthTitle } from './forecast-shape.ts';
import { factsText } from './incident.tsx';
import { metrics } from './metric-values.ts';
import { stateOf } from './signs.ts';

const finding = (changes: Partial<Finding>): Finding => ({
  id: 'f',
  kind: 'survivor',
  severity: 'high',
  scope: 'process',
  fingerprint: 'x',
  firstSeen: 0,
  lastSeen: 0,
  count: 3,
  bytes: 2 * 1024 ** 2,
  fix: '',
  ...changes,
});

const lines = (frame: ReturnType<typeof frameOf>): string[] =>
  metrics(frame).map(({ name, value, note, tone }) => `${name}: ${value} (${note}) ${tone}`);

test('the six metrics of a quiet server', () => {
  expect(lines(frameOf())).toMatchInlineSnapshot(`
    [
      "Memory used: 35 % (70.0 MiB of 200.0 MiB) plain",
      "Open scopes: 3 (2 sessions) plain",
      "Survivors: 0 (nothing of a closed scope stayed, no cycles either) plain",
      "GC effectiveness: – (not known) plain",
      "Cleanups: 0 (none was needed) plain",
      "Approvals asked: 0 (none waits for an answer) plain",
    ]
  `);
});

test('the six metrics of a server in need', () => {
  const frame = frameOf({
    level: 'critical',
    findings: [finding({}), finding({ kind: 'growth', count: 9 })],
    gcEffectiveness: 0.65,
    kinds: [{ kind: 'agent', open: 4, opened: 9, bytes: 1 }],
    governance: {
      actions: [],
      approvals: [{ state: 'open' } as never, { state: 'denied' } as never],
      admission: null,
      counts: { actions: 12, cleanups: 12, wouldHave: 3, freedBytes: 5 * 1024 ** 2, approvals: 2 },
    },
  });
  expect(lines(frame)).toMatchInlineSnapshot(`
    [
      "Memory used: 35 % (70.0 MiB of 200.0 MiB) critical",
      "Active agents: 4 (no other scope is open) plain",
      "Survivors: 3 (of closed scopes, 2.0 MiB) critical",
      "GC effectiveness: 65 % (of new memory was freed again; below 80 % memory piles up) critical",
      "Cleanups: 12 (freed 5.0 MiB, 3 more only written down) plain",
      "Approvals asked: 2 (1 to answer) warning",
    ]
  `);
});

test('the fan meets the limit at the forecast and widens around it', () => {
  const drawn = fan(
    [10, null, 20],
    40,
    { ms: 100, low: 50, high: 200 },
    { width: 300, height: 110, nowX: 90 },
  );
  expect(drawn.past).toBe('0,85 90,60');
  expect(drawn.limitY).toBe(10);
  expect(drawn.line).toBe('90,60 190,10');
  expect(drawn.band).toBe('90,60 140,10 290,10');
});

test('a limit that is reached and a band without an end are drawn without gaps', () => {
  const size = { width: 300, height: 110, nowX: 90 };
  const over = fan([60], 40, { ms: 0, low: 0, high: 0 }, size);
  expect(`${over.line} ${over.band} ${over.past}`).not.toContain('NaN');
  expect(bandText({ low: 30_000, high: null })).toBe('30 s or later');
  expect(bandText({ low: 30_000, high: 90_000 })).toBe('30 s to 1 m 30 s');
});

const shaped = (shape: string): Partial<ReturnType<typeof frameOf>> => ({
  growth: {
    channels: { heap: { shape, growthBytes: 2048, floors: 12, rate: { perHour: 4096, low: 1, high: 2 } } },
    sites: [{ function: 'record', file: 'file:///app/server.mjs', line: 41 }],
  } as never,
});

test.each([
  ['few', 'Not known yet', 'No forecast: it needs more major GCs to tell growth from noise (9 so far).'],
  ['flat', 'Not growing', '12 floors looked at: they do not rise.'],
  ['ended', 'Came to rest', '12 floors looked at: they rose by 2.0 KiB and came to rest.'],
  [
    'slowing',
    'Slowing down',
    '12 floors looked at: they rose by 2.0 KiB, more and more slowly, like a cache that fills up.',
  ],
  [
    'growing',
    'Growing',
    '12 floors looked at: they rose by 2.0 KiB, by 4.0 KiB per hour; record (server.mjs:41) allocates most of it.',
  ],
])('floors that are %s are told in a title and a sentence', (shape, title, text) => {
  expect(growthTitle(frameOf(shaped(shape)))).toBe(title);
  expect(growthText(frameOf(shaped(shape)))).toBe(text);
});

const told = (frame: ReturnType<typeof frameOf>): string[] => {
  const { tone, title, text, signs } = stateOf(frame);
  return [`${tone}: ${title}. ${text}`, ...signs.map((sign) => `${sign.tone}: ${sign.text} ${sign.page}`)];
};

test('a quiet process is told in one calm sentence', () => {
  expect(told(frameOf(shaped('flat')))).toEqual([
    'calm: All is well. 70.0 MiB of 200.0 MiB (35 %) used. What stays after a major GC does not rise (12 looked at).',
  ]);
  expect(told(frameOf())).toEqual([
    'calm: Nothing to do. 70.0 MiB of 200.0 MiB (35 %) used. Whether it grows is not known yet (9 major GCs so far).',
  ]);
});

test('near the limit with survivors nothing calms, whatever the floors look like', () => {
  for (const shape of ['few', 'flat', 'ended', 'slowing', 'growing']) {
    const full = frameOf({
      ...shaped(shape),
      findings: [finding({ severity: 'medium', count: 608, bytes: 0 })],
      reading: { ...frameOf().reading, used: 180 * 1024 ** 2 },
    });
    expect(told(full)).toEqual([
      'warning: Needs attention. ',
      'warning: Near the limit: 180.0 MiB of 200.0 MiB (90 %). history',
      'warning: 608 objects of closed scopes are still alive. findings',
    ]);
    const words = `${growthTitle(full)} ${growthText(full)}`;
    expect(words).not.toMatch(/No exhaustion|Nothing leaks|Not growing|do not rise|noise/);
  }
});

const forecast: Forecast = {
  ms: 30 * 60_000,
  low: 20 * 60_000,
  high: 60 * 60_000,
  bytesPerHour: 260 * 1024 ** 2,
  source: 'heap',
  at: 0,
};

test('pressure, forecast, findings and approvals are told gravest first', () => {
  const frame = frameOf({
    level: 'critical',
    forecast,
    findings: [finding({ kind: 'budget', scope: 'process/agent:a', severity: 'medium' })],
    governance: {
      actions: [],
      approvals: [{ state: 'open', deadlineAt: frameOf().at + 90_000 } as never],
      admission: { state: 'refusing', ratio: 1, admitted: 5, refused: 1200 } as never,
      counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 1 },
    },
  });
  expect(told(frame)).toMatchInlineSnapshot(`
    [
      "critical: Needs attention now. ",
      "critical: Level critical at 70.0 MiB of 200.0 MiB (35 %). Mode observe: no action runs. actions",
      "critical: New work is being refused (1,200 so far). actions",
      "critical: Full in 30 m (20 m to 1 h) if it goes on growing by 260.0 MiB per hour. findings",
      "warning: 1 finding: medium budget in process/agent:a. findings",
      "warning: 1 approval waits for an answer, the first for another 1 m 30 s. approvals",
    ]
  `);
});

test('what is alive is split into parts that add up', () => {
  const MiB = 1024 ** 2;
  const keeper = (scope: string | null, bytes: number): KeeperRow => ({
    name: 'sessions',
    kind: 'session-cache',
    scope,
    bytes,
    entries: 3,
    boundBytes: null,
    boundEntries: 10,
    parked: null,
    hitRatio: null,
    leases: null,
  });
  const live = (floor: number): ReturnType<typeof frameOf>['reading'] => ({ ...frameOf().reading, floor });
  const keepers = [keeper(null, 100 * MiB), keeper('process/agent:planner', 7 * MiB)];
  const frame = frameOf({ keepers, reading: live(166 * MiB) });
  // The two sessions of the fixture have no row of their agent; a keeper inside a scope is counted with the scope.
  expect(holdersOf(frame)).toEqual({
    scopes: 40 * MiB,
    keepers: 100 * MiB,
    rest: 30 * MiB,
    total: 170 * MiB,
  });
  // A cache whose sessions are scopes of their own holds what the scopes hold.
  expect(holdersOf({ ...frame, reading: live(76 * MiB) })).toMatchObject({
    keepers: 10 * MiB,
    total: 80 * MiB,
  });
  const [session] = frame.scopes;
  const agent = { ...(session as (typeof frame.scopes)[0]), path: 'process/agent:planner', bytes: 45 * MiB };
  expect(holdersOf({ ...frame, scopes: [agent, ...frame.scopes] })?.scopes).toBe(45 * MiB);
  expect(holdersOf({ ...frame, unattributedBytes: null })).toBeNull();
});

test('a band without an end is cut', () => {
  const size = { width: 300, height: 110, nowX: 90 };
  const drawn = fan([], 40, { ms: 100, low: 50, high: Infinity }, size);
  expect(drawn.band).toMatch(/^90,110 .* 290,10$/);
  expect(drawn.past).toBe('');
});

test('an incident says how long it lasts, what was freed and whom it met', () => {
  expect(factsText(incidentOf(0), 61_000)).toBe(
    'Incident I-1, for 1 m 1 s, at most 190.0 MiB used, 3.0 MiB freed, 12 pieces of work refused',
  );
  const ended = incidentOf(0, { outcome: 'relieved', endedAt: 5000, refused: 0, freedBytes: 0 });
  expect(factsText(ended, 61_000)).toBe('Incident I-1 ended after 5 s: relieved, at most 190.0 MiB used');
});

test('an autopsy says when, of what and with what in flight', () => {
  const cause = { name: 'killed', sure: 'likely', text: '', evidence: [] } as const;
  const row = { pid: 7, startedAt: null, endedAt: null, release: null, cause } as unknown as AutopsyRow;
  expect(autopsyFacts(row)).toBe('pid 7, killed');
  expect(autopsyFacts({ ...row, startedAt: 0, endedAt: 5_400_000, release: '1.4.2' })).toMatch(
    /^pid 7, .*, after 1 h 30 m, release 1\.4\.2, killed$/,
  );
  expect(
    grownLines({
      grew: [
        { name: 'process/session:1', bytes: 2 * 1024 ** 2, grewBytes: 1024 ** 2 },
        { name: 'flat', bytes: 5, grewBytes: 0 },
      ],
    }),
  ).toEqual(['process/session:1: +1.0 MiB, 2.0 MiB at the end']);
  expect(flightLines({ open: { session: 40, agent: 0 }, refused: 1200, running: ['session.park'] })).toEqual([
    'open: 40 session',
    '1,200 refused',
    'running: session.park',
  ]);
  expect(flightLines({ open: {}, refused: 0, running: [] })).toEqual([]);
  const sites = [
    { name: 'keep', where: 'a.js:4', bytes: 1024 ** 2 },
    { name: 'add', where: 'a.js:9', bytesPerHour: 2 * 1024 ** 2 },
  ];
  expect(siteLines({ lastWords: { sites } })).toEqual([
    'keep (a.js:4): 1.0 MiB',
    'add (a.js:9): +2.0 MiB per hour',
  ]);
  expect(siteLines({ lastWords: null })).toEqual([]);
  expect(
    containerLines({
      lastWords: { sites, containers: [{ name: 'hub.#streams', entries: 2700, gained: 2500 }] },
    }),
  ).toEqual(['hub.#streams: 2,700 entries, 2,500 gained']);
  expect(containerLines({ lastWords: null })).toEqual([]);
});
