import { existsSync, mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { WorkerFloor } from '@plimsoll/core/internal/sense/worker-floors';
import type { WorkerRow } from '@plimsoll/core/internal/sense/worker-heaps';
import { afterEach, expect, test } from 'vitest';
import { growthRecordOf } from './growth-record.fixture.ts';
import type { WorkerRecord } from './growth-record.ts';
import { hasGrown, workerGrowth, WorkerProofs } from './worker-proofs.ts';

const MiB = 1024 ** 2;
const workers: Worker[] = [];

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

/** A worker that adds so many results to a list for each message. */
function begin(): Worker {
  const worker = new Worker(
    `
    const { parentPort } = require('node:worker_threads');
    class Result { constructor(i) { this.text = ['result', i, String(i)]; } }
    const results = (globalThis.results = []);
    parentPort.on('message', (many) => {
      for (let i = 0; i < many; i++) results.push(new Result(results.length));
      parentPort.postMessage('done');
    });`,
    { eval: true },
  );
  workers.push(worker);
  return worker;
}

async function add(worker: Worker, many: number): Promise<void> {
  const done = new Promise((resolve) => worker.once('message', resolve));
  worker.postMessage(many);
  await done;
}

const rowOf = (heapUsed: number, grownBytes = heapUsed / 2): WorkerRow => ({
  threadId: 3,
  name: 'parse.mjs',
  script: '/app/parse.mjs',
  heapUsed,
  external: 0,
  grownBytes,
  limitBytes: 1024 * MiB,
  at: 0,
});

test(
  'a worker whose list grows is looked at three times, with time in between',
  { timeout: 300_000 },
  async () => {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
    let now = 1_000_000;
    const proofs = new WorkerProofs({ dir, maxPauseMs: 600_000, now: () => now });
    const worker = begin();
    for (let i = 0; i < 3; i++) {
      await add(worker, 8000);
      await proofs.look([{ worker, row: rowOf((20 + 20 * i) * MiB) }]);
      // Too soon for another one.
      await proofs.look([{ worker, row: rowOf((30 + 20 * i) * MiB) }]);
      now += 30_000;
    }
    await proofs.look([{ worker, row: rowOf(200 * MiB) }]);
    const [found] = proofs.records as [WorkerRecord];
    expect(found).toMatchObject({ name: 'parse.mjs', script: '/app/parse.mjs' });
    expect(found.captures).toHaveLength(3);
    const { mode } = statSync(found.captures[0]?.file as string);
    expect(mode & 0o777).toBe(0o600);
    expect(workerGrowth(growthRecordOf(), found).channels.heap.shape).toBe('growing');
    proofs.discard();
    expect(existsSync(found.captures[0]?.file as string)).toBe(false);
    expect(proofs.records).toEqual([]);
  },
);

test('a heap that is too large to be stopped for, or that did not grow, is left alone', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  const worker = { getHeapSnapshot: () => Promise.reject(new Error('not to be asked')) };
  const quick = new WorkerProofs({ dir, maxPauseMs: 10 });
  await quick.look([{ worker, row: rowOf(400 * MiB) }]);
  const off = new WorkerProofs({ dir, maxPauseMs: 0 });
  await off.look([{ worker, row: rowOf(40 * MiB) }]);
  const ended = new WorkerProofs({ dir, maxPauseMs: 600_000 });
  await ended.look([{ worker, row: rowOf(40 * MiB, MiB) }]);
  // The worker ends while it is asked.
  await ended.look([{ worker, row: rowOf(40 * MiB) }]);
  expect([...quick.records, ...off.records, ...ended.records]).toEqual([]);
  expect(hasGrown(rowOf(40 * MiB, 20 * MiB))).toBe(true);
  expect(hasGrown(rowOf(40 * MiB, 3 * MiB))).toBe(false);
  expect(hasGrown(rowOf(400 * MiB, 30 * MiB))).toBe(false);
});

const shapeOf = (
  sizes: readonly number[],
  { distanceMs = 30_000, later }: { distanceMs?: number; later?: WorkerRecord['later'] } = {},
): string =>
  workerGrowth(growthRecordOf(), {
    name: 'w',
    script: null,
    captures: sizes.map((size, i) => ({
      file: `${i}`,
      at: distanceMs * i,
      stopMs: 1,
      heapBytes: size * MiB,
    })),
    ...(later && { later }),
  }).channels.heap.shape;

test('on a busy machine, and after a stop that was too long, no worker is stopped', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  let [now, slowness, delayMs] = [0, 4, 0];
  const worker = {
    getHeapSnapshot: async () => {
      await sleep(delayMs);
      return Readable.from(['{}']);
    },
  };
  const proofs = new WorkerProofs({ dir, maxPauseMs: 200, now: () => now, slowness: () => slowness });
  const look = async (bytes: number): Promise<number> => {
    now += 30_000;
    await proofs.look([{ worker, row: { ...rowOf(bytes), grownBytes: 3 * MiB, at: now } }]);
    return proofs.records[0]?.captures.length ?? 0;
  };
  expect(await look(2 * MiB)).toBe(0);
  slowness = 1;
  delayMs = 320;
  expect(await look(2 * MiB)).toBe(1);
  delayMs = 0;
  expect(await look(3.5 * MiB)).toBe(1);
  proofs.discard();
});

test('growth that slows down, or that two snapshots show, is not told yet', () => {
  const of = (...sizes: readonly number[]): string => shapeOf(sizes);
  expect(of()).toBe('few');
  expect(of(10)).toBe('few');
  expect(of(10, 20)).toBe('unclear');
  expect(of(10, 20, 30)).toBe('growing');
  expect(of(10, 20, 22)).toBe('slowing');
});

test('a worker whose heap is lower after the third snapshot than its pace makes it has stopped growing', () => {
  const later = (size: number): { later: WorkerRecord['later'] } => ({
    later: { at: 120_000, heapBytes: size * MiB },
  });
  expect(shapeOf([10, 20, 30], later(31))).toBe('ended');
  // Garbage makes a reading higher, never lower.
  expect(shapeOf([10, 20, 30], later(90))).toBe('growing');
  expect(shapeOf([10, 20, 30], { distanceMs: 12_000 })).toBe('few');
  expect(shapeOf([10, 20, 30], { distanceMs: 12_000, ...later(110) })).toBe('growing');
  const soon = { later: { at: 50_000, heapBytes: 60 * MiB } };
  expect(shapeOf([10, 20, 30], { distanceMs: 12_000, ...soon })).toBe('few');
});

test('slow growth that was seen for a while needs less time between its snapshots', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  let now = 0;
  const worker = { getHeapSnapshot: () => Promise.resolve(Readable.from(['{}'])) };
  const proofs = new WorkerProofs({ dir, maxPauseMs: 60_000, now: () => now });
  // 70 KB a second, in a worker of 4 MiB whose first looks end after 20 s.
  for (let second = 20; second <= 120; second += 1) {
    now = second * 1000;
    const grownBytes = (second - 20) * 70_000;
    await proofs.look([{ worker, row: { ...rowOf(4 * MiB + grownBytes, grownBytes), at: now } }]);
  }
  const [found] = proofs.records as [WorkerRecord];
  // Half of the 2 MiB was there after 35 s, and the third snapshot comes 50 s after that.
  expect(found.since).toBe(35_000);
  expect(found.captures.map(({ at }) => at / 1000)).toEqual([50, 68, 86]);
  const { later: _, ...early } = found;
  expect(workerGrowth(growthRecordOf(), early).channels.heap.shape).toBe('growing');
  // The same snapshots without the time before are too near to tell a leak from a cache that fills.
  const { since: __, ...near } = early;
  expect(workerGrowth(growthRecordOf(), near).channels.heap.shape).toBe('few');
  proofs.discard();
});

test('with one snapshot growth is open until its readings are lower than its pace makes it', () => {
  const shapeAfter = (later?: WorkerRecord['later']): string => {
    // 3 MiB in all, the second half of it in 30 s.
    const captures = [{ file: 'a', at: 97_000, stopMs: 1, heapBytes: 15 * MiB }];
    const record = { name: 'w', script: null, since: 67_000, grownBytes: 3 * MiB, captures };
    const { shape, growthBytes } = workerGrowth(growthRecordOf(), { ...record, ...(later && { later }) })
      .channels.heap;
    expect(growthBytes).toBe(3 * MiB);
    return shape;
  };
  expect(shapeAfter()).toBe('few');
  expect(shapeAfter({ at: 117_000, heapBytes: 16.2 * MiB })).toBe('few');
  expect(shapeAfter({ at: 117_000, heapBytes: 15.2 * MiB })).toBe('ended');
  expect(shapeAfter({ at: 157_000, heapBytes: 16.2 * MiB })).toBe('ended');
});

test('a heap that soon fits no more is looked at sooner, and read after the third snapshot', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  let now = 0;
  const worker = { getHeapSnapshot: () => Promise.resolve(Readable.from(['{}'])) };
  const lookAt = async (proofs: WorkerProofs, second: number): Promise<void> => {
    now = second * 1000;
    await proofs.look([{ worker, row: { ...rowOf((20 + second / 2) * MiB), at: now } }]);
  };
  const tight = new WorkerProofs({ dir, maxPauseMs: 2000, now: () => now });
  for (let second = 20; second <= 80; second += 5) await lookAt(tight, second);
  const [found] = tight.records as [WorkerRecord];
  expect(found.captures.map(({ at }) => at / 1000)).toEqual([20, 35, 50]);
  expect(found.later).toEqual({ at: 65_000, heapBytes: 52.5 * MiB });
  tight.discard();
  const ample = new WorkerProofs({ dir, maxPauseMs: 60_000, now: () => now });
  for (let second = 20; second <= 80; second += 5) await lookAt(ample, second);
  const [calm] = ample.records as [WorkerRecord];
  expect(calm.captures.map(({ at }) => at / 1000)).toEqual([20, 45, 70]);
  expect(calm.later).toBeUndefined();
  ample.discard();
});

/** Floors of a worker, one in five seconds, that begins with 6 MiB. */
const floorsOf = (count: number, bytesAt: (i: number) => number): WorkerFloor[] =>
  Array.from({ length: count }, (_, i) => ({
    at: 5000 * i,
    work: 400 * i,
    bytes: 6 * MiB + bytesAt(i) + 4096 * (i % 3),
  }));

test('the floors of a worker tell slow growth that its readings hide in garbage, and what came to rest', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  let now = 0;
  const worker = { getHeapSnapshot: () => Promise.resolve(Readable.from(['{}'])) };
  const proofs = new WorkerProofs({ dir, maxPauseMs: 60_000, now: () => now });
  const leaking = floorsOf(18, (i) => i * 250_000);
  for (let i = 1; i <= leaking.length; i++) {
    now = 5000 * i - 1;
    // Garbage: the readings never show growth.
    const row = { ...rowOf(14 * MiB + i * MiB, 0), at: now };
    await proofs.look([{ worker, row, floors: leaking.slice(0, i) }]);
  }
  const [found] = proofs.records as [WorkerRecord];
  expect(found.captures.length).toBeGreaterThan(1);
  expect(found.floors).toHaveLength(18);
  const { channels, first, last, floors } = workerGrowth(growthRecordOf(), found);
  expect(channels.heap.shape).toBe('growing');
  // What a snapshot drops and takes is cut out.
  expect(found.floors?.at(-1)?.work).toBeLessThan(400 * 17);
  expect([first?.at, last?.at, floors.length]).toEqual([
    found.captures[0]?.at,
    found.captures.at(-1)?.at,
    18,
  ]);
  // One snapshot is the last one, without a first.
  const once = workerGrowth(growthRecordOf(), { ...found, captures: found.captures.slice(0, 1) });
  expect([once.first, once.last?.at]).toEqual([null, found.captures[0]?.at]);
  const filled = floorsOf(18, (i) => Math.min(i, 7) * 250_000);
  const rested = { name: 'w', script: null, captures: [], floors: filled };
  expect(workerGrowth(growthRecordOf(), rested).channels.heap.shape).toBe('ended');
  proofs.discard();
});

test('floors are recorded without snapshots, too', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-workers-'));
  const worker = { getHeapSnapshot: () => Promise.reject(new Error('not to be asked')) };
  const proofs = new WorkerProofs({ dir, maxPauseMs: 0 });
  const floors = floorsOf(8, () => 0);
  await proofs.look([{ worker, row: rowOf(6 * MiB, 0), floors }]);
  expect(proofs.records).toEqual([{ name: 'parse.mjs', script: '/app/parse.mjs', captures: [], floors }]);
});
