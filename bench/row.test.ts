import { expect, test } from 'vitest';
import { medianBetween, quantile, row } from './row.ts';

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

test('pairs are judged by the median of their ratios, whatever the machine did meanwhile', () => {
  const result = row({
    metric: 'track',
    unit: 'ns',
    samples: [101, 202, 303, 404, 606],
    peer: { name: 'by hand', samples: [100, 200, 300, 400, 500], isPaired: true },
    goal: { atMost: 1.02 },
  });
  expect(result).toMatchObject({ ratio: 1.01, between: [1.01, 1.212], pass: true });
});

test('the range of a median covers the truth in 95 of 100 experiments', () => {
  let seed = 1;
  const random = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  let hits = 0;
  for (let i = 0; i < 1000; i++) {
    const [low, high] = medianBetween(Array.from({ length: 60 }, random));
    if (low <= 0.5 && high >= 0.5) hits++;
  }
  expect(hits).toBeGreaterThan(935);
  expect(hits).toBeLessThan(985);
});
