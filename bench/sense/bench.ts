/** Sensing: the floor on a starved loop against a gc observer, the price of a reading, and what sensing itself retains. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { processSensor } from '@plimsoll/leak/internal/floor/floor-watch';
import { quantile, row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

interface Starved {
  readonly truth: number;
  readonly observed: readonly { readonly bytes: number; readonly lagMs: number }[];
  readonly profiled: readonly number[];
  readonly readUs: readonly number[];
  readonly collections: number;
}

interface OwnBytes {
  readonly loadedBytes: number;
  readonly scopesBytes: number;
  readonly sensingBytes: number;
  readonly saidBytes: number;
  readonly scopes: number;
}

const benchmark: Benchmark = async ({ quick, log }) => {
  const rows: Row[] = [];
  for (const blockMs of [5, 300]) rows.push(...floorRows(blockMs, quick ? 4 : 20, log));
  rows.push(...readingRows(quick));
  const own = child('own-bytes.ts', ['1000']) as OwnBytes;
  log(
    `own heap: modules ${kib(own.loadedBytes)}, ${own.scopes} scopes ${kib(own.scopesBytes)}, sampler and census ${kib(own.sensingBytes)}`,
  );
  rows.push(
    row({
      metric: 'self.bytes against heap really taken by modules, sampler and census',
      unit: 'B',
      samples: [own.saidBytes],
      peer: { name: 'measured', samples: [own.loadedBytes + own.sensingBytes] },
      goal: { atLeast: 0.5, atMost: 2 },
    }),
  );
  return rows;
};

export default benchmark;

function floorRows(blockMs: number, seconds: number, log: (line: string) => void): Row[] {
  const found = child('starved.ts', [String(blockMs), String(seconds)]) as Starved;
  const over = (bytes: number): number => (100 * (bytes - found.truth)) / found.truth;
  const lags = found.observed.map(({ lagMs }) => lagMs);
  log(
    `turns of ${blockMs} ms: ${found.profiled.length} major GCs by the profiler, ${found.observed.length} by the observer (lag p50 ${quantile(lags, 0.5).toFixed(1)} ms); reading the profiler ${(quantile(found.readUs, 0.5) / 1000).toFixed(2)} ms for ${Math.round(found.collections / found.readUs.length)} collections`,
  );
  return [
    row({
      metric: `floor above the live set, turns of ${blockMs} ms`,
      unit: '%',
      samples: found.profiled.map(over),
      peer: {
        name: 'heapUsed in a gc PerformanceObserver',
        samples: found.observed.map(({ bytes }) => over(bytes)),
      },
      goal: { atMost: 1 },
    }),
  ];
}

function readingRows(quick: boolean): Row[] {
  const sensor = processSensor();
  const ours: number[] = [];
  const peer: number[] = [];
  const repeats = quick ? 20 : 200;
  const calls = 50;
  const time = (work: () => unknown): number => {
    const start = performance.now();
    for (let i = 0; i < calls; i++) work();
    return (1000 * (performance.now() - start)) / calls;
  };
  for (let i = 0; i < repeats; i++) {
    ours.push(time(() => sensor.read()));
    peer.push(time(() => process.memoryUsage()));
  }
  sensor.stop();
  return [
    row({
      metric: 'one reading: heap, floor, rss, buffers, cgroup, loop',
      unit: 'us',
      samples: ours,
      peer: { name: 'process.memoryUsage() alone', samples: peer },
      goal: { of: 'ours', atMost: 100 },
    }),
  ];
}

function child(file: string, args: readonly string[]): unknown {
  const path = resolve(import.meta.dirname, file);
  const flags = ['--conditions=plimsoll-source', '--expose-gc', '--max-old-space-size=512'];
  return JSON.parse(execFileSync(process.execPath, [...flags, path, ...args], { encoding: 'utf8' }));
}

function kib(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}
