import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { LoadSummary } from '../../examples/agent-server/src/load/load.ts';
import { seeded } from '../../examples/agent-server/src/random.ts';
import type { Block } from '../overhead/driver.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import { Clients, Dashboard, GovernedServer } from './subject.ts';

/** Who watches while a block of work runs. `nobody again` is `nobody` once more: what it shows is noise. */
const modes = [
  { name: 'nobody', reading: 0, stalled: 0 },
  { name: 'nobody again', reading: 0, stalled: 0 },
  { name: 'one page', reading: 1, stalled: 0 },
  { name: '50 pages, 10 of them stalled', reading: 40, stalled: 10 },
] as const;
type Mode = (typeof modes)[number]['name'];

interface Sample {
  readonly turnsPerSecond: number;
  readonly cpuMsPerTurn: number;
  /** While nobody asks it anything. */
  readonly restCpuMsPerSecond: number;
}

const restMs = 4000;

/** The feed stays open for a while after the last page has gone; without pages nothing at all may be connected. */
const calmMs = 17_000;

/**
 * One governed server under fixed work, watched by nobody, one page or fifty, in a new order each round; every block is compared with the
 * block of the same round that nobody watched. The dashboard and its pages run in processes of their own, on the same machine.
 */
export async function governedCost({ quick, args, log }: BenchOptions): Promise<Row[]> {
  const rounds = quick ? 2 : args.includes('short') ? 3 : 7;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-dashboard-'));
  const server = await GovernedServer.start(dir);
  const dashboard = await Dashboard.start(dir);
  const clients = new Clients();
  const driver = fork(resolve(import.meta.dirname, '../overhead/driver.ts'), { execArgv: [] });
  const samples = new Map<Mode, Sample[]>(modes.map(({ name }) => [name, []]));
  const rss: number[] = [];
  let isWatched = false;
  try {
    for (let round = -1; round < rounds; round += 1) {
      log(`dashboard: round ${Math.max(0, round + 1)} of ${rounds}`);
      const random = seeded(round + 100);
      const order = modes.map((mode) => ({ mode, at: random.next() })).sort((a, b) => a.at - b.at);
      for (const { mode } of order) {
        await clients.set({ address: dashboard.address, reading: mode.reading, stalled: mode.stalled });
        await wait(mode.reading > 0 || !isWatched ? 2000 : quick ? 1000 : calmMs);
        isWatched = mode.reading > 0;
        // After a pause the first requests are slower, whoever watches.
        await load(driver, server, { sessions: quick ? 10 : 60, seed: round + 500 });
        const sample = await measure(driver, server, { sessions: quick ? 40 : 200, seed: round + 10 });
        if (round < 0) continue;
        samples.get(mode.name)?.push(sample);
        if (mode.stalled > 0) rss.push(dashboard.rssMiB());
      }
    }
  } finally {
    driver.disconnect();
    clients.stop();
    await dashboard.stop();
    await server.stop();
    rmSync(dir, { recursive: true, force: true });
  }
  return [...rowsOf(samples), ...memoryRows(rss)];
}

interface Work {
  readonly sessions: number;
  readonly seed: number;
}

async function load(driver: ChildProcess, server: GovernedServer, work: Work): Promise<LoadSummary> {
  const block: Block = { base: server.base, group: 'flat', users: 16, ...work };
  const answer = once(driver, 'message');
  driver.send(block);
  const [summary] = (await answer) as [LoadSummary];
  if (summary.errors > 0) throw new Error(`${summary.errors} sessions failed: ${summary.firstError}`);
  return summary;
}

async function measure(driver: ChildProcess, server: GovernedServer, work: Work): Promise<Sample> {
  const before = await server.cpuMs();
  const summary = await load(driver, server, work);
  const after = await server.cpuMs();
  await wait(restMs);
  return {
    turnsPerSecond: summary.turns / summary.seconds,
    cpuMsPerTurn: (after - before) / summary.turns,
    restCpuMsPerSecond: ((await server.cpuMs()) - after) / (restMs / 1000),
  };
}

function rowsOf(samples: ReadonlyMap<Mode, readonly Sample[]>): Row[] {
  const figures = [
    { metric: 'throughput', of: (sample: Sample) => sample.turnsPerSecond, goal: { atLeast: 0.99 } },
    {
      metric: 'CPU per turn of the server',
      of: (sample: Sample) => sample.cpuMsPerTurn,
      goal: { atMost: 1.01 },
    },
  ] as const;
  const calm = samples.get('nobody') ?? [];
  const ratios = figures.flatMap(({ metric, of, goal }) =>
    modes
      .filter(({ name }) => name !== 'nobody')
      .map(({ name }) => {
        const values = (samples.get(name) ?? []).map((sample, i) => of(sample) / of(calm[i] as Sample));
        const judged = name === 'nobody again' ? {} : { goal: { of: 'ours' as const, ...goal } };
        return row({ metric: `${metric}, ${name} / nobody`, unit: 'x', samples: values, ...judged });
      }),
  );
  return [...ratios, ...restRows(samples, calm)];
}

/** What being watched takes of the server by itself: a steady figure where the ratios drown in the noise of a busy machine. */
function restRows(samples: ReadonlyMap<Mode, readonly Sample[]>, calm: readonly Sample[]): Row[] {
  return modes
    .filter(({ name }) => name !== 'nobody')
    .map(({ name }) => {
      const more = (samples.get(name) ?? []).map(
        (sample, i) => (sample.restCpuMsPerSecond - (calm[i] as Sample).restCpuMsPerSecond) / 10,
      );
      const judged = name === 'nobody again' ? {} : { goal: { atMost: 1 } };
      return row({
        metric: `CPU of the server at rest, ${name} - nobody`,
        unit: '% of a core',
        samples: more,
        ...judged,
      });
    });
}

function memoryRows(rss: readonly number[]): Row[] {
  const [first] = rss;
  return [
    row({ metric: 'memory of the dashboard with 50 pages, 10 stalled', unit: 'MiB', samples: rss }),
    row({
      metric: 'its growth from the first round to the last',
      unit: 'MiB',
      samples: [(rss.at(-1) ?? 0) - (first ?? 0)],
      goal: { atMost: 16 },
    }),
  ];
}
