/** What a scope costs: time to open, run and close, to charge, and bytes while open and after a million sessions. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { open, processScope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import type { Scope } from '@plimsoll/core';
import { Gauge, Registry } from 'prom-client';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Scopes per timed block; below the number of closed scopes that are followed between two GCs. */
const block = 2_000;
const noop = (): number => 0;
const names = Array.from({ length: block }, (_, at) => `session-${at}`);
const shutdown = new AbortController().signal;

const benchmark: Benchmark = async ({ quick, log }) => {
  const repeats = quick ? 5 : 60;
  const rows: Row[] = [];
  log('open, run, close');
  rows.push(...(await lifetimes(repeats)));
  log('charge');
  rows.push(...charges(repeats));
  log('bytes');
  rows.push(...(await bytes(quick)));
  return rows;
};

export default benchmark;

async function lifetimes(repeats: number): Promise<Row[]> {
  const agent = open('agent', 'planner');
  const ours = (at: number): void => {
    const scope = open('session', names[at] as string, { parent: agent });
    scope.run(noop);
    void scope.close();
  };
  const tool = (): void => {
    const scope = open('tool', 'search', { parent: agent });
    scope.run(noop);
    scope[Symbol.dispose]();
  };
  const withSignal = (at: number): void => {
    const scope = open('session', names[at] as string, { parent: agent, signal: shutdown });
    scope.run(noop);
    scope.signal.addEventListener('abort', noop);
    void scope.close();
  };
  const timed = await interleaved(repeats, { ours, byHand, tool, withSignal, anySignal });
  await agent.close();
  return [
    row({
      metric: 'scope: open + run + close',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'als.run + Map by hand', samples: timed.byHand },
      goal: { of: 'ours', atMost: 2000 },
    }),
    row({ metric: 'scope: using, no report', unit: 'ns', samples: timed.tool, goal: { atMost: 2000 } }),
    row({
      metric: 'scope: with a signal and a listener',
      unit: 'ns',
      samples: timed.withSignal,
      peer: { name: 'AbortSignal.any by hand', samples: timed.anySignal },
    }),
  ];
}

const store = new AsyncLocalStorage<{ readonly id: string }>();
const byId = new Map<string, { bytes: number }>();

/** What a server does without us: a context, a map entry, and no account, tree, token or report. */
function byHand(at: number): void {
  const id = names[at] as string;
  byId.set(id, { bytes: 0 });
  store.run({ id }, noop);
  byId.delete(id);
}

function anySignal(at: number): void {
  byHand(at);
  const session = new AbortController();
  AbortSignal.any([shutdown, session.signal]).addEventListener('abort', noop);
  session.abort();
}

/** Nanoseconds of CPU per call, one block of each in turn; the collector and its finalizers run between blocks, untimed. */
async function interleaved<Name extends string>(
  repeats: number,
  work: Record<Name, (at: number) => void>,
): Promise<Record<Name, number[]>> {
  const kinds = Object.keys(work) as Name[];
  const samples = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Name, number[]>;
  for (let repeat = -5; repeat < repeats; repeat += 1) {
    for (const kind of kinds) {
      await settle(1);
      const run = work[kind];
      const start = process.cpuUsage();
      for (let at = 0; at < block; at += 1) run(at);
      const ns = cpuNs(start) / block;
      if (repeat >= 0) samples[kind].push(ns);
    }
  }
  return samples;
}

function charges(repeats: number): Row[] {
  const scopes: Scope[] = [processScope()];
  for (let depth = 1; depth <= 4; depth += 1) {
    scopes.push(open('level', `${depth}`, { parent: scopes.at(-1) as Scope }));
  }
  const leaf = scopes.at(-1) as Scope;
  const line = leaf.line('window');
  const gauge = new Gauge({
    name: 'held_bytes',
    help: 'bytes',
    labelNames: ['kind', 'name'],
    registers: [new Registry()],
  });
  const labels = { kind: 'level', name: '4' };
  const count = 200_000;
  const time = (work: (at: number) => void): number => {
    const start = process.cpuUsage();
    for (let at = 0; at < count; at += 1) work(at);
    return cpuNs(start) / count;
  };
  const samples = { charge: [] as number[], line: [] as number[], gauge: [] as number[] };
  for (let repeat = -3; repeat < repeats; repeat += 1) {
    const charge = time((at) => (at % 2 === 0 ? leaf.charge(4096) : leaf.credit(4096)));
    const set = time((at) => line.set(at));
    const inc = time((at) => gauge.inc(labels, at));
    if (repeat < 0) continue;
    samples.charge.push(charge);
    samples.line.push(set);
    samples.gauge.push(inc);
  }
  void scopes[1]?.close();
  const peer = { name: 'prom-client gauge.inc', samples: samples.gauge };
  return [
    row({
      metric: 'charge, depth 4',
      unit: 'ns',
      samples: samples.charge,
      peer,
      goal: { of: 'ours', atMost: 50 },
    }),
    row({
      metric: 'line.set, depth 4',
      unit: 'ns',
      samples: samples.line,
      peer,
      goal: { of: 'ours', atMost: 50 },
    }),
  ];
}

async function bytes(quick: boolean): Promise<Row[]> {
  const count = 100_000;
  const longNames = Array.from({ length: count }, (_, at) => `session-${at}`);
  const before = await retained();
  const scopes: Scope[] = Array(count);
  for (let at = 0; at < count; at += 1) scopes[at] = open('session', longNames[at] as string);
  const each = ((await retained()) - before) / count;
  const start = process.cpuUsage();
  for (const scope of scopes) void scope.close();
  const closeNs = cpuNs(start) / count;
  scopes.length = 0;

  const cycles = quick ? 10 : 1;
  await sessions(100_000 / cycles);
  const at100k = await retained();
  await sessions(900_000 / cycles);
  const growth = (await retained()) - at100k;
  return [
    row({ metric: 'bytes per open scope', unit: 'B', samples: [each], goal: { atMost: 1000 } }),
    row({ metric: 'close, with 100,000 open', unit: 'ns', samples: [closeNs], goal: { atMost: 4000 } }),
    row({
      metric: 'retained, 100,000 to 1,000,000 sessions',
      unit: 'B',
      samples: [growth],
      goal: { atMost: 65_536 },
    }),
    row({ metric: 'totals kept after 1,000,000 sessions', unit: 'rows', samples: [roster.totals().length] }),
  ];
}

/** Sessions with a tool in them, a charge, an owned resource and a signal, as a server would have them. */
async function sessions(count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const session = open('session', `user-${at}`, { signal: shutdown });
    session.run(() => {
      const tool = open('tool', 'search');
      tool.charge(1024);
      tool[Symbol.dispose]();
    });
    session.own(noop);
    session.line('window').set(at);
    if (at % 16 === 0) session.signal.addEventListener('abort', noop);
    void session.close();
    if (at % 1000 === 0) await turn();
  }
}

/** CPU time of the process since then; on a shared machine wall time measures the neighbours. */
function cpuNs(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) * 1000;
}

async function retained(): Promise<number> {
  await settle(6);
  return process.memoryUsage().heapUsed;
}

async function settle(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    gc();
    await turn();
    await turn();
  }
}
