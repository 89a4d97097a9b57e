import { fork, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { LoadSummary } from '../../examples/agent-server/src/load/load.ts';
import { seeded } from '../../examples/agent-server/src/random.ts';
import { quantile, row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';
import type { Block } from './driver.ts';
import { ServerProcess } from './server-process.ts';
import { groups, variants } from './variant.ts';
import type { Variant } from './variant.ts';

/** A server lives for weeks: what V8 takes to compile its code is over before anything counts. The first 250 sessions cost a quarter more. */
const warmUpRounds = 8;
/**
 * Sessions after a standstill that do not count. Timers are overdue then, and what may be used up in bursts has been saved up, as never in a
 * server that goes on running: these sessions took 12 % more than the next ones in a governed server, and 5 % more in the other.
 */
const leadSessions = 20;

/** What one process did in all of its blocks. */
interface Sample {
  readonly turnsPerSecond: number;
  /** Median over its blocks. */
  readonly p99Ms: number;
  readonly cpuMsPerTurn: number;
}

/** By variant and set of processes. */
type Samples = ReadonlyMap<string, Map<number, Sample>>;

/**
 * All variants of a group live at the same time but only one of them runs, the others stand still. They are loaded one after the other in
 * short blocks, in a new order each round, so that two blocks that are compared lie a second apart and meet the same neighbours. Where
 * `taskset` is there, the servers share the first core and the load has the last one.
 *
 * The same server started twice differs by up to a tenth for its whole life, far more than two blocks of one process. So all blocks of a
 * process count as one figure, with the collections that fell into them, and the result is judged by sets of processes.
 */
export async function serverOverhead({ quick, args, log }: BenchOptions): Promise<Row[]> {
  const rows: Row[] = [];
  const wanted = groups.filter((group) => args.includes(group));
  for (const group of wanted.length === 0 ? groups : wanted) {
    const members = variants.filter((variant) => variant.group === group);
    const samples: Samples = new Map(members.map(({ name }) => [name, new Map()]));
    const sets = quick ? 2 : 8;
    for (let set = 0; set < sets; set += 1) {
      log(`overhead: ${group}, processes ${set + 1} of ${sets}`);
      const started = members.filter(({ every }) => set % every === 0);
      for (const [name, sample] of await runSet(started, set, quick ? 3 : 8))
        samples.get(name)?.set(set, sample);
    }
    rows.push(...rowsOf(members, samples));
  }
  return rows;
}

interface Blocks {
  turns: number;
  seconds: number;
  cpuMs: number;
  readonly p99Ms: number[];
}

async function runSet(
  members: readonly Variant[],
  set: number,
  rounds: number,
): Promise<ReadonlyMap<string, Sample>> {
  const driver = fork(resolve(import.meta.dirname, 'driver.ts'), { execArgv: [] });
  const lastCore = availableParallelism() - 1;
  if (lastCore > 0) pin(driver.pid, lastCore);
  const servers = await Promise.all(
    members.map(async (variant) => ({ variant, server: await ServerProcess.start(variant) })),
  );
  const sums = new Map<string, Blocks>();
  try {
    for (const { server } of servers) {
      if (lastCore > 0) pin(server.pid, 0);
      server.pause();
    }
    for (let round = -warmUpRounds; round < rounds; round += 1) {
      const random = seeded(set * 1000 + round);
      const order = servers.map((each) => ({ ...each, at: random.next() })).sort((a, b) => a.at - b.at);
      for (const { variant, server } of order) {
        server.resume();
        const { users, sessions } = variant.pace;
        const work = { users, sessions, seed: set * 1000 + round + 10, group: variant.group };
        await run(driver, { ...work, base: server.base, sessions: leadSessions, seed: work.seed + 500 });
        const sum = sums.get(variant.name) ?? { turns: 0, seconds: 0, cpuMs: 0, p99Ms: [] };
        if (round >= 0) sums.set(variant.name, sum);
        await measure(driver, server, work, sum);
        server.pause();
      }
    }
  } finally {
    driver.disconnect();
    await Promise.all(servers.map(({ server }) => server.stop()));
  }
  return new Map([...sums].map(([name, sum]) => [name, sampleOf(sum)]));
}

function sampleOf({ turns, seconds, cpuMs, p99Ms }: Blocks): Sample {
  return { turnsPerSecond: turns / seconds, p99Ms: quantile(p99Ms, 0.5), cpuMsPerTurn: cpuMs / turns };
}

function pin(pid: number | undefined, core: number): void {
  spawnSync('taskset', ['-apc', String(core), String(pid)]);
}

async function measure(
  driver: ChildProcess,
  server: ServerProcess,
  work: Omit<Block, 'base'>,
  sum: Blocks,
): Promise<void> {
  const block: Block = { base: server.base, ...work };
  const before = await server.cpuMs();
  const summary = await run(driver, block);
  sum.turns += summary.turns;
  sum.seconds += summary.seconds;
  sum.cpuMs += (await server.cpuMs()) - before;
  sum.p99Ms.push(summary.turnMs.p99);
}

async function run(driver: ChildProcess, block: Block): Promise<LoadSummary> {
  const answer = once(driver, 'message');
  driver.send(block);
  const [summary] = (await answer) as [LoadSummary];
  if (summary.errors > 0) throw new Error(`${summary.errors} sessions failed: ${summary.firstError}`);
  return summary;
}

const figures = [
  { metric: 'CPU per turn', of: (sample: Sample) => sample.cpuMsPerTurn, unit: 'ms', goal: 'atMost' },
  { metric: 'throughput', of: (sample: Sample) => sample.turnsPerSecond, unit: 'turns/s', goal: 'atLeast' },
  { metric: 'p99 latency', of: (sample: Sample) => sample.p99Ms, unit: 'ms', goal: 'atMost' },
] as const;

/** Flat out the example does nothing but stream words, and a turn of the AI SDK is what a server does. */
const goals: Readonly<Record<string, readonly [cpu: number, throughput: number, p99: number]>> = {
  governed: [1.03, 0.99, 1.02],
  'paced governed': [1.03, 0.99, 1.02],
  'sdk governed': [1.01, 0.99, 1.02],
};

/** One row per figure and variant: what a set has with it, beside what the same set has without, and the median of their ratios. */
function rowsOf(members: readonly Variant[], samples: Samples): Row[] {
  return figures.flatMap(({ metric, of, unit, goal }, i) =>
    members.flatMap(({ name, against }) => {
      if (against === null) return [];
      const pairs = [...(samples.get(name) ?? [])].flatMap(([set, sample]) => {
        const without = samples.get(against)?.get(set);
        return without === undefined ? [] : [[of(sample), of(without)] as const];
      });
      const bound = goals[name]?.[i];
      return row({
        metric: `${metric}: ${name}`,
        unit,
        samples: pairs.map(([ours]) => ours),
        peer: { name: against, samples: pairs.map(([, theirs]) => theirs), isPaired: true },
        ...(bound !== undefined && { goal: { [goal]: bound } }),
      });
    }),
  );
}
