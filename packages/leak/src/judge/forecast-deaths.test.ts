import { expect, test } from 'vitest';
import { Trend } from './forecast.ts';

const MiB = 1024 ** 2;

/** Floors of processes with 256 MB of old space until V8 aborted them, by --trace-gc: seconds and MB. Every second or third is kept. */
const deaths: Readonly<Record<string, readonly (readonly [second: number, floor: number])[]>> = {
  'a Map in 88 s': [
    [2, 9],
    [6.1, 24],
    [22.6, 83],
    [35.9, 129],
    [37.3, 134],
    [38.8, 142],
    [41.7, 148],
    [45, 154],
    [47.6, 160],
    [50.6, 166],
    [53.1, 172],
    [55.6, 176],
    [58.2, 182],
    [61.2, 190],
    [64.2, 194],
    [67.3, 201],
    [70.7, 208],
    [73.5, 214],
    [79.8, 232],
    [86.2, 245],
    [88.4, 248],
  ],
  'a list in 164 s': [
    [3, 9],
    [22.1, 42],
    [53.9, 90],
    [78.7, 128],
    [81, 132],
    [84.1, 136],
    [86.5, 139],
    [88.5, 142],
    [91.7, 147],
    [97.4, 153],
    [117.4, 180],
    [125.7, 194],
    [127.2, 197],
    [129.5, 200],
    [132.8, 205],
    [134.8, 208],
    [137, 212],
    [139.5, 216],
    [143.2, 222],
    [153.7, 240],
    [160.9, 251],
    [163.7, 254],
  ],
  'closures in 242 s': [
    [4.8, 9],
    [9.9, 15],
    [20.5, 27],
    [35.2, 44],
    [53.7, 64],
    [71.8, 81],
    [96.3, 105],
    [117.1, 128],
    [132, 143],
    [142.1, 154],
    [174.1, 188],
    [179.8, 194],
    [197.9, 218],
    [209.6, 228],
    [221.1, 238],
    [231.6, 248],
    [237.1, 252],
    [242, 255],
  ],
};

test.each(Object.entries(deaths))(
  'the death of %s is foreseen within 2x from half of its life on',
  (_, floors) => {
    const died = (floors.at(-1) as readonly [number, number])[0];
    for (const part of [0.5, 0.75]) {
      const trend = new Trend();
      const nowMs = 1000 * part * died;
      floors
        .filter(([second]) => 1000 * second <= nowMs)
        .forEach(([second, mb], i) => {
          const pressures = [{ source: 'heap', used: mb * MiB, limit: 0.8 * 256 * MiB, endBytes: 256 * MiB }];
          trend.take({ floor: mb * MiB, floorAgeMs: 0, majors: i + 1, pressures }, 1000 * second);
        });
      const left = 1000 * died - nowMs;
      const told = trend.forecast(nowMs, 0);
      expect((told?.endMs ?? 0) / left, `at ${part} of its life`).toBeGreaterThan(0.5);
      expect((told?.endMs ?? 0) / left, `at ${part} of its life`).toBeLessThan(2);
      // The limit comes before the end.
      expect(told?.ms).toBeLessThan(told?.endMs ?? 0);
    }
  },
);
