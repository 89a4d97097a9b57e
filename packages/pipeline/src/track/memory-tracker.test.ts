import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MemoryTracker } from './memory-tracker.ts';
import { track } from './track.ts';

test('a tracker in three lines', async () => {
  const bus = new EventEmitter();
  const context = { parts: [] as Buffer[] };
  const tracker = new MemoryTracker();
  await tracker.run(async () => {
    await track('load', () => void context.parts.push(Buffer.alloc(1_000_000)), {
      root: context,
      exact: true,
    });
    await track('embed', () => void bus.on('x', () => undefined), { root: context });
    await track('fail', () => Promise.reject(new Error('no'))).catch(() => undefined);
  });
  expect(tracker.listeners).toBe(1);
  bus.removeAllListeners();
  expect(tracker.listeners).toBe(0);
  expect(tracker.peak).toBeGreaterThan(1_000_000);
  expect(tracker.kept).toBeGreaterThan(1_000_000);
  expect(tracker.finish().growth).toBe(tracker.growth);
  expect(tracker.rows()).toMatchObject([
    { stage: 'load', calls: 1, failed: 0 },
    { stage: 'embed', calls: 1, listeners: 1 },
    { stage: 'fail', calls: 1, failed: 1, kept: 0 },
  ]);
  const [head, first] = tracker.table().split('\n');
  expect(head).toMatch(/^stage +calls +failed +ms\/call +peak +kept +kept\/call +listeners +timers$/);
  expect(first).toMatch(/^load +1 +0 +[\d.]+ +976\.\d KiB +976\.\d KiB/);
  const json = JSON.parse(JSON.stringify(tracker)) as { stages: unknown[]; calls: unknown[] };
  expect([json.stages.length, json.calls.length]).toEqual([3, 3]);
});

test('trackers of requests at the same time hear only of their own stages', async () => {
  using all = new MemoryTracker();
  const requests = Array.from({ length: 50 }, async (_, i) => {
    using tracker = new MemoryTracker();
    await tracker.run(async () => {
      for (let stage = 0; stage <= i % 3; stage++) {
        await turn();
        await track(`stage-${stage}`, () => turn());
      }
    });
    return tracker.rows().length === (i % 3) + 1 && tracker.calls().length === (i % 3) + 1;
  });
  expect(await Promise.all(requests)).toEqual(requests.map(() => true));
  expect(all.calls()).toHaveLength(50 + 33 + 16);
});

test('what a tracker keeps is bounded', async () => {
  using tracker = new MemoryTracker({ maxCalls: 10, attachments: false });
  for (let i = 0; i < 600; i++) await track(`stage-${i}`, () => i);
  expect(tracker.calls()).toHaveLength(10);
  expect(tracker.rows()).toHaveLength(501);
  expect(tracker.rows().at(-1)).toMatchObject({ stage: '(other)', calls: 100 });
});
