import { expect, test } from 'vitest';
import type { WorkPoint } from '../judge/growth-shape.ts';
import { followsLoad, lagsBehindLoad } from './follows-load.ts';

const seconds = 150;

/** A count a second, beside a load of so many requests a second, each of which allocates 20 kB. */
function counted(
  rateAt: (second: number) => number,
  countAt: (second: number) => number,
): readonly WorkPoint[] {
  let work = 0;
  return Array.from({ length: seconds }, (_, i) => {
    work += rateAt(i) * 20_000;
    return { at: 1000 * i, work, bytes: 4096 * countAt(i) };
  });
}

const ramp = (i: number): number => 10 + (70 * i) / seconds;
const sum = (from: number, to: number, rateAt: (i: number) => number): number =>
  Array.from({ length: Math.max(0, to - from) }, (_, k) => rateAt(from + k)).reduce((a, b) => a + b, 0);
const staying = (keepsFor: number, rateAt: (i: number) => number) => (i: number) =>
  sum(Math.max(0, i - keepsFor), i, rateAt);

test('what stays for a while follows a load that rises, and a leak under it does not', () => {
  expect(followsLoad(counted(ramp, staying(15, ramp)))).toBe(true);
  expect(followsLoad(counted(ramp, staying(seconds, ramp)))).toBe(false);
});

test('under a steady load nothing follows it, whatever grows', () => {
  const steady = (): number => 40;
  expect(followsLoad(counted(steady, staying(seconds, steady)))).toBe(false);
  expect(followsLoad(counted(steady, staying(15, steady)))).toBe(false);
});

test('a leak on top of what was there before does not follow a load that recovers', () => {
  const recovering = (i: number): number => (i < 75 ? 20 : 40);
  expect(followsLoad(counted(recovering, (i) => 3000 + staying(seconds, recovering)(i)))).toBe(false);
  expect(followsLoad([])).toBe(false);
  expect(
    followsLoad(
      counted(
        () => 0,
        (i) => i,
      ),
    ),
  ).toBe(false);
});

test('timers that each wait for a while become more no faster with a load that rises, beside other work', () => {
  const busy = (i: number): number => 40 + ramp(i);
  expect(lagsBehindLoad(counted(busy, staying(15, ramp)))).toBe(true);
  expect(lagsBehindLoad(counted(busy, staying(seconds, ramp)))).toBe(false);
  const steady = (): number => 40;
  expect(lagsBehindLoad(counted(steady, staying(seconds, steady)))).toBe(false);
  expect(lagsBehindLoad([])).toBe(false);
});
