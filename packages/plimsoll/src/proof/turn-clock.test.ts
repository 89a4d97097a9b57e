import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { TurnClock } from './turn-clock.ts';

let clock: TurnClock | undefined;

afterEach(() => clock?.stop());

test('each turn of the loop is counted and told once, until it is stopped', async () => {
  let told = 0;
  clock = new TurnClock(() => told++);
  clock.start();
  clock.start();
  for (let i = 0; i < 5; i++) await turn();
  const seen = clock.count;
  expect(seen).toBeGreaterThanOrEqual(4);
  expect(seen).toBeLessThanOrEqual(6);
  expect(told).toBe(seen);
  clock.stop();
  await turn();
  await turn();
  expect(clock.count).toBe(seen);
});

test('it may be stopped from within a turn, and keeps no process alive', async () => {
  clock = new TurnClock(() => clock?.stop());
  clock.start();
  expect(process.getActiveResourcesInfo()).not.toContain('Immediate');
  for (let i = 0; i < 3; i++) await turn();
  expect(clock.count).toBe(1);
});
