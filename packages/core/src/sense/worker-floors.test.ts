import { expect, test } from 'vitest';
import { WorkerFloors } from './worker-floors.ts';

const MiB = 1024 ** 2;

test('floors take 1 % of the time, and a heap whose collection would take too long is left alone', () => {
  const floors = new WorkerFloors();
  expect(floors.isDue(0, 300 * MiB)).toBe(false);
  expect(floors.isDue(0, 30 * MiB)).toBe(true);
  floors.take({ threadId: 1, floorBytes: 20 * MiB, pauseMs: 60, activeMs: 500 }, 10);
  expect(floors.isDue(5000, 30 * MiB)).toBe(false);
  expect(floors.isDue(6001, 30 * MiB)).toBe(true);
  // 3 ms per MiB: 80 MiB would take 240 ms.
  expect(floors.isDue(60_000, 80 * MiB)).toBe(false);
  expect(floors.list).toEqual([{ at: 10, work: 500, bytes: 20 * MiB }]);
});

test('of many floors the older ones are thinned', () => {
  const floors = new WorkerFloors();
  for (let i = 0; i < 1000; i++) floors.take({ threadId: 1, floorBytes: i, pauseMs: 1, activeMs: i }, i);
  expect(floors.list.length).toBeLessThan(100);
  expect([floors.list[0]?.at, floors.list.at(-1)?.at]).toEqual([0, 999]);
});
