import { expect, test } from 'vitest';
import { predict, type PredictionInput } from './prediction.ts';

const mib = 1024 * 1024;
const input: PredictionInput = {
  count: { objects: 1_000_000, exact: true, ms: 300 },
  longestArray: 16_000,
  rssBytes: 200 * mib,
  free: { freeBytes: 1000 * mib, limitBytes: 2000 * mib, binds: 'cgroup' },
  analyse: false,
  reserveBytes: 100 * mib,
};

test('cost grows with objects and with the longest array', () => {
  const plain = predict(input);
  expect(plain.neededBytes / mib).toBeCloseTo(281, 0);
  expect(plain.peakBytes - plain.neededBytes).toBe(200 * mib);
  expect(plain.stopMs).toBe(1354);
  expect(predict({ ...input, longestArray: 1_000_000 }).neededBytes / mib).toBeCloseTo(1360, 0);
  expect(predict({ ...input, analyse: true }).neededBytes).toBe(plain.neededBytes + 75_000_000);
});

test('an array cannot have more entries than there are objects', () => {
  const few = { ...input, count: { objects: 1000, exact: true, ms: 1 }, longestArray: 10_000_000 };
  expect(predict(few).neededBytes).toBeLessThan(25 * mib);
});

test('a machine that counts slowly stops longer, within bounds', () => {
  const slow = predict({ ...input, count: { objects: 1_000_000, exact: true, ms: 900 } });
  const stuck = predict({ ...input, count: { objects: 1_000_000, exact: true, ms: 90_000 } });
  const estimated = predict({ ...input, count: { objects: 1_000_000, exact: false, ms: 0 } });
  expect(slow.stopMs).toBe(4002);
  expect(stuck.stopMs).toBe(6650);
  expect(estimated.stopMs).toBe(1354);
});

test('it fits when a quarter more and the reserve are free', () => {
  const free = (freeBytes: number): boolean => predict({ ...input, free: { ...input.free, freeBytes } }).fits;
  expect(free(450 * mib)).toBe(false);
  expect(free(452 * mib)).toBe(true);
});
