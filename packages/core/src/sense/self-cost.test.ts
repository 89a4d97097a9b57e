import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { SelfCost } from './self-cost.ts';

test('cpu ratio is our time over wall time of the last one to two minutes', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  expect(cost.read().cpuRatio).toBe(0);
  clock.advance(1000);
  cost.spend(10);
  cost.spend(-5);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
  clock.advance(59_000);
  cost.spend(590);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
  // Quiet for two windows: the busy minute is forgotten.
  clock.advance(60_000);
  expect(cost.read().cpuRatio).toBeCloseTo(0.005);
  clock.advance(60_000);
  expect(cost.read().cpuRatio).toBe(0);
});

test('work is measured and its errors pass through', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  const done = cost.measure(() => {
    clock.advance(4);
    return 'done';
  });
  expect(done).toBe('done');
  expect(() =>
    cost.measure(() => {
      clock.advance(4);
      throw new Error('as it is');
    }),
  ).toThrow('as it is');
  clock.advance(792);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
});

test('bytes are the fixed part and what the parts say; a part that fails counts nothing', () => {
  const cost = new SelfCost(new FakeClock());
  const base = cost.read().bytes;
  cost.retains('ledger', () => 1000);
  cost.retains('broken', () => {
    throw new Error('no');
  });
  cost.retains('wrong', () => Number.NaN);
  expect(cost.read().bytes - base).toBe(1000);
  cost.retains('ledger', () => 3000);
  expect(cost.read().bytes - base).toBe(3000);
  cost.release('ledger');
  expect(cost.read().bytes).toBe(base);
});
