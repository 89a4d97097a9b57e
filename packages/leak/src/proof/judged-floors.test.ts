import { expect, test } from 'vitest';
import type { FloorPoint, FloorSeries } from '../floor/floor-series.ts';
import { JudgedFloors } from './judged-floors.ts';

const mib = 1024 * 1024;
const floorAt = (i: number): FloorPoint => ({
  heapBytes: (20 + i) * mib,
  codeBytes: 0,
  externalBytes: 0,
  nativeBytes: 10 * mib,
  flushedBytes: 0,
  allocatedBytes: i * 10 * mib,
  at: (i + 1) * 1000,
  isProbe: false,
});

test('floors are judged once per new floor, and again when a snapshot or our own host changes what counts', () => {
  const points = Array.from({ length: 12 }, (_, i) => floorAt(i));
  const floors = new JudgedFloors({ points } as unknown as FloorSeries);
  const first = floors.current;
  expect(first.channels.heap.shape).toBe('growing');
  expect(floors.current).toBe(first);
  points.push(floorAt(12));
  const second = floors.current;
  expect(second).not.toBe(first);
  expect(second.points).toHaveLength(13);
  floors.snapshotWasTaken({ file: '', at: 10_600, stopMs: 100, heapBytes: 0 });
  expect(floors.current.channels.native.floors).toBe(10);
  floors.hostIsLoading(2500);
  // While it loads, only what was before it counts.
  expect(floors.current.points).toHaveLength(2);
  floors.hostIsLoaded(4500);
  expect(floors.current.points.map(({ at }) => at)[0]).toBe(5000);
});

test('of a short life the floors of our own loading are left out', () => {
  const points = Array.from({ length: 8 }, (_, i) => floorAt(i));
  const floors = new JudgedFloors({ points } as unknown as FloorSeries);
  floors.hostIsLoading(2500);
  floors.hostIsLoaded(6500);
  expect(floors.current.points.map(({ at }) => at)).toEqual([1000, 2000, 7000, 8000]);
});

test('a process that ends while our host still loads is judged by the floors after the beginning of it', () => {
  const points = Array.from({ length: 12 }, (_, i) => floorAt(i));
  const floors = new JudgedFloors({ points } as unknown as FloorSeries);
  floors.isEnding(12_500);
  expect(floors.current.points).toHaveLength(12);
  floors.hostIsLoading(1500);
  expect(floors.current.channels.heap.shape).toBe('few');
  floors.isEnding(12_500);
  expect(floors.current.points.map(({ at }) => at)[0]).toBe(3000);
  expect(floors.current.channels.heap.shape).toBe('growing');
});

/** Much work and growth at first, then collections with next to no work between them. */
const restful = (isProbe: boolean): readonly FloorPoint[] =>
  Array.from({ length: 16 }, (_, i) => ({
    ...floorAt(i),
    heapBytes: (20 + Math.min(i, 6) + 0.002 * i) * mib,
    allocatedBytes: (20 * Math.min(i, 6) + 0.1 * i) * mib,
    isProbe: isProbe && i > 6,
  }));

test('growth is over when the program goes on to collect, and idle time says nothing', () => {
  const shapeOf = (points: readonly FloorPoint[]): string =>
    new JudgedFloors({ points } as unknown as FloorSeries).current.channels.heap.shape;
  expect(shapeOf(restful(false))).toBe('ended');
  expect(shapeOf(restful(true))).toBe('growing');
});

/** Floors of a program that copies its buffers: natural ones hold dead copies by the dozen, every fourth is settled and holds none. */
function churning(liveBytes: (i: number) => number, count: number): readonly FloorPoint[] {
  return Array.from({ length: count }, (_, i) => {
    const isSettled = i % 4 === 3;
    const deadBytes = isSettled ? 0 : ((i * 37) % 60) * mib;
    const externalBytes = liveBytes(i) + deadBytes;
    return { ...floorAt(i), heapBytes: 20 * mib, externalBytes, isProbe: isSettled, isSettled };
  });
}

test('where buffers churn, settled floors tell what is alive outside of the heap', () => {
  const shapeOf = (points: readonly FloorPoint[]): string =>
    new JudgedFloors({ points } as unknown as FloorSeries).current.channels.external.shape;
  expect(shapeOf(churning((i) => (10 + i / 10) * mib, 80))).toBe('growing');
  expect(shapeOf(churning(() => 10 * mib, 80))).toBe('flat');
  // The natural ones do not stand for them.
  expect(shapeOf(churning((i) => (10 + i) * mib, 23))).toBe('few');
});

test('a floor that rises by more than was allocated holds garbage, and hides no leak', () => {
  // Seconds, MiB allocated, MiB live: a timer per visitor. The collection at 29.3 s found 3 MiB that V8 had marked as live.
  const seen = [
    [7, 38.6, 14.58],
    [8.4, 40.9, 14.7],
    [10.1, 43.7, 14.77],
    [12.2, 47.1, 15.01],
    [14.6, 51.1, 15.21],
    [17.5, 56.8, 15.32],
    [20.2, 60.6, 15.36],
    [22.2, 63.6, 15.23],
    [29.1, 73.4, 15.71],
    [29.3, 74.5, 18.87],
    [53, 106.2, 17.28],
    [62, 117.8, 17.8],
    [62.1, 118.8, 17.85],
    [75.1, 135.4, 18.68],
    [75.4, 136, 18.73],
  ] as const;
  const points = seen.map(([second, allocated, live]) => ({
    ...floorAt(0),
    heapBytes: live * mib,
    allocatedBytes: allocated * mib,
    at: 1000 * second,
    isProbe: ![29.3, 62, 62.1].includes(second),
  }));
  const { heap } = new JudgedFloors({ points } as unknown as FloorSeries).current.channels;
  expect(heap).toMatchObject({ shape: 'growing' });
});
