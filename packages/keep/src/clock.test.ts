import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';

test('the system clock runs a callback after the delay, unless it is cancelled', async () => {
  const heard: string[] = [];
  systemClock.after(0, () => heard.push('kept'));
  systemClock.after(0, () => heard.push('cancelled'))();
  const cancelFar = systemClock.after(Number.MAX_SAFE_INTEGER, () => heard.push('far'));
  await new Promise((resolve) => setTimeout(resolve, 10));
  cancelFar();
  expect(heard).toEqual(['kept']);
  const before = Date.now();
  const now = systemClock.now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
