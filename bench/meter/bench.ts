/** How exact `measure` is, against the heap, and how fast the meter is, against what people use instead. */
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import v8 from 'node:v8';
import { measure, Meter } from '@plimsoll/core/meter';
import sizeof from 'object-sizeof';
import { row } from '../row.ts';
import type { Benchmark, BenchOptions, Row } from '../row.ts';
import { cases, flatChat, toolCalls, uiMessages } from './cases.ts';
import type { Truth } from './truth.ts';

const benchmark: Benchmark = async (options) => [...(await accuracy(options)), ...speed(options)];
export default benchmark;

async function accuracy(options: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  let isClose = 0;
  let peerIsClose = 0;
  let serializeIsClose = 0;
  let isInside = 0;
  for (const [name, { isVisible }] of Object.entries(cases)) {
    options.log(`measuring ${name} ...`);
    const found = await truthOf(name);
    const error = percent(found.bytes, found.truth);
    rows.push(
      row({
        metric: `measure: ${name}${isVisible ? '' : ' (hidden from JavaScript)'}`,
        unit: '% off the heap',
        samples: [error],
        peer: {
          name: 'object-sizeof',
          samples: [found.objectSizeof === null ? Number.NaN : percent(found.objectSizeof, found.truth)],
        },
      }),
    );
    if (!isVisible) continue;
    if (Math.abs(error) <= 5) isClose++;
    if (isNear(found.objectSizeof, found.truth)) peerIsClose++;
    if (isNear(found.serialize, found.truth)) serializeIsClose++;
    if (found.lo * 0.95 <= found.truth && found.truth <= found.hi * 1.05) isInside++;
  }
  const of20 = (
    metric: string,
    ours: number,
    atLeast: number,
    peer?: { name: string; samples: number[] },
  ): Row =>
    row({
      metric,
      unit: 'of 20 cases',
      samples: [ours],
      ...(peer === undefined ? {} : { peer }),
      goal: { of: 'ours', atLeast },
    });
  rows.push(
    of20('measure: within 5 %', isClose, 17, { name: 'object-sizeof', samples: [peerIsClose] }),
    of20('measure: within 5 %', isClose, 17, { name: 'v8.serialize', samples: [serializeIsClose] }),
    of20('measure: truth inside [lo, hi] ± 5 %', isInside, 20),
  );
  return rows;
}

function speed(options: BenchOptions): Row[] {
  const repeats = options.quick ? 40 : 300;
  const flat = flatChat();
  const parts = uiMessages();
  const tools = toolCalls();
  const appendAll = (values: readonly object[]): void => {
    const meter = new Meter();
    for (const value of values) meter.append(value);
    sink += meter.bytes;
  };
  const jsonAll = (values: readonly object[]): void => {
    for (const value of values) sink += JSON.stringify(value).length;
  };
  const nested = (name: string, values: readonly object[]): Row => {
    const [ours, peer] = interleave(
      repeats,
      nodesOf(values) - 1,
      () => appendAll(values),
      () => jsonAll(values),
    );
    return row({
      metric: `Meter.append: ${name}, per node`,
      unit: 'ns',
      samples: fast(ours),
      peer: { name: 'JSON.stringify().length', samples: fast(peer) },
      goal: { of: 'ours', atMost: 25 },
    });
  };
  const [ours, json] = interleave(
    repeats,
    flat.length,
    () => appendAll(flat),
    () => jsonAll(flat),
  );
  const [walk, peer] = interleave(
    repeats,
    1e6,
    () => (sink += measure(flat).bytes),
    () => (sink += sizeof(flat)),
  );
  const [, serialized] = interleave(
    repeats >> 1,
    1e6,
    () => {},
    () => (sink += v8.serialize(flat).byteLength),
  );
  const whole = { metric: 'measure: chat of 1,000 messages', unit: 'ms', samples: fast(walk) };
  return [
    row({
      metric: 'Meter.append: flat message',
      unit: 'ns',
      samples: fast(ours),
      peer: { name: 'JSON.stringify().length', samples: fast(json) },
      goal: { of: 'ours', atMost: 35 },
    }),
    nested('UIMessage parts', parts),
    nested('tool call of 20 rows', tools),
    row({ ...whole, peer: { name: 'object-sizeof', samples: fast(peer) } }),
    row({ ...whole, peer: { name: 'v8.serialize', samples: fast(serialized) } }),
  ];
}

let sink = 0;

/** Nanoseconds per unit of two ways to do the same, measured in turn so that both see the same machine. */
function interleave(
  repeats: number,
  units: number,
  ours: () => void,
  peer: () => void,
): [number[], number[]] {
  for (let i = 0; i < repeats / 2; i++) {
    ours();
    peer();
  }
  const samples: [number[], number[]] = [[], []];
  for (let i = 0; i < repeats; i++) {
    // Once untimed: what the other one pushed out of the processor's caches is no cost of ours.
    ours();
    samples[0].push(timed(ours) / units);
    peer();
    samples[1].push(timed(peer) / units);
  }
  return samples;
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1e6;
}

/** The faster half: what is left are turns in which nothing else took the core. */
function fast(samples: readonly number[]): number[] {
  return [...samples].sort((a, b) => a - b).slice(0, samples.length >> 1);
}

function nodesOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 1;
  for (const inner of Object.values(value)) count += nodesOf(inner);
  return count;
}

async function truthOf(name: string): Promise<Truth> {
  const args = [
    '--expose-gc',
    '--conditions=plimsoll-source',
    resolve(import.meta.dirname, 'truth.ts'),
    name,
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e6 });
  return JSON.parse(stdout) as Truth;
}

function percent(value: number, truth: number): number {
  return (100 * value) / truth - 100;
}

function isNear(value: number | null, truth: number): boolean {
  return value !== null && Math.abs(percent(value, truth)) <= 5;
}
