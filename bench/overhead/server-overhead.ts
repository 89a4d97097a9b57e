import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { LoadSummary } from '../../examples/agent-server/src/load/load.ts';
import { seeded } from '../../examples/agent-server/src/random.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import type { Block } from './driver.ts';
import { ServerProcess } from './server-process.ts';
import { variants } from './variant.ts';

/** A server lives for weeks: what V8 takes to compile its code is over before anything counts. The first 250 sessions cost a quarter more. */
const warmUpRounds = 8;

interface Sample {
  readonly turnsPerSecond: number;
  readonly p99Ms: number;
  readonly cpuMsPerTurn: number;
}

/** By variant and round. */
type Samples = ReadonlyMap<string, Map<number, Sample>>;

/**
 * All variants live at the same time but only one of them runs, the others stand still; they are loaded one after the
 * other, in a new order each round: two blocks that are compared lie seconds apart, and no phase of a collector can hide
 * behind a fixed order. A block is long enough for several collections. The ratio is taken within the round. The same
 * server started twice differs by up to a tenth, far more than two blocks of one process: so there are many sets of processes.
 */
export async function serverOverhead({ quick, log }: BenchOptions): Promise<Row[]> {
  const samples: Samples = new Map(variants.map((variant) => [variant.name, new Map()]));
  const sets = quick ? 1 : 8;
  const rounds = quick ? 3 : 2;
  for (let set = 0; set < sets; set += 1) {
    const driver = fork(resolve(import.meta.dirname, 'driver.ts'), { execArgv: [] });
    const servers = await Promise.all(
      variants.map(async (variant) => ({ variant, server: await ServerProcess.start(variant) })),
    );
    try {
      for (const { server } of servers) server.pause();
      for (let round = -warmUpRounds; round < rounds; round += 1) {
        log(`overhead: processes ${set + 1} of ${sets}, round ${Math.max(round + 1, 0)} of ${rounds}`);
        const random = seeded(set * 1000 + round);
        const order = servers
          .filter(({ variant }) => round < 0 || round % variant.every === 0)
          .map(({ variant, server }) => ({ variant, server, at: random.next() }))
          .sort((a, b) => a.at - b.at);
        for (const { variant, server } of order) {
          server.resume();
          const sessions = quick ? 40 : round < 0 ? 75 : 300;
          const { users } = variant.pace;
          const sample = await measure(driver, server, { users, sessions, seed: round + 10 });
          server.pause();
          if (round >= 0) samples.get(variant.name)?.set(set * rounds + round, sample);
        }
      }
    } finally {
      driver.disconnect();
      await Promise.all(servers.map(({ server }) => server.stop()));
    }
  }
  return rowsOf(samples);
}

async function measure(
  driver: ChildProcess,
  server: ServerProcess,
  work: Omit<Block, 'base'>,
): Promise<Sample> {
  const block: Block = { base: server.base, ...work };
  const before = await server.cpuMs();
  const answer = once(driver, 'message');
  driver.send(block);
  const [summary] = (await answer) as [LoadSummary];
  if (summary.errors > 0) throw new Error(`${summary.errors} sessions failed: ${summary.firstError}`);
  return {
    turnsPerSecond: summary.turns / summary.seconds,
    p99Ms: summary.turnMs.p99,
    cpuMsPerTurn: ((await server.cpuMs()) - before) / summary.turns,
  };
}

const figures = [
  {
    metric: 'throughput',
    of: (sample: Sample) => sample.turnsPerSecond,
    unit: 'turns/s',
    goal: { atLeast: 0.99 },
  },
  { metric: 'p99 latency', of: (sample: Sample) => sample.p99Ms, unit: 'ms', goal: { atMost: 1.02 } },
  { metric: 'CPU per turn', of: (sample: Sample) => sample.cpuMsPerTurn, unit: 'ms', goal: { atMost: 1.01 } },
] as const;

function rowsOf(samples: Samples): Row[] {
  const values = (name: string, of: (sample: Sample) => number): number[] =>
    [...(samples.get(name)?.values() ?? [])].map(of);
  /** Each round's value over the same round's value of what it is compared with. */
  const ratios = (name: string, of: (sample: Sample) => number): number[] => {
    const base = samples.get(variants.find((variant) => variant.name === name)?.against ?? '');
    return [...(samples.get(name) ?? [])].flatMap(([round, sample]) => {
      const against = base?.get(round);
      return against === undefined ? [] : [of(sample) / of(against)];
    });
  };
  const rows: Row[] = [];
  for (const { metric, of, unit, goal } of figures) {
    for (const peer of ['prom-client', 'under-pressure']) {
      rows.push(
        row({
          metric: `${metric}, governed / ungoverned`,
          unit: 'x',
          samples: ratios('governed', of),
          peer: { name: `${peer} / without it`, samples: ratios(peer, of) },
          goal: { of: 'ours', ...goal },
        }),
      );
    }
    rows.push(
      row({
        metric: `${metric}, governed / ungoverned, half a core busy`,
        unit: 'x',
        samples: ratios('paced governed', of),
        peer: { name: 'ungoverned twice', samples: ratios('paced null', of) },
        goal: { of: 'ours', ...goal },
      }),
      row({ metric: `${metric}, scopes without the preload`, unit: 'x', samples: ratios('scopes only', of) }),
      row({
        metric: `${metric}, the ungoverned server twice (noise)`,
        unit: 'x',
        samples: ratios('null', of),
      }),
      row({
        metric: `${metric}, governed`,
        unit,
        samples: values('governed', of),
        peer: { name: 'ungoverned', samples: values('ungoverned', of) },
      }),
    );
  }
  return rows;
}
