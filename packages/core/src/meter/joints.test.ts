import { expect, test } from 'vitest';
import { Joints } from './joints.ts';

const shareOf = (make: (i: number) => string): number | undefined => {
  const joints = new Joints();
  joints.begin(true);
  let share: number | undefined;
  for (let i = 0; i < 17; i++) share = joints.shareOf('path', make(i));
  return share;
};

test('strings that were put together are told from those in one piece by their first read', () => {
  expect(shareOf((i) => Buffer.from(`/orders/of/customer/${i}`).toString())).toBe(0);
  expect(shareOf((i) => `/orders/of/customer/${i}`)).toBeGreaterThan(0.7);
});

test('in a scope that was walked before, strings in one piece teach nothing, because they were read', () => {
  const joints = new Joints();
  for (let i = 0; i < 16; i++) {
    joints.begin(false);
    const flat = Buffer.from(`/orders/of/customer/${i}`).toString();
    expect(joints.shareOf('path', flat)).toBeUndefined();
  }
});
