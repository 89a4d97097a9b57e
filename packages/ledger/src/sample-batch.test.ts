import { storedFields } from '@plimsoll/core/internal/sense/reading-fields';
import { expect, test } from 'vitest';
import { processAt } from './folder.fixture.ts';
import { processWidth, SampleBatch, scopeWidth, storable } from './sample-batch.ts';

test('samples are packed into flat numbers that point into a list of paths', () => {
  const batch = new SampleBatch(10);
  batch.add({ at: 1, scope: 'process/a', bytes: 10 });
  batch.add({ at: 2, scope: 'process/b', bytes: 20 });
  batch.add({ at: 3, scope: 'process/a', bytes: 30 });
  const packed = batch.pack(1);
  expect(packed.paths).toEqual(['process/a', 'process/b']);
  expect([...packed.scopes]).toEqual([0, 1, 10, 1, 2, 20, 0, 3, 30]);
});

test('parts of a process sample that were not measured are NaN', () => {
  const batch = new SampleBatch(10);
  batch.add(processAt(5, 100));
  batch.add(processAt(6, 100, { level: 'critical', floor: 80 }));
  const { processes } = batch.pack(1);
  const row = (start: readonly number[], floor: number, level: number): readonly number[] => {
    const stored = {
      limit: 1000,
      floor,
      heapUsed: 100,
      external: 1,
      arrayBuffers: 2,
      rss: 200,
      loopDelayMs: 1500,
    };
    return [
      ...start,
      ...storedFields.map(({ name }) => (stored as Record<string, number>)[name] ?? Number.NaN),
      level,
    ];
  };
  const rows = [...row([0, 5, 100], Number.NaN, Number.NaN), ...row([0, 6, 100], 80, 2)];
  expect([...processes]).toEqual(rows);
});

test('a full batch takes nothing more, whatever the mix', () => {
  const batch = new SampleBatch(300);
  let taken = 0;
  for (let i = 0; i < 1000; i++) {
    if (batch.add(i % 3 === 0 ? processAt(i, i) : { at: i, scope: 'process', bytes: i })) taken++;
  }
  expect(taken).toBe(300);
  const packed = batch.pack(1);
  expect(packed.scopes.length / scopeWidth + packed.processes.length / processWidth).toBe(300);
});

test('paths are cut, and two long paths with one beginning share a row of the list', () => {
  const batch = new SampleBatch(10);
  batch.add({ at: 1, scope: `process/${'x'.repeat(2000)}1`, bytes: 1 });
  batch.add({ at: 1, scope: `process/${'x'.repeat(2000)}2`, bytes: 2 });
  const { paths, scopes } = batch.pack(1);
  expect(paths.map((path) => path.length)).toEqual([1000]);
  expect([scopes[0], scopes[3]]).toEqual([0, 0]);
});

test('a sample without a time, a path or a number of bytes cannot be stored', () => {
  expect(storable({ at: 1, scope: 'process', bytes: 0 })).toBe(true);
  expect(storable({ at: Number.NaN, scope: 'process', bytes: 0 })).toBe(false);
  expect(storable({ at: 1, scope: '', bytes: 0 })).toBe(false);
  expect(storable(processAt(1, Number.POSITIVE_INFINITY))).toBe(false);
});
