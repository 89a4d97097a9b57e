import { expect, test } from 'vitest';
import { quantile, row } from './row.ts';

test('a row carries the median, the relative quartile spread and the ratio to the peer', () => {
  const result = row({
    metric: 'get hit',
    unit: 'ns',
    samples: [60, 70, 80, 90, 100],
    peer: { name: 'lru-cache', samples: [100, 120, 140] },
    goal: { atMost: 0.7 },
  });
  expect(result).toMatchObject({ ours: 80, spread: 0.125, peerValue: 120, goal: '<= 0.7x', pass: true });
  expect(result.ratio).toBeCloseTo(2 / 3);
});

test('a goal on our own value is judged without a peer, and a missed goal says so', () => {
  expect(row({ metric: 'charge', unit: 'ns', samples: [51], goal: { atMost: 50 } })).toMatchObject({
    goal: '<= 50 ns',
    pass: false,
    ratio: null,
  });
});

test('a figure without a goal is not judged', () => {
  expect(row({ metric: 'rss', unit: 'MiB', samples: [1, 2] }).pass).toBeNull();
});

test('quantiles interpolate', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5);
  expect(quantile([], 0.5)).toBeNaN();
});
