import { expect, test } from 'vitest';
import { siteGrowth } from './site-growth.ts';
import type { SampledObject, SiteRead } from './site-growth.ts';

const interval = 128 * 1024;
const outer = 0;
const inner = 1;

/** Reads five seconds apart: each keeps what `alive` says of the objects born so far. */
function readsOf(
  alive: (ordinal: number, newest: number) => boolean,
  bornPerRead: number,
  floor: (i: number) => number,
): readonly SiteRead[] {
  return Array.from({ length: 7 }, (_, i) => {
    const newest = 200 + i * bornPerRead;
    const objects: SampledObject[] = [];
    for (let ordinal = 0; ordinal < newest; ordinal++)
      // The optimiser moves half of the samples from the inner to the outer function.
      if (alive(ordinal, newest))
        objects.push({ ordinal, bytes: interval, sites: ordinal % 2 === 0 ? [outer] : [inner, outer] });
    return { at: 1_700_000_000_000 + i * 5000, heapBytes: 30e6 + floor(i), objects };
  });
}

test('objects that are only born are added, and their pace is that of the floor', () => {
  const perRead = 10 * interval;
  const growth = siteGrowth(
    readsOf(
      () => true,
      10,
      (i) => i * perRead,
    ),
  );
  const row = growth?.rows.find(({ site }) => site === outer);
  expect(row).toMatchObject({ isAdded: true, born: 60, died: 0 });
  expect((row?.perHour ?? 0) / (perRead * 720)).toBeCloseTo(1, 1);
});

test('windows that are longer because reads were dropped are not taken for clumps', () => {
  const pOf = (bornPerRead: (i: number) => number): number => {
    let born = 200;
    const reads = Array.from({ length: 13 }, (_, i): SiteRead => {
      if (i > 0) born += bornPerRead(i);
      const objects = Array.from({ length: born }, (__, ordinal) => ({
        ordinal,
        bytes: interval,
        sites: [outer],
      }));
      return { at: i * 5000, heapBytes: 30e6 + born * interval, objects };
    });
    const kept = reads.filter((_, i) => [0, 6, 9, 11, 12].includes(i));
    return siteGrowth(kept)?.rows[0]?.p ?? 1;
  };
  expect(pOf(() => 3)).toBeLessThan(1e-6);
  // 36 samples of one moment are one clump.
  expect(pOf((i) => (i === 8 ? 36 : 0))).toBeGreaterThan(0.01);
});

test('a cache at its bound is born and dies at one pace, and is not accused', () => {
  const growth = siteGrowth(
    readsOf(
      (ordinal, newest) => ordinal >= newest - 200,
      30,
      (i) => (i % 2) * 1e5,
    ),
  );
  expect(growth?.rows.filter(({ isAdded }) => isAdded)).toEqual([]);
  expect(growth?.rows.find(({ site }) => site === outer)?.perHour).toBe(0);
});

test('a sampler that started late sees births only, and the flat floor keeps it from accusing', () => {
  const growth = siteGrowth(
    readsOf(
      () => true,
      10,
      () => 0,
    ),
  );
  expect(growth?.isSettled).toBe(false);
  expect(growth?.rows.filter(({ isAdded }) => isAdded)).toEqual([]);
});

test('two reads are too few', () => {
  expect(
    siteGrowth(
      readsOf(
        () => true,
        10,
        () => 0,
      ).slice(0, 2),
    ),
  ).toBeUndefined();
  expect(siteGrowth([])).toBeUndefined();
});

test('values that are replaced by larger ones are told from those that are only added', () => {
  const replacedOf = (alive: (ordinal: number, newest: number) => boolean): number | undefined =>
    siteGrowth(readsOf(alive, 30, (i) => i * interval))?.rows.find(({ site }) => site === outer)?.replaced;
  expect(replacedOf(() => true)).toBe(0);
  // Of each batch two thirds take the place of older ones.
  expect(replacedOf((ordinal, newest) => ordinal % 3 === 0 || ordinal >= newest - 60)).toBeGreaterThan(0.5);
});
