import fc from 'fast-check';
import { expect, test } from 'vitest';
import { squarify } from './squarify.ts';

test('rectangles fill the area in proportion and stay inside', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 10, max: 2000 }),
      fc.integer({ min: 10, max: 2000 }),
      (values, width, height) => {
        const sizes = values.toSorted((a, b) => b - a);
        const total = sizes.reduce((sum, size) => sum + size, 0);
        const rects = squarify(sizes, 5, 7, width, height);
        expect(rects).toHaveLength(sizes.length);
        rects.forEach(([x, y, w, h], i) => {
          expect((w * h) / (width * height)).toBeCloseTo((sizes[i] as number) / total, 6);
          expect(x).toBeGreaterThanOrEqual(5 - 1e-6);
          expect(y).toBeGreaterThanOrEqual(7 - 1e-6);
          expect(x + w).toBeLessThanOrEqual(5 + width + 1e-6);
          expect(y + h).toBeLessThanOrEqual(7 + height + 1e-6);
        });
      },
    ),
  );
});

test('equal sizes in a square become squares', () => {
  for (const [, , w, h] of squarify([1, 1, 1, 1], 0, 0, 100, 100)) {
    expect([w, h]).toEqual([50, 50]);
  }
});

test('nothing to place takes no room', () => {
  expect(squarify([0, 0], 1, 2, 100, 100)).toEqual([
    [1, 2, 0, 0],
    [1, 2, 0, 0],
  ]);
  expect(squarify([], 0, 0, 10, 10)).toEqual([]);
  const [, , width, height] = squarify([3, 0], 0, 0, 10, 10)[1] ?? [0, 0, 1, 1];
  expect(width * height).toBe(0);
});
