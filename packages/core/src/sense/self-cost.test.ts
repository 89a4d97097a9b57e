import { expect, test } from 'vitest';
import { FakeClock } from './fake-clock.ts';
import { SelfCost } from './self-cost.ts';

test('cpu ratio is our time over wall time of the last one to two minutes', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  expect(cost.read().cpuRatio).toBe(0);
  clock.advance(1000);
  cost.spend('looks', 10);
  cost.spend('looks', -5);
  expect(cost.read().cpuRatio).toBeCloseTo(0.01);
  clock.advance(59_000);
  cost.spend('looks', 590);
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
  const done = cost.measure('looks', () => {
    clock.advance(4);
    return 'done';
  });
  expect(done).toBe('done');
  expect(() =>
    cost.measure('looks', () => {
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

test('work inside other work counts once, for its own part', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  cost.measure('looks', () => {
    clock.advance(3);
    cost.measure('frames', () => clock.advance(5));
    clock.advance(2);
  });
  clock.advance(990);
  const { cpuRatio, parts } = cost.read();
  expect(cpuRatio).toBeCloseTo(0.01);
  expect(parts).toMatchObject([
    { part: 'looks', cpuRatio: 0.005 },
    { part: 'frames', cpuRatio: 0.005 },
    { part: 'census', cpuRatio: 0 },
    { part: 'proofs', cpuRatio: 0 },
  ]);
});

test('a part above its share is slowed while all take more than the allowance, and comes back', () => {
  const clock = new FakeClock();
  const cost = new SelfCost(clock);
  const pass = (looksMs: number, censusMs: number): void => {
    cost.spend('looks', looksMs);
    cost.spend('census', censusMs);
    clock.advance(10_000);
  };
  // 1 % of 10 s are 100 ms.
  pass(40, 55);
  expect([cost.slowdown('looks'), cost.slowdown('census')]).toEqual([1, 1]);
  pass(90, 55);
  expect([cost.slowdown('looks'), cost.slowdown('census')]).toEqual([1.5, 1]);
  for (let i = 0; i < 20; i++) {
    pass(900, 55);
    cost.read();
  }
  expect([cost.slowdown('looks'), cost.slowdown('census')]).toEqual([10, 1]);
  // At level critical 3 % are allowed.
  cost.allow(0.03);
  pass(150, 55);
  expect(cost.slowdown('looks')).toBeCloseTo(10 / 1.5);
  cost.allow(0.01);
  for (let i = 0; i < 20; i++) {
    pass(20, 20);
    cost.read();
  }
  expect(cost.slowdown('looks')).toBe(1);
});
