import { expect, test } from 'vitest';
import { MachinePace } from './machine-pace.ts';

test('waiting for a CPU makes it slow, and the slowest of the last three looks counts', () => {
  const seen = ['0 0 1', '100000000 0 2', '200000000 400000000 3', '300000000 400000000 4'];
  const pace = new MachinePace(() => seen.shift() ?? '900000000 400000000 9');
  expect(pace.slowness).toBe(1);
  for (let i = 0; i < 3; i++) pace.look();
  expect([pace.slowness, pace.meanSlowness]).toEqual([5, 3]);
  for (let i = 0; i < 3; i++) pace.look();
  expect(pace.slowness).toBe(5);
});

test('a thread that hardly ran says nothing, and no schedule at all is an idle machine', () => {
  const little = ['0 0 1', '1000 900000000 2'];
  const pace = new MachinePace(() => little.shift() ?? '');
  pace.look();
  pace.look();
  pace.look();
  expect(pace.slowness).toBe(1);
  const none = new MachinePace(() => {
    throw new Error('ENOENT');
  });
  none.look();
  expect([none.slowness, none.meanSlowness]).toEqual([1, 1]);
});
