import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import type { WorkerFloor } from './worker-floors.ts';
import { WorkerHeaps } from './worker-heaps.ts';

const heaps = new WorkerHeaps();
const workers: Worker[] = [];

afterEach(async () => {
  heaps.stop();
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()));
});

const source = `
const { BroadcastChannel, parentPort, threadId } = require('node:worker_threads');
globalThis.kept = Array.from({ length: 200_000 }, (_, i) => ({ i }));
const channel = new BroadcastChannel('plimsoll:workers');
channel.postMessage({ threadId, script: '/app/parse.mjs' });
channel.close();
parentPort.on('message', (text) => {
  if (text === 'end') process.exit(0);
  globalThis.more = Array.from({ length: 200_000 }, (_, i) => ({ i }));
});
`;

function begin(name?: string): Worker {
  const worker = new Worker(source, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 96 },
    ...(name !== undefined && { name }),
  });
  workers.push(worker);
  return worker;
}

test('every worker has its heap, its limit and a name, until it ends', async () => {
  heaps.start();
  const worker = begin();
  let now = 0;
  await vi.waitFor(() => {
    heaps.look((now += 10_000));
    expect(heaps.rows()).toMatchObject([{ script: '/app/parse.mjs', name: '/app/parse.mjs' }]);
    // 200,000 objects of 32 bytes.
    expect(heaps.rows()[0]?.heapUsed).toBeGreaterThan(6_000_000);
  });
  expect(heaps.rows()[0]?.limitBytes).toBe(96 * 1024 ** 2);
  const ended = once(worker, 'exit');
  worker.postMessage('end');
  await ended;
  expect(heaps.rows()).toEqual([]);
});

test('a worker that holds more at each of its last looks has grown', async () => {
  heaps.start();
  const worker = begin();
  let now = 0;
  const looked = (least: number): Promise<void> =>
    vi.waitFor(() => {
      heaps.look((now += 10_000));
      expect(heaps.rows()[0]?.heapUsed).toBeGreaterThan(least);
    });
  await looked(6_000_000);
  expect(heaps.rows()[0]?.grownBytes).toBeLessThan(3_000_000);
  worker.postMessage('more');
  await looked(12_000_000);
  await vi.waitFor(() => {
    heaps.look((now += 10_000));
    expect(heaps.rows()[0]?.grownBytes).toBeGreaterThan(5_000_000);
  });
});

test('our own threads are left out', async () => {
  heaps.start();
  begin('plimsoll-ledger');
  begin('parser');
  let now = 0;
  await vi.waitFor(() => {
    heaps.look((now += 10_000));
    expect(heaps.rows().map(({ name }) => name)).toEqual(['parser']);
  });
});

test('a look between two looks asks nobody', async () => {
  heaps.start();
  begin('parser');
  await vi.waitFor(() => {
    heaps.look(performance.now() * 1e6);
    expect(heaps.rows()).toHaveLength(1);
  });
  const [row] = heaps.rows();
  heaps.look(0);
  expect(heaps.rows()[0]).toBe(row);
});

test(
  'a worker that is asked tells what it holds after a collection, and ends when its work does',
  { timeout: 120_000 },
  async () => {
    const asking = new WorkerHeaps();
    asking.start();
    asking.wantFloors();
    const side = new URL('./worker-side.ts', import.meta.url).href;
    const worker = new Worker(
      `
    import { parentPort } from 'node:worker_threads';
    const { announceWorker } = await import(${JSON.stringify(side)});
    announceWorker();
    globalThis.kept = Array.from({ length: 200_000 }, (_, i) => ({ i }));
    parentPort.once('message', () => parentPort.close());`,
      { eval: true },
    );
    workers.push(worker);
    let now = 0;
    const floors = (): readonly WorkerFloor[] => asking.workers()[0]?.floors ?? [];
    await vi.waitFor(
      () => {
        asking.look((now += 10_000));
        expect(floors()).toHaveLength(1);
      },
      { timeout: 60_000, interval: 200 },
    );
    // 200,000 objects of 32 bytes.
    expect(floors()[0]?.bytes).toBeGreaterThan(6_000_000);
    expect(floors()[0]?.work).toBeGreaterThan(0);
    const ended = once(worker, 'exit');
    worker.postMessage('end');
    await ended;
    asking.stop();
  },
);
