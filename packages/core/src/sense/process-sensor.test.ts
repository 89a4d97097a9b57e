import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { FloorSource } from './floor.ts';
import { LoopDelay, ProcessSensor } from './process-sensor.ts';

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

/** An event loop that ran and rested for as long as the test says: a busy machine makes a real one run longer. */
function fakeLoop(): (activeMs: number, idleMs: number) => void {
  let [active, idle] = [0, 0];
  const of = (ran: number, rested: number): EventLoopUtilization => ({
    active: ran,
    idle: rested,
    utilization: ran + rested === 0 ? 0 : ran / (ran + rested),
  });
  const spy = vi
    .spyOn(performance, 'eventLoopUtilization')
    .mockImplementation((now, before) =>
      now === undefined || before === undefined
        ? of(active, idle)
        : of(now.active - before.active, now.idle - before.idle),
    );
  onTestFinished(() => spy.mockRestore());
  return (activeMs, idleMs) => {
    active += activeMs;
    idle += idleMs;
  };
}

test('a stop of an idle process is seen by the reading that it makes late, and is never longer than the loop ran', () => {
  const pass = fakeLoop();
  const sensor = new ProcessSensor({ floors: noFloors });
  onTestFinished(() => sensor.stop());
  for (let i = 0; i < 2; i++) {
    pass(2, 998);
    sensor.read(5);
  }
  pass(1500, 900);
  expect(sensor.read(1400).loopDelayMs).toBe(1400);
  for (let i = 0; i < 2; i++) {
    pass(2, 998);
    sensor.read(5);
  }
  pass(300, 700);
  expect(sensor.read(60_000).loopDelayMs).toBe(300);
});

test('a process that works, or whose memory grows, is not at rest', () => {
  const pass = fakeLoop();
  const sensor = new ProcessSensor({ floors: noFloors });
  onTestFinished(() => sensor.stop());
  sensor.read();
  pass(50, 450);
  expect(sensor.isAtRest()).toBe(false);
  pass(2, 498);
  expect(sensor.isAtRest()).toBe(true);
  const held = Buffer.alloc(8 * 1024 ** 2, 1);
  pass(2, 498);
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
