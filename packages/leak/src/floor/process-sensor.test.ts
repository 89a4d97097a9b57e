import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { processSensor } from './floor-watch.ts';

const run = promisify(execFile);
const mib = 1024 ** 2;

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

test('one read tells heap, floor, buffers, resident set and loop of this process', async () => {
  const sensor = processSensor();
  sensor.read();
  const held = Buffer.alloc(32 * 1024 ** 2, 1);
  globalThis.gc?.();
  // The delay monitor begins with its first beat, after 100 ms, and needs turns of the loop around the block to see it.
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The delay is sampled every 100 ms, so that it reads up to 100 ms short.
  const blockUntil = performance.now() + 320;
  while (performance.now() < blockUntil);
  await new Promise((resolve) => setTimeout(resolve, 950));
  const vitals = sensor.read();
  sensor.stop();
  const usage = process.memoryUsage();
  expect(vitals.arrayBuffers).toBeGreaterThanOrEqual(held.length);
  expect(vitals.external).toBeGreaterThanOrEqual(held.length);
  expect(vitals.rss / usage.rss).toBeCloseTo(1, 0);
  expect(vitals.heapUsed / usage.heapUsed).toBeCloseTo(1, 0);
  expect(vitals.gc.major).toBeGreaterThanOrEqual(1);
  expect(vitals.floor?.bytes).toBeGreaterThan(1024 ** 2);
  expect(vitals.loopDelayMs).toBeGreaterThan(160);
  expect(vitals.loopUtilization).toBeGreaterThan(0);
  expect(vitals.loopUtilization).toBeLessThanOrEqual(1);
  expect(sensor.retainedBytes).toBeGreaterThan(0);
});

test('stopping gives every descriptor back, and reading goes on to work', () => {
  const before = descriptors();
  const sensor = processSensor();
  sensor.read();
  expect(descriptors()).toBeGreaterThan(before);
  sensor.stop();
  expect(descriptors()).toBe(before);
  expect(sensor.read().rss).toBeGreaterThan(0);
  sensor.stop();
});

test('array buffers are asked for at most once a second, and keep their last value when Node cannot tell', () => {
  const clock = new FakeClock();
  const sensor = processSensor(clock);
  const original = process.memoryUsage;
  let asked = 0;
  const counted = (): NodeJS.MemoryUsage => {
    asked++;
    if (asked === 2) throw new Error('EMFILE');
    return original();
  };
  try {
    process.memoryUsage = Object.assign(counted, { rss: original.rss });
    const first = sensor.read().arrayBuffers;
    clock.advance(500);
    sensor.read();
    expect(asked).toBe(1);
    clock.advance(500);
    expect(sensor.read().arrayBuffers).toBe(first);
    expect(asked).toBe(2);
  } finally {
    process.memoryUsage = original;
    sensor.stop();
  }
});

test('a worker thread senses its own heap', async () => {
  const worker = new Worker(new URL('./worker.fixture.ts', import.meta.url), {
    execArgv: ['--conditions=plimsoll-source'],
    resourceLimits: { maxOldGenerationSizeMb: 100 },
  });
  const message = await new Promise<{ floor: number; binding: string; scopeBytes: number; limit: number }>(
    (resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    },
  );
  await worker.terminate();
  expect(message.floor).toBeGreaterThan(1024 ** 2);
  expect(message.limit).toBe(Math.floor(0.8 * 100 * 1024 ** 2));
  expect(message.scopeBytes).toBeGreaterThan(100_000);
  expect(message.scopeBytes).toBeLessThan(150_000);
});

test('sampler and census on the real clock do not hold a process open', async () => {
  const fixture = join(import.meta.dirname, 'idle.fixture.ts');
  const { stdout } = await run(process.execPath, ['--conditions=plimsoll-source', fixture], {
    timeout: 100_000,
  });
  const reading = JSON.parse(stdout) as Reading;
  expect(reading.rss).toBeGreaterThan(10 * mib);
  expect(reading.limit).toBeGreaterThan(reading.used);
});
