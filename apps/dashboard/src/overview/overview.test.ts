import { expect, test } from 'vitest';
import type { Finding } from '../../../../packages/leak/src/findings/finding.ts';
import { frameOf } from '../../../../packages/host/src/protocol/frame.fixture.ts';
import { bandText, fan, firstForecast, floorText } from './forecast-shape.ts';
import { metrics } from './metric-values.ts';

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
      "Memory usage: 35 % (70.0 MiB of 200.0 MiB) plain",
      "Active agents: 0 (2 session) plain",
      "Circular references / survivors: 0 (every closed scope let go; cycles are collected) plain",
      "GC effectiveness: – (not known) plain",
      "Cleanup operations: 0 (0 B freed) plain",
      "Approvals triggered: 0 (none waits) plain",
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
      counts: { actions: 12, wouldHave: 3, freedBytes: 5 * 1024 ** 2, approvals: 2 },
    },
  });
  expect(lines(frame)).toMatchInlineSnapshot(`
    [
      "Memory usage: 35 % (70.0 MiB of 200.0 MiB) critical",
      "Active agents: 4 (no other scope is open) plain",
      "Circular references / survivors: 3 (2.0 MiB that should be gone) critical",
      "GC effectiveness: 65 % (of what major GCs could have freed) critical",
      "Cleanup operations: 12 (5.0 MiB freed, 3 would have been) plain",
      "Approvals triggered: 2 (1 to decide) warning",
    ]
  `);
});

test('the forecast that comes true first is shown', () => {
  const late = finding({ id: 'late', exhaustsIn: { ms: 100, low: 50, high: 200 } });
  const soon = finding({ id: 'soon', exhaustsIn: { ms: 10, low: 5, high: 20 } });
  expect(firstForecast([finding({}), late, soon])?.finding.id).toBe('soon');
  expect(firstForecast([finding({})])).toBeUndefined();
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
  const open = finding({ exhaustsIn: { ms: 60_000, low: 30_000, high: null as never } });
  expect(firstForecast([open])?.high).toBe(Infinity);
  expect(bandText({ low: 30_000, high: null })).toBe('30 s or later');
  expect(bandText({ low: 30_000, high: 90_000 })).toBe('30 s to 1 m 30 s');
});

test.each([
  [
    'few',
    'The floor is what is left after a major GC; 9 so far. A few more, and growth can be told from noise.',
  ],
  ['flat', '12 floors looked at: they do not rise.'],
  ['settling', '12 floors looked at: they rose by 2.0 KiB and settle.'],
  ['growing', '12 floors looked at: they rose by 2.0 KiB; not yet certain enough for a forecast.'],
])('floors that are %s are told in a sentence', (shape, text) => {
  const heap = { shape, growthBytes: 2048, floors: 12 };
  expect(floorText(frameOf({ growth: { channels: { heap } } as never }))).toBe(text);
});

test('a band without an end is cut', () => {
  const size = { width: 300, height: 110, nowX: 90 };
  const drawn = fan([], 40, { ms: 100, low: 50, high: Infinity }, size);
  expect(drawn.band).toMatch(/^90,110 .* 290,10$/);
  expect(drawn.past).toBe('');
});
