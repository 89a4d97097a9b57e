import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CollectionReader } from './collections.ts';
import type { Collection } from './collections.ts';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { GenerationWatch } from './generations.ts';
import type { GenerationUse } from './generations.ts';

interface Sizes {
  readonly young: number;
  readonly old: number;
}

function entry(gcType: string, before: Sizes, after: Sizes, cost = 1000): Collection {
  const side = ({ young, old }: Sizes) => ({
    heapStatistics: { usedHeapSize: young + old, externalMemory: 0 },
    heapSpaceStatistics: [
      { spaceName: 'new_space', spaceUsedSize: young },
      { spaceName: 'old_space', spaceUsedSize: old - 10 },
      { spaceName: 'large_object_space', spaceUsedSize: 10 },
    ],
  });
  return { gcType, cost, beforeGC: side(before), afterGC: side(after) };
}

function watchOf(clock: FakeClock, ...windows: (readonly Collection[])[]) {
  const reader = new CollectionReader(() => ({
    start: () => undefined,
    stop: () => ({ statistics: windows.shift() ?? [] }),
  }));
  return { watch: new GenerationWatch(clock, reader), reader };
}

test('what is promoted and dies before the next major GC was promoted in vain', () => {
  const clock = new FakeClock();
  const { watch, reader } = watchOf(clock, [
    entry('MarkSweepCompact', { young: 0, old: 900 }, { young: 0, old: 500 }, 9000),
    entry('Scavenge', { young: 100, old: 500 }, { young: 40, old: 530 }),
    entry('Scavenge', { young: 140, old: 530 }, { young: 30, old: 590 }, 3000),
    entry('IncrementalMarking', { young: 30, old: 590 }, { young: 30, old: 590 }, 500),
    entry('MarkSweepCompact', { young: 30, old: 590 }, { young: 0, old: 510 }, 7000),
    entry('MinorMarkSweep', { young: 50, old: 510 }, { young: 20, old: 515 }),
  ]);
  clock.advance(1000);
  reader.read();
  expect(watch.read()).toEqual({
    ms: 1000,
    minor: { count: 3, pauseMs: 5, longestMs: 3 },
    major: { count: 2, pauseMs: 16.5, longestMs: 9 },
    youngBytes: 100 + 100 + 50,
    promotedBytes: 30 + 60 + 5,
    judgedBytes: 90,
    deadBytes: 80,
    filledBytes: 120,
  });
  watch.stop();
});

test('the sums cover the last five to ten minutes', () => {
  const clock = new FakeClock();
  const one = entry('Scavenge', { young: 100, old: 500 }, { young: 0, old: 500 });
  const { watch, reader } = watchOf(clock, [one], [one], [one], []);
  for (const minutes of [6, 6, 6]) {
    clock.advance(minutes * 60_000);
    reader.read();
  }
  expect(watch.read()).toMatchObject({ ms: 360_000, minor: { count: 1 } });
  clock.advance(60_000);
  expect(watch.read()).toMatchObject({ ms: 420_000, minor: { count: 1 } });
  watch.stop();
});

test('a real program with a small semi-space promotes what a larger one lets die young', () => {
  const run = (semiMib: number): GenerationUse =>
    JSON.parse(
      execFileSync(
        process.execPath,
        [
          `--max-semi-space-size=${semiMib}`,
          `--min-semi-space-size=${semiMib}`,
          fileURLToPath(new URL('promoting.fixture.ts', import.meta.url)),
        ],
        { encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' } },
      ),
    ) as GenerationUse;
  const small = run(1);
  const large = run(16);
  expect(small.minor.count).toBeGreaterThan(4 * large.minor.count);
  expect(small.deadBytes).toBeGreaterThan(0.5 * small.judgedBytes);
  expect(small.promotedBytes).toBeGreaterThan(4 * large.promotedBytes);
  expect(Math.abs(small.youngBytes / large.youngBytes - 1)).toBeLessThan(0.3);
});
