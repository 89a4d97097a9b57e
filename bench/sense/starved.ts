/** A process that holds a fixed live set and blocks its loop while it allocates: what do two ways to read the floor say? */
import { PerformanceObserver, constants, performance } from 'node:perf_hooks';
import v8 from 'node:v8';

const [block = '300', seconds = '10'] = process.argv.slice(2);
const blockMs = Number(block);

const live: object[] = [];
for (let i = 0; i < 300_000; i++) live.push({ i, text: `n${i}`, list: [i, i + 1] });

const used = (): number => v8.getHeapStatistics().used_heap_size;
const collect = (): void => {
  globalThis.gc?.();
  globalThis.gc?.();
};

/** As many batches as this live at any time; each survives the young generation and dies in the old one, so that major GCs come. */
const ring: object[][] = Array.from({ length: 200 }, batch);
let at = 0;

function batch(): object[] {
  const list: object[] = [];
  for (let i = 0; i < 1000; i++) list.push({ i, text: `y${i}`, list: [i, i, i, i] });
  return list;
}

collect();
const truth = used();

const observed: { bytes: number; lagMs: number }[] = [];
new PerformanceObserver((list) => {
  const bytes = used();
  const now = performance.now();
  for (const entry of list.getEntries()) {
    if (
      (entry as unknown as { detail: { kind: number } }).detail.kind !== constants.NODE_PERFORMANCE_GC_MAJOR
    )
      continue;
    observed.push({ bytes, lagMs: now - entry.startTime - entry.duration });
  }
}).observe({ entryTypes: ['gc'] });

const profiled: number[] = [];
const readUs: number[] = [];
let collections = 0;
let profiler = new v8.GCProfiler();
profiler.start();
const read = (): void => {
  const start = performance.now();
  const profile = profiler.stop();
  profiler = new v8.GCProfiler();
  profiler.start();
  readUs.push(1000 * (performance.now() - start));
  collections += profile.statistics.length;
  for (const { gcType, afterGC } of profile.statistics) {
    if (gcType === 'MarkSweepCompact') profiled.push(afterGC.heapStatistics.usedHeapSize);
  }
};
const timer = setInterval(read, 1000);

const end = performance.now() + 1000 * Number(seconds);
const turn = (): void => {
  const stop = performance.now() + blockMs;
  while (performance.now() < stop) {
    ring[at++ % ring.length] = batch();
  }
  if (performance.now() < end) setImmediate(turn);
  else setTimeout(finish, 20);
};
const finish = (): void => {
  clearInterval(timer);
  read();
  process.stdout.write(
    JSON.stringify({ truth, live: live.length, observed, profiled, readUs, collections, blockMs }),
  );
  process.exit(0);
};
turn();
