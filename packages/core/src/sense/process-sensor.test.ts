import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FloorSource } from './floor.ts';
import { LoopDelay, ProcessSensor } from './process-sensor.ts';
import type { Reading } from './reading.ts';
import { Sampler } from './sampler.ts';

const noFloors: FloorSource = {
  floor: undefined,
  read: () => ({ major: 0, minor: 0, pauseMs: 0 }),
  stop: () => undefined,
};

function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until) continue;
}

/** The first look after a change only begins to measure. */
test.each([
  ['a busy process', [0.5], 250, 300, 150],
  ['a process that has woken up', [0, 0.5], 250, 300, 150],
])('a stop of %s is seen', async (_name, utilizations, firstMs, stopMs, leastMs) => {
  const delay = new LoopDelay();
  onTestFinished(() => delay.stop());
  for (const utilization of utilizations) delay.read(utilization, 0);
  await wait(firstMs);
  block(stopMs);
  await wait(50);
  expect(delay.read(0.5, 0)).toBeGreaterThan(leastMs);
});

test('a stop of an idle process is seen by the reading that it makes late', async () => {
  const sensor = new ProcessSensor({ floors: noFloors });
  using sampler = new Sampler({ sensor });
  const readings: Reading[] = [];
  sampler.onReading((reading) => void readings.push(reading));
  sampler.start();
  await vi.waitUntil(() => readings.some(({ loopUtilization }) => loopUtilization < 0.01), {
    timeout: 50_000,
    interval: 500,
  });
  const known = readings.length;
  block(1500);
  await vi.waitUntil(() => readings.length > known, { timeout: 50_000 });
  expect(readings[known]?.loopDelayMs).toBeGreaterThan(450);
  expect(readings[known]?.loopDelayMs).toBeLessThanOrEqual(readings[known]?.lateMs as number);
});

test('a stop is never longer than the loop ran', async () => {
  const sensor = new ProcessSensor({ floors: noFloors });
  onTestFinished(() => sensor.stop());
  await vi.waitUntil(
    async () => {
      await wait(500);
      return sensor.read().loopUtilization < 0.01;
    },
    { timeout: 50_000 },
  );
  await wait(300);
  expect(sensor.read(60_000).loopDelayMs).toBeLessThan(300);
});

test('a process that works, or whose memory grows, is not at rest', async () => {
  const sensor = new ProcessSensor({ floors: noFloors });
  onTestFinished(() => sensor.stop());
  sensor.read();
  block(50);
  expect(sensor.isAtRest()).toBe(false);
  await vi.waitUntil(
    async () => {
      await wait(500);
      return sensor.isAtRest();
    },
    { timeout: 50_000 },
  );
  const held = Buffer.alloc(8 * 1024 ** 2, 1);
  await wait(500);
  expect(sensor.isAtRest()).toBe(false);
  expect(held.length).toBeGreaterThan(0);
});

test('array buffers are told when external memory has changed, and asked for again after ten seconds without', () => {
  let nowMs = 0;
  const clock = { now: () => 0, monotonic: () => nowMs, after: () => () => undefined };
  const sensor = new ProcessSensor({ floors: noFloors, clock });
  onTestFinished(() => sensor.stop());
  const asked = vi.spyOn(process, 'memoryUsage');
  onTestFinished(() => asked.mockRestore());
  const mib = 1024 ** 2;
  const before = sensor.read().arrayBuffers;
  nowMs += 1000;
  const held = new ArrayBuffer(8 * mib);
  expect(sensor.read().arrayBuffers).toBeGreaterThanOrEqual(before + held.byteLength - mib);
  const known = asked.mock.calls.length;
  for (let i = 0; i < 9; i++) {
    nowMs += 1000;
    sensor.read();
  }
  const idle = asked.mock.calls.length;
  nowMs += 1000;
  sensor.read();
  expect(idle - known).toBeLessThan(9);
  expect(asked.mock.calls.length).toBeGreaterThan(known);
});
