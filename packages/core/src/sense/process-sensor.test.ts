import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { LoopDelay } from './process-sensor.ts';

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
}

/** The first look after a change only begins to measure. */
test.each([
  ['a busy process', [0.5], 250, 300, 150],
  ['an idle process', [0], 1100, 1200, 500],
  ['a process that has woken up', [0, 0.5], 250, 300, 150],
])('a stop of %s is seen', async (_name, utilizations, firstMs, stopMs, leastMs) => {
  const delay = new LoopDelay();
  onTestFinished(() => delay.stop());
  for (const utilization of utilizations) delay.read(utilization);
  await wait(firstMs);
  block(stopMs);
  await wait(50);
  expect(delay.read(0.5)).toBeGreaterThan(leastMs);
});
