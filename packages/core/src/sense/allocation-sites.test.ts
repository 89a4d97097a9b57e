import v8 from 'node:v8';
import { expect, test } from 'vitest';
import { sampleAllocationSites, sum, throughV8 } from './allocation-sites.ts';
import type { ProfileNode } from './allocation-sites.ts';

const kept: object[] = [];

function hoardEntries(): void {
  for (let i = 0; i < 40_000; i++) kept.push({ i, text: `entry ${i}`, list: [i, i + 1, i + 2] });
}

test('the site that holds on to memory comes first, with a size about right', async () => {
  kept.length = 0;
  const run = sampleAllocationSites({ durationMs: 200, intervalBytes: 8192, top: 5 });
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  await new Promise((resolve) => setTimeout(resolve, 50));
  hoardEntries();
  const grown = process.memoryUsage().heapUsed - before;
  const found = await run;
  const site = found.sites.find(({ name }) => name === 'hoardEntries');
  expect(site?.where).toMatch(/allocation-sites\.test\.ts:\d+:\d+$/);
  expect((site?.bytes as number) / grown).toBeGreaterThan(0.5);
  expect((site?.bytes as number) / grown).toBeLessThan(1.5);
  expect(found.sites.length).toBeLessThanOrEqual(5);
  expect(found.totalBytes).toBeGreaterThanOrEqual(site?.bytes as number);
  expect(found.durationMs).toBeGreaterThanOrEqual(200);
  expect(found.pauseMs).toBeGreaterThan(0);
  expect(found.forcedGc).toBe(!('startHeapProfile' in v8));
  expect(kept).toHaveLength(40_000);
  kept.length = 0;
});

test('one run at a time; the next may follow', async () => {
  const stop = new AbortController();
  const first = sampleAllocationSites({ durationMs: 60_000, signal: stop.signal });
  const refused = (await sampleAllocationSites().catch((error: unknown) => error)) as Error;
  expect(String(refused).replace(/for [\d.]+ m?s/, 'for 0 ms')).toMatchInlineSnapshot(`
    "PLM_SENSE_SAMPLING_BUSY: allocation sites are already being sampled, for 0 ms now.
      at:  sampleAllocationSites()
      fix: wait for the running call to settle, then call it again."
  `);
  stop.abort();
  const early = await first;
  expect(early.durationMs).toBeLessThan(60_000);
  const again = await sampleAllocationSites({ durationMs: 60_000, signal: AbortSignal.abort() });
  expect(again.durationMs).toBeLessThan(60_000);
});

test('options outside their bounds are refused before anything starts', async () => {
  await expect(sampleAllocationSites({ durationMs: 0 })).rejects.toMatchObject({
    code: 'PLM_SENSE_BAD_OPTION',
  });
  await expect(sampleAllocationSites({ intervalBytes: 1 })).rejects.toMatchObject({
    code: 'PLM_SENSE_BAD_OPTION',
  });
  await sampleAllocationSites({ durationMs: 10 });
});

const leaf = (name: string, url: string, selfSize: number, children: ProfileNode[] = []): ProfileNode => ({
  callFrame: { functionName: name, url, lineNumber: 9, columnNumber: 4 },
  selfSize,
  children,
});

test('stacks that end at the same place are one site', () => {
  const head = leaf('(root)', '', 0, [
    leaf('a', 'file:///a.ts', 100, [leaf('b', 'file:///b.ts', 50)]),
    leaf('b', 'file:///b.ts', 70),
    leaf('', '', 10),
  ]);
  expect(sum(head)).toEqual([
    { name: 'b', where: 'file:///b.ts:10:5', bytes: 120 },
    { name: 'a', where: 'file:///a.ts:10:5', bytes: 100 },
    { name: '(anonymous)', where: '(native)', bytes: 10 },
  ]);
});

test('the reader of Node 26 is given the interval and read as JSON', async () => {
  const asked: object[] = [];
  const sampling = throughV8((options) => {
    asked.push(options);
    return { stop: () => JSON.stringify({ head: leaf('(root)', '', 3) }) };
  }, 4096);
  expect(sum(await sampling.read())).toEqual([{ name: '(root)', where: '(native)', bytes: 3 }]);
  expect(asked).toEqual([{ sampleInterval: 4096 }]);
  expect(sampling.forcesGc).toBe(false);
});
