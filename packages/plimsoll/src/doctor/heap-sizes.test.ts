import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { diagnoseFrame } from './diagnosis.ts';
import { diagnosisText } from './diagnosis-text.ts';
import { proposeHeapSizes } from './heap-sizes.ts';
import type { HeapSizeFacts } from './heap-sizes.ts';

const MiB = 1024 ** 2;

/** A server in a container of 512 MiB: V8 gives it a semi-space of 1 MiB and 256 MiB of old space. */
function facts(
  changes: Partial<HeapSizeFacts['generations']> = {},
  rest: Partial<HeapSizeFacts> = {},
): HeapSizeFacts {
  return {
    generations: {
      ms: 60_000,
      minor: { count: 1200, pauseMs: 1800, longestMs: 9 },
      major: { count: 12, pauseMs: 240, longestMs: 40 },
      youngBytes: 1200 * MiB,
      promotedBytes: 300 * MiB,
      judgedBytes: 300 * MiB,
      deadBytes: 295 * MiB,
      filledBytes: 400 * MiB,
      semiSpaceBytes: MiB,
      oldSpaceBytes: 256 * MiB,
      ...changes,
    },
    floorBytes: 60 * MiB,
    containerBytes: 512 * MiB,
    machineBytes: 8192 * MiB,
    outsideBytes: 5 * MiB,
    isLeaking: false,
    ...rest,
  };
}

const said = (given: HeapSizeFacts): readonly string[] =>
  proposeHeapSizes(given).map(({ flag, mib, why }) => `${flag}=${mib}: ${why}`);

test('what is promoted in vain asks for a larger semi-space, within a tenth of the memory', () => {
  expect(said(facts())).toMatchInlineSnapshot(`
    [
      "--max-semi-space-size=4: GC takes 3.4 % of the time, and 25 % of what is allocated is promoted to old space and dead at the next major GC; with 4 MiB about 0.5 % would be",
    ]
  `);
  const [long] = proposeHeapSizes(
    facts({ promotedBytes: 900 * MiB, judgedBytes: 900 * MiB, deadBytes: 890 * MiB }),
  );
  expect(long).toMatchObject({ mib: 8, nowMib: 1, why: expect.stringContaining('ask again afterwards') });
  expect(proposeHeapSizes(facts({}, { containerBytes: 96 * MiB }))[0]).toMatchObject({ mib: 2 });
});

test('a semi-space stays when promotion is not in vain, cheap, or not yet limited by its maximum', () => {
  expect(said(facts({ deadBytes: 30 * MiB }))).toEqual([]);
  expect(said(facts({ promotedBytes: 10 * MiB, judgedBytes: 10 * MiB, deadBytes: 10 * MiB }))).toEqual([]);
  expect(said(facts({ minor: { count: 1200, pauseMs: 300, longestMs: 2 } }))).toEqual([]);
  expect(said(facts({ semiSpaceBytes: 16 * MiB }))).toEqual([]);
  expect(said(facts({ minor: { count: 9, pauseMs: 1800, longestMs: 400 } }))).toEqual([]);
});

test('old space grows until major GCs take 1 % of the time, where there is memory and no leak', () => {
  const busy = { deadBytes: 0, major: { count: 100, pauseMs: 6000, longestMs: 90 } };
  expect(said(facts(busy, { floorBytes: 200 * MiB, containerBytes: null }))).toMatchInlineSnapshot(`
    [
      "--max-old-space-size=288: major GCs take 10 % of the time (100 of 60 ms each), because 200.0 MiB live in 256.0 MiB",
    ]
  `);
  const fast = { ...busy, filledBytes: 6000 * MiB };
  expect(proposeHeapSizes(facts(fast, { floorBytes: 200 * MiB, containerBytes: null }))[0]).toMatchObject({
    mib: 800,
  });
  // Only 0.9 of what fits into the container beside everything else.
  expect(proposeHeapSizes(facts(fast, { floorBytes: 200 * MiB }))[0]).toMatchObject({ mib: 416 });
  expect(said(facts(fast, { floorBytes: 200 * MiB, isLeaking: true }))).toEqual([]);
  expect(said(facts(fast, { floorBytes: 40 * MiB }))).toEqual([]);
  expect(said(facts(fast, { floorBytes: null }))).toEqual([]);
  expect(said(facts({ deadBytes: 0 }, { floorBytes: 220 * MiB }))[0]).toContain(
    '220.0 MiB of 256.0 MiB old space are live',
  );
  expect(said(facts({ deadBytes: 0 }, { floorBytes: 220 * MiB, containerBytes: 300 * MiB }))).toEqual([]);
});

test('an old space that the container cannot hold is made smaller', () => {
  expect(said(facts({ deadBytes: 0, oldSpaceBytes: 1024 * MiB }))).toMatchInlineSnapshot(`
    [
      "--max-old-space-size=416: the container of 512.0 MiB ends the process at about 471.0 MiB of heap, before V8 collects as hard as it can",
    ]
  `);
});

test('doctor shows what the collector did and what to set', () => {
  const { generations } = facts();
  const frame = frameOf();
  const diagnosis = diagnoseFrame(frameOf({ heap: { ...frame.heap, generations } }), '0.1.0', false);
  const text = diagnosisText(diagnosis);
  expect(text.slice(text.indexOf('gc   '), text.indexOf('level'))).toMatchInlineSnapshot(`
    "gc        3.4 % of the last 1 m: minor 1,200 of 1.5 ms (longest 9.0 ms), major 12 of 20.0 ms (longest 40.0 ms)
              5.0 MiB/s promoted of 20.0 MiB/s allocated, 98 % of it dead at the next major GC
              semi-space 1.0 MiB, old space 256.0 MiB
    "
  `);
  expect(diagnosis.advice.join('\n')).toContain('set --max-semi-space-size=4 (now 1): GC takes');
  expect(diagnosisText(diagnoseFrame(frame, '0.1.0', false))).not.toContain('gc   ');
});
