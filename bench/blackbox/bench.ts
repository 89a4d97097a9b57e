/**
 * The black box under `kill -9` at random moments: is every file read back, and is at most the last record lost? And what a reading costs.
 * `npm run bench -- blackbox [--quick]`: 40 kills when quick, 1,000 else, about 3 minutes.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { BlackBoxPart } from '@plimsoll/host/internal/parts/black-box/black-box';
import { boxFile, readBlackBox, removeBox } from '@plimsoll/host/internal/protocol/black-box';
import type { Benchmark } from '../row.ts';
import { row } from '../row.ts';

const benchmark: Benchmark = async ({ quick, log }) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-box-'));
  const kills = quick ? 40 : 1000;
  let [unread, gaps, torn] = [0, 0, 0];
  const lost: number[] = [];
  try {
    for (let i = 0; i < kills; i++) {
      const seen = await killOnce(dir);
      if (seen === undefined) unread++;
      else {
        gaps += seen.hasGap ? 1 : 0;
        torn += seen.torn;
        lost.push(seen.lost);
      }
      if ((i + 1) % 100 === 0) log(`${i + 1} kills: ${unread} unread, ${torn} slots cut off`);
    }
    const costs = costOf(dir, quick ? 2000 : 20_000);
    return [
      row({
        metric: `boxes not read back, of ${kills} kills`,
        unit: 'boxes',
        samples: [unread],
        goal: { atMost: 0 },
      }),
      row({
        metric: 'records lost, most in one box',
        unit: 'records',
        samples: [Math.max(0, ...lost)],
        goal: { atMost: 1 },
      }),
      row({ metric: 'boxes with a hole', unit: 'boxes', samples: [gaps], goal: { atMost: 0 } }),
      row({ metric: 'slots cut off', unit: 'slots', samples: [torn] }),
      row({ metric: 'cost of a reading', unit: 'µs', samples: costs, goal: { atMost: 50 } }),
    ];
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};
export default benchmark;

async function killOnce(dir: string): Promise<{ lost: number; hasGap: boolean; torn: number } | undefined> {
  const args = [
    '--conditions=plimsoll-source',
    '--no-warnings',
    resolve(import.meta.dirname, 'writer.ts'),
    dir,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = child.pid as number;
  await once(child.stdout, 'data');
  // Somewhere in the first few thousand records.
  await sleep(30 * Math.random());
  child.kill('SIGKILL');
  await once(child, 'exit');
  const box = readBlackBox(boxFile(dir, pid));
  const counter = join(dir, `count-${pid}`);
  const told = readFileSync(counter).readDoubleLE();
  rmSync(counter);
  removeBox(boxFile(dir, pid));
  const numbers = box?.records.map(({ at }) => at) ?? [];
  const last = numbers.at(-1);
  if (box === undefined || last === undefined) return undefined;
  const hasGap = numbers.slice(1).some((at, i) => at !== (numbers[i] as number) + 1);
  return { lost: Math.max(0, told - last), hasGap, torn: box.torn };
}

/** µs of readings with the names that a busy server has, in blocks of 100. */
function costOf(dir: string, readings: number): number[] {
  const mib = 1024 ** 2;
  const part = new BlackBoxPart({
    dir,
    target: 'node server.js',
    startedAt: 0,
    release: '1.4.2',
    facts: () => ({
      level: 'critical',
      source: 'heap',
      refused: 1234,
      actions: ['session.park', 'cache.shrink'],
      incident:
        'closed sessions in SessionStore.sessions (server.ts:41) hold 168 MiB and grow by 9 GiB/h; full in 40 s; new work is refused',
      scopes: Array.from({ length: 20 }, (_, i) => ({
        path: `process/agent:planner/session:${i}`,
        bytes: i * mib,
      })),
    }),
    open: () => ({ session: 900, agent: 12 }),
    exitReason: () => undefined,
  });
  part.start();
  const reading = {
    at: 1_790_000_000_000,
    used: 300 * mib,
    limit: 400 * mib,
    heapUsed: 310 * mib,
    floor: 290 * mib,
    external: 12 * mib,
    arrayBuffers: 9 * mib,
    rss: 500 * mib,
    loopDelayMs: 1.2,
  } as Reading;
  const costs: number[] = [];
  for (let i = 0; i < readings / 100; i++) {
    const start = performance.now();
    for (let n = 0; n < 100; n++) part.take({ ...reading, at: reading.at + 100 * i + n });
    costs.push(10 * (performance.now() - start));
  }
  part.stop();
  return costs;
}
