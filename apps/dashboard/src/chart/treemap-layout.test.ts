import { expect, test } from 'vitest';
import { boxAt, layout, wayTo, type Mass } from './treemap-layout.ts';

const root: Mass = {
  id: 'all',
  name: 'all',
  bytes: 100,
  children: [
    { id: 'a', name: 'a', bytes: 60, children: [{ id: 'a1', name: 'a1', bytes: 40 }] },
    { id: 'b', name: 'b', bytes: 40 },
  ],
};

test('areas follow bytes and stay inside', () => {
  const boxes = layout(root, 400, 300);
  const area = (id: string): number => {
    const box = boxes.find(({ mass }) => mass.id === id);
    return box === undefined ? 0 : box.width * box.height;
  };
  expect(area('a') / area('b')).toBeCloseTo(1.5, 1);
  for (const box of boxes) {
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(400);
    expect(box.y + box.height).toBeLessThanOrEqual(300);
  }
});

test('what a branch holds beyond its children is shown as its own', () => {
  const boxes = layout(root, 400, 300);
  expect(boxes.find(({ mass }) => mass.id === 'a#rest')?.mass.bytes).toBe(20);
  expect(boxes.some(({ mass }) => mass.id === 'all#rest')).toBe(false);
});

test('the innermost box is the one that is pointed at', () => {
  const boxes = layout(root, 400, 300);
  const inner = boxes.find(({ mass }) => mass.id === 'a1');
  if (inner === undefined) throw new Error('a1 is not drawn');
  expect(boxAt(boxes, inner.x + 2, inner.y + 2)?.mass.id).toBe('a1');
  expect(boxAt(boxes, -5, -5)).toBeUndefined();
});

test('boxes below a few pixels are left out', () => {
  const many: Mass = {
    id: 'all',
    name: 'all',
    bytes: 10_001,
    children: [
      { id: 'big', name: 'big', bytes: 10_000 },
      { id: 'dust', name: 'dust', bytes: 1 },
    ],
  };
  expect(layout(many, 100, 100).map(({ mass }) => mass.id)).toEqual(['big']);
});

test('the way to a mass is told root first', () => {
  expect(wayTo(root, 'a1')?.map(({ id }) => id)).toEqual(['all', 'a', 'a1']);
  expect(wayTo(root, 'gone')).toBeUndefined();
});
