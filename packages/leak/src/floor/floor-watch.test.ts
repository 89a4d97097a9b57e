import { expect, test } from 'vitest';
import { systemClock } from '@plimsoll/core/internal/sense/clock';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { CollectionReader } from './collections.ts';
import type { Collection } from './collections.ts';
import { FloorWatch } from './floor-watch.ts';

function entry(gcType: string, usedHeapSize = 0, cost = 1000): Collection {
  return {
    gcType,
    cost,
    beforeGC: { heapStatistics: { usedHeapSize } },
    afterGC: { heapStatistics: { usedHeapSize, externalMemory: 7 } },
  };
}

/** A source that gives the listed windows one after the other. */
function scripted(...windows: readonly (readonly Collection[] | undefined)[]): CollectionReader {
  const left = [...windows];
  return new CollectionReader(() => ({
    start: () => undefined,
    stop: () => {
      const statistics = left.shift();
      return statistics && { statistics };
    },
  }));
}

test('the floor is what the last major GC left, dated by its place in the window', () => {
  const clock = new FakeClock();
  const watch = new FloorWatch(
    clock,
    scripted(
      [entry('Scavenge'), entry('IncrementalMarking', 900), entry('MarkSweepCompact', 500, 4000)],
      [entry('Scavenge'), entry('MinorMarkSweep')],
      [entry('MarkSweepCompact', 600), entry('MarkSweepCompact', 450)],
    ),
  );
  expect(watch.floor).toBeUndefined();
  clock.advance(1000);
  expect(watch.read()).toEqual({ major: 1, minor: 1, pauseMs: 6 });
  expect(watch.floor).toEqual({ bytes: 500, external: 7, at: 750, major: 1 });
  clock.advance(1000);
  expect(watch.read()).toEqual({ major: 0, minor: 2, pauseMs: 2 });
  expect(watch.floor?.at).toBe(750);
  clock.advance(300);
  watch.read();
  expect(watch.floor).toEqual({ bytes: 450, external: 7, at: 2200, major: 3 });
  expect(watch.majors).toBe(3);
  expect([watch.majorsSince(1), watch.majorsSince(3), watch.majorsSince(9)]).toEqual([2, 0, 0]);
});

test('two watches share one profiler and both see every collection, whoever reads', () => {
  let running = 0;
  let most = 0;
  const windows = [[entry('MarkSweepCompact', 500)], [entry('Scavenge')], [entry('MarkSweepCompact', 600)]];
  const reader = new CollectionReader(() => ({
    start: () => {
      most = Math.max(most, ++running);
    },
    stop: () => {
      running--;
      const statistics = windows.shift();
      return statistics && { statistics };
    },
  }));
  const first = new FloorWatch(new FakeClock(), reader);
  // The collections before the second watch belong to the first alone.
  const second = new FloorWatch(new FakeClock(), reader);
  expect(second.read()).toEqual({ major: 0, minor: 1, pauseMs: 1 });
  second.read();
  expect(first.read()).toEqual({ major: 2, minor: 1, pauseMs: 3 });
  expect([first.majors, second.majors, second.floor?.bytes]).toEqual([2, 1, 600]);
  expect([most, running]).toEqual([1, 1]);
  first.stop();
  expect(running).toBe(1);
  second.stop();
  expect(running).toBe(0);
});

test('a profiler that has nothing to say is no error', () => {
  const watch = new FloorWatch(new FakeClock(), scripted(undefined));
  expect(watch.read()).toEqual({ major: 0, minor: 0, pauseMs: 0 });
  watch.stop();
  watch.stop();
});

test('real collections: the floor rises with what is held and falls when it is let go', () => {
  const watch = new FloorWatch(systemClock);
  const collect = (): number => {
    globalThis.gc?.();
    expect(watch.read().major).toBeGreaterThanOrEqual(1);
    return watch.floor?.bytes as number;
  };
  const empty = collect();
  let held: unknown[] | undefined = Array.from({ length: 200_000 }, (_, i) => ({ i, text: `n${i}` }));
  const full = collect();
  expect(held.length).toBe(200_000);
  held = undefined;
  const after = collect();
  watch.stop();
  expect(full - empty).toBeGreaterThan(8e6);
  expect(full - empty).toBeLessThan(30e6);
  expect(Math.abs(after - empty)).toBeLessThan(4e6);
});

test('on a starved loop the floor does not contain what was allocated after the collection', () => {
  const watch = new FloorWatch(systemClock);
  globalThis.gc?.();
  const garbage = Array.from({ length: 300_000 }, (_, i) => ({ i }));
  watch.read();
  const { used_heap_size: raw } = process.getBuiltinModule('node:v8').getHeapStatistics();
  watch.stop();
  expect(garbage.length).toBe(300_000);
  expect(raw - (watch.floor?.bytes as number)).toBeGreaterThan(6e6);
});
