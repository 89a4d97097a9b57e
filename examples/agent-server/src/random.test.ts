import { expect, test } from 'vitest';
import { seeded, seedOf } from './random.ts';

test('the same seed gives the same numbers, another seed others', () => {
  const draw = (seed: number): number[] => {
    const random = seeded(seed);
    return Array.from({ length: 5 }, () => random.int(0, 1000));
  };
  expect(draw(7)).toEqual(draw(7));
  expect(draw(7)).not.toEqual(draw(8));
});

test('numbers are spread evenly over their range', () => {
  const random = seeded(1);
  const counts = [0, 0, 0, 0];
  for (let i = 0; i < 40_000; i += 1) {
    const at = random.int(0, 3);
    counts[at] = (counts[at] as number) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
  expect(random.pick(['only'])).toBe('only');
});

test('a chance of 0 never comes, a chance of 1 always', () => {
  const random = seeded(3);
  expect(Array.from({ length: 100 }, () => random.chance(0))).not.toContain(true);
  expect(Array.from({ length: 100 }, () => random.chance(1))).not.toContain(false);
});

test('names give stable and different seeds', () => {
  expect(seedOf('planner/3')).toBe(seedOf('planner/3'));
  expect(seedOf('planner/3')).not.toBe(seedOf('planner/4'));
});
