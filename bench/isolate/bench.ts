/**
 * `isolate` beside piscina, tinypool and workerpool: round trip, throughput, memory of two workers, and what is left of the process when a
 * task eats 2 GB. Then 1,000 tasks of which a tenth exceed their limit, time out, crash or are aborted.
 * `npm run bench -- isolate [--quick]`: 60 tasks and 512 MB when quick, about 1 minute; the whole takes about 4.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { isolate } from '@plimsoll/isolate';
import type { Benchmark, Row } from '../row.ts';
import { row } from '../row.ts';
import { pools, workers } from './rivals.ts';
import type { PoolName, TaskInput } from './rivals.ts';

const names = Object.keys(pools) as PoolName[];
const here = { cwd: import.meta.dirname, encoding: 'utf8' } as const;
const task = new URL('./task.mjs', import.meta.url);

interface Speed {
  /** µs of one call after the other. */
  readonly trips: number[];
  /** Tasks per second with 16 calls at once. */
  readonly rates: number[];
  /** MiB of two workers, without our own process as it was before. */
  readonly mib: number[];
}

const benchmark: Benchmark = async ({ quick, log }) => {
  spawnSync('npx', ['tsc', '-b'], { cwd: resolve(import.meta.dirname, '../..'), stdio: 'inherit' });
  const speeds = Object.fromEntries(names.map((name) => [name, { trips: [], rates: [], mib: [] } as Speed]));
  for (let round = 0; round < (quick ? 2 : 5); round++)
    for (const name of names) {
      measure(name, speeds[name] as Speed, quick);
      log(`${name}, round ${round + 1}`);
    }
  const beside = (metric: string, unit: string, pick: (speed: Speed) => number[]): Row[] =>
    names
      .filter((name) => name !== 'isolate')
      .map((name) =>
        row({
          metric,
          unit,
          samples: pick(speeds['isolate'] as Speed),
          peer: { name, samples: pick(speeds[name] as Speed) },
        }),
      );
  return [
    ...beside('round trip', 'µs', ({ trips }) => trips),
    ...beside('throughput, 16 at once', 'tasks/s', ({ rates }) => rates),
    ...beside(`memory of ${workers} workers`, 'MiB', ({ mib }) => mib),
    ...eaters(quick, log),
    ...(await crowd(quick ? 60 : 1000, log)),
  ];
};
export default benchmark;

/** In a process of its own, on the built packages, as a user has them: unbuilt, each thread loads a compiler. */
function measure(name: PoolName, speed: Speed, quick: boolean): void {
  const args = ['--no-warnings', 'speed.ts', name, String(quick ? 300 : 2000)];
  const done = spawnSync(process.execPath, args, { ...here, env: { ...process.env, NODE_OPTIONS: '' } });
  const told = JSON.parse(done.stdout) as { trip: number; rate: number; mib: number };
  speed.trips.push(told.trip);
  speed.rates.push(told.rate);
  speed.mib.push(told.mib);
}

function eaters(quick: boolean, log: (line: string) => void): Row[] {
  const bytes = quick ? 512 * 1024 ** 2 : 2 * 1024 ** 3;
  return (['heap', 'buffers'] as const).flatMap((deed) => {
    const alive = (name: PoolName): number => {
      const args = ['--conditions=plimsoll-source', '--no-warnings', 'eater.ts', name, deed, String(bytes)];
      const done = spawnSync(process.execPath, args, here);
      const line = done.stdout.split('\n').findLast((text) => text.startsWith('{'));
      log(`${deed}, ${name}: ${line ?? `the process died (${done.signal ?? done.status})`}`);
      const told = JSON.parse(line ?? '{}') as { outcome?: string; neighbour?: unknown };
      // Stopped, and the neighbour is served.
      return told.outcome !== undefined &&
        !/^(?:answered|nothing)$/.test(told.outcome) &&
        told.neighbour === 42
        ? 1
        : 0;
    };
    const ours = alive('isolate');
    return names
      .filter((name) => name !== 'isolate')
      .map((name) =>
        row({
          metric: `${deed} of ${bytes / 1024 ** 3} GiB: task stopped, neighbour served`,
          unit: 'times',
          samples: [ours],
          peer: { name, samples: [alive(name)] },
          goal: { of: 'ours', atLeast: 1 },
        }),
      );
  });
}

/** Every tenth task misbehaves; each caller must get its own answer or the right error. */
async function crowd(count: number, log: (line: string) => void): Promise<Row[]> {
  const expected = {
    heap: 'PLM_ISOLATE_LIMIT',
    buffers: 'PLM_ISOLATE_LIMIT',
    loop: 'PLM_ISOLATE_TIMEOUT',
    exit: 'PLM_ISOLATE_CRASHED',
    hang: 'PLM_ISOLATE_ABORTED',
  } as const;
  const deeds = Object.keys(expected) as (keyof typeof expected)[];
  const run = isolate<TaskInput>(task, {
    limit: '48 MiB',
    timeout: '60s',
    size: workers,
    queue: count,
    output: 'ignore',
  });
  await run({ n: 0 });
  (globalThis as { gc?: () => void }).gc?.();
  const before = process.memoryUsage();
  const pids = new Set<number>();
  const wrong: string[] = [];
  await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const deed = n % 10 === 0 ? deeds[(n / 10) % deeds.length] : undefined;
      const got = await run(
        { n, ...(deed !== undefined && { deed, bytes: 2 ** 40 }) },
        {
          ...(deed === 'hang' && { signal: AbortSignal.timeout(500 + (n % 1000)) }),
          ...(deed === 'loop' && { timeout: '300ms' }),
        },
      ).catch((error: { code?: string }) => error.code);
      for (const pid of run.stats().pids) pids.add(pid);
      if (got !== (deed === undefined ? n + 1 : expected[deed])) wrong.push(`${n} ${deed}: ${String(got)}`);
    }),
  );
  await run.close();
  for (const line of wrong) log(`wrong: ${line}`);
  const grown = process.memoryUsage().heapUsed - before.heapUsed;
  return [
    row({
      metric: `${count} tasks, a tenth bad: wrong answers`,
      unit: 'tasks',
      samples: [wrong.length],
      goal: { atMost: 0 },
    }),
    row({
      metric: 'processes left',
      unit: 'processes',
      samples: [[...pids].filter(isAlive).length + groupsLeft()],
      goal: { atMost: 0 },
    }),
    row({
      metric: 'heap of the parent after it',
      unit: 'MiB',
      samples: [grown / 1024 ** 2],
      goal: { atMost: 8 },
    }),
  ];
}

/** Control groups of ours that were not removed. */
function groupsLeft(): number {
  const path = /^\d+:memory:(\/.*)$/m.exec(readFileSync('/proc/self/cgroup', 'utf8'))?.[1];
  try {
    return readdirSync(`/sys/fs/cgroup/memory${path ?? ''}`).filter((name) =>
      name.includes(`isolate-${process.pid}-`),
    ).length;
  } catch {
    return 0;
  }
}
