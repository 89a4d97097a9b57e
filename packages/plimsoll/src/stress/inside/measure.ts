import { writeHeapSnapshot } from 'node:v8';
import { forceGc } from '@plimsoll/leak/internal/floor/forced-gc';
import type { Measure } from './protocol.ts';

/** Collects fully, with turns of the loop between: finalizers and weak references run there. */
export async function collect(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    forceGc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Live memory. It collects until two readings agree within 1 %, at most five times. */
export async function measure(): Promise<Measure> {
  let before = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 5; i++) {
    await collect(2);
    const { heapUsed, external } = process.memoryUsage();
    const live = heapUsed + external;
    if (Math.abs(before - live) < 0.01 * live) break;
    before = live;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { at: Date.now(), heapUsed, external, arrayBuffers, rss, resources };
}

/** Writes a snapshot into a file. The process may be stopped for it, because only the harness waits. */
export async function snapshot(
  file: string,
): Promise<{ readonly stopMs: number; readonly heapBytes: number }> {
  await collect(2);
  const started = performance.now();
  writeHeapSnapshot(file);
  return { stopMs: performance.now() - started, heapBytes: process.memoryUsage().heapUsed };
}
