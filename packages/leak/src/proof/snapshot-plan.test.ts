import { expect, test } from 'vitest';
import type { FloorPoint } from '../floor/floor-series.ts';
import { judgementOf } from './growth-record.fixture.ts';
import type { Capture } from './growth-record.ts';
import type { JudgedSeries } from './judged-floors.ts';
import { SnapshotPlan } from './snapshot-plan.ts';

const MiB = 1024 ** 2;
const pointOf = (at: number, heapBytes: number): FloorPoint => ({
  at,
  heapBytes,
  codeBytes: 0,
  externalBytes: 0,
  nativeBytes: 0,
  flushedBytes: 0,
  allocatedBytes: 0,
  isProbe: false,
});
/** Floors of every second, one MiB higher each. */
const judgedAt = (now: number, heap = judgementOf('growing', 10 * MiB)): JudgedSeries => ({
  points: Array.from({ length: now / 1000 }, (_, i) => pointOf(1000 * i, (10 + i) * MiB)),
  channels: { heap, external: judgementOf('flat', 0), native: judgementOf('flat', 0) },
});
const planOf = (maxPauseMs = 2000, heapBytes = 20 * MiB): SnapshotPlan =>
  new SnapshotPlan({ naturalFloors: 0, earlyFloors: () => 0, newest: pointOf(0, heapBytes) }, 0, maxPauseMs);
const captureAt = (at: number, stopMs = 500): Capture => ({ file: '/x', at, stopMs, heapBytes: 20 * MiB });

/** The seconds at which a snapshot is due, when nobody takes it. */
function dueOf(plan: SnapshotPlan, first: Capture | null, from: number, to: number): readonly number[] {
  const due: number[] = [];
  for (let second = from; second <= to; second++)
    if (plan.isDue(second * 1000, judgedAt(second * 1000), first, null)) due.push(second);
  return due;
}

test('a first snapshot waits until growth has lasted, a second one until it has gone on', () => {
  expect(dueOf(planOf(), null, 10, 20)[0]).toBe(16);
  expect(dueOf(planOf(), captureAt(16_000), 30, 60)[0]).toBe(41);
});

test('growth that pauses begins anew', () => {
  const plan = planOf();
  expect(dueOf(plan, null, 10, 15)).toEqual([]);
  expect(plan.isDue(16_000, judgedAt(16_000, judgementOf('ended', 0)), null, null)).toBe(false);
  expect(dueOf(plan, null, 17, 30)[0]).toBe(23);
});

test('after a stop that was much longer than allowed no other follows', () => {
  const plan = planOf();
  plan.stopped(captureAt(16_000, 2900), 2000, 16_000);
  expect(plan.hasOverrun).toBe(false);
  plan.stopped(captureAt(16_000, 3100), 2000, 16_000);
  expect(plan.hasOverrun).toBe(true);
  expect(dueOf(plan, captureAt(16_000), 30, 90)).toEqual([]);
  expect(plan.awaitsFloor(45_000, captureAt(16_000), null)).toBe(false);
});

test('what was refused is tried again after ten seconds, and nothing when no stop is allowed', () => {
  const plan = planOf();
  plan.stopped(null, 2000, 16_000);
  expect(dueOf(plan, null, 17, 40)[0]).toBe(26);
  expect(dueOf(planOf(0), null, 10, 60)).toEqual([]);
});

test('a heap that will soon be too large is not waited for', () => {
  expect(dueOf(planOf(2000, 60 * MiB), null, 10, 20)[0]).toBe(11);
});

test('with scopes, growth is looked at later', () => {
  const plan = planOf();
  plan.scopesAreInUse();
  const few = { ...judgementOf('growing', 10 * MiB), floors: 12 };
  for (let second = 10; second < 30; second++)
    expect(plan.isDue(second * 1000, judgedAt(second * 1000, few), null, null)).toBe(false);
});
