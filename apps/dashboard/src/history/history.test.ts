import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryText } from './entry-text.ts';
import { drawn, keyed, moved, zoomed, type TimeWindow } from './window.ts';

const whole: TimeWindow = { from: 0, to: 1_000_000 };

test('plus halves, minus doubles, zero shows everything', () => {
  const span = { from: 400_000, to: 600_000 };
  expect(keyed('+', span, whole)).toEqual({ from: 450_000, to: 550_000 });
  expect(keyed('-', span, whole)).toEqual({ from: 300_000, to: 700_000 });
  expect(keyed('ArrowLeft', span, whole)).toEqual({ from: 350_000, to: 550_000 });
  expect(keyed('ArrowRight', span, whole)).toEqual({ from: 450_000, to: 650_000 });
  expect(keyed('0', span, whole)).toBe(whole);
  expect(keyed('x', span, whole)).toBeUndefined();
});

test('what is drawn by hand may go either way and is never a point', () => {
  expect(drawn(500_000, 200_000, whole)).toEqual({ from: 200_000, to: 500_000 });
  expect(drawn(500_000, 500_000, whole)).toEqual({ from: 495_000, to: 505_000 });
});

test('no key leaves the ledger', () => {
  const keys = fc.array(fc.constantFrom('+', '-', 'ArrowLeft', 'ArrowRight', '0', '='), { maxLength: 60 });
  fc.assert(
    fc.property(keys, (pressed) => {
      let span: TimeWindow = whole;
      for (const key of pressed) span = keyed(key, span, whole) ?? span;
      expect(span.from).toBeGreaterThanOrEqual(whole.from);
      expect(span.to).toBeLessThanOrEqual(whole.to + 1e-6);
      expect(span.to - span.from).toBeGreaterThanOrEqual(9999);
    }),
  );
});

test('moving past the end stops there', () => {
  expect(moved({ from: 900_000, to: 1_000_000 }, 5, whole)).toEqual({ from: 900_000, to: 1_000_000 });
  expect(zoomed(whole, 4, whole)).toEqual(whole);
});

test.each([
  [
    'level',
    { from: 'normal', level: 'warning', usedBytes: 1024, limitBytes: 2048 },
    'normal to warning at 1.0 KiB of 2.0 KiB (50 %)',
  ],
  ['level', { from: 'normal', level: 'warning' }, 'normal to warning'],
  ['finding', { kind: 'survivor', severity: 'high', bytes: 2048 }, 'high survivor, 2.0 KiB'],
  ['action', { action: 'evict-idle', outcome: 'done', text: 'evicted 2' }, 'evict-idle done: evicted 2'],
  [
    'level',
    { from: 'normal', to: 'warning', usedBytes: 1024, limit: 2048 },
    'normal to warning at 1.0 KiB of 2.0 KiB (50 %)',
  ],
  ['approval', { action: 'scope.stop', state: 'denied', votes: [] }, 'scope.stop denied'],
  ['start', { command: 'node server.js', limit: 2048 }, 'started: node server.js, limit 2.0 KiB'],
  ['incident', { event: 'opened', headline: 'Memory grows.' }, 'opened: Memory grows.'],
  [
    'incident',
    { event: 'ended', outcome: 'relieved', headline: 'Memory grew.' },
    'ended (relieved): Memory grew.',
  ],
  ['exit', { reason: 'SIGTERM' }, 'ended (SIGTERM)'],
  ['exit', { code: 0, signal: null }, 'ended with exit code 0'],
  ['ledger', { pid: 4711, node: 'v24', nested: { secret: 1 } }, 'pid 4711, node v24'],
])('an entry of kind %s is a sentence', (kind, body, text) => {
  expect(entryText({ seq: 1, at: 0, kind, scope: 'process', body })).toBe(text);
});
