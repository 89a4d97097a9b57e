import { expect, test } from 'vitest';
import { LoopStops } from './loop-stops.ts';

/** Stands in for the histogram of Node.js. */
class Histogram {
  max = 0;
  isOn = false;
  enable(): void {
    this.isOn = true;
  }
  disable(): void {
    this.isOn = false;
  }
  reset(): void {
    this.max = 0;
  }
}

test('the monitor runs only while the loop is busy', () => {
  const histogram = new Histogram();
  const stops = new LoopStops(histogram);
  expect(stops.take(99, 500)).toBe(0);
  expect(histogram.isOn).toBe(false);
  expect(stops.take(300, 600)).toBe(0.5);
  expect(histogram.isOn).toBe(true);
  histogram.max = 450e6;
  expect(stops.take(700, 600)).toBe(350);
  histogram.max = 60e6;
  expect(stops.take(700, 600)).toBe(0);
  for (let i = 0; i < 9; i++) stops.take(10, 5);
  expect(histogram.isOn).toBe(true);
  stops.take(10, 5);
  expect(histogram.isOn).toBe(false);
});

test('a stop of an idle process is told by its busy time, before the monitor is on', () => {
  const stops = new LoopStops(new Histogram());
  expect(stops.take(5, 8)).toBe(0);
  expect(stops.take(830, 8)).toBe(830);
});

test('reads what Node.js says of this process', () => {
  const stops = new LoopStops();
  const end = performance.now() + 150;
  while (performance.now() < end) continue;
  const { loopDelayMs, loopUtilization } = stops.read();
  expect(loopDelayMs).toBeGreaterThan(0);
  expect(loopUtilization).toBeGreaterThan(0);
  stops.stop();
});
