/**
 * What tracking costs a stage of 5 ms, and a graph of 12 of them, beside the same functions by hand and beside p-graph:
 *
 *   npm run bench -- pipeline [track|graph|rest]
 */
import { hash } from 'node:crypto';
import { PGraph } from 'p-graph';
import { MemoryTracker, openSession, pipeline, track } from '@plimsoll/pipeline';
import { interleaved, usedHeap } from '../keep/sampling.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const repeats = quick ? 3 : 15;
  const rounds = calibrate(5);
  log(`a stage computes for 5 ms (${rounds} hashes of 64 KiB)`);
  const isAsked = (word: string): boolean => args.length === 0 || args.includes(word);
  const rows: Row[] = [];
  if (isAsked('track')) rows.push(...(await stages(repeats, rounds)));
  if (isAsked('graph')) rows.push(...(await graphs(repeats, rounds)));
  if (isAsked('rest'))
    rows.push(...(await empty(repeats)), await sessions(quick ? 5000 : 100_000), await cycles(200));
  return rows;
};

export default benchmark;

/** Hashes of 64 KiB that take so many milliseconds here. */
function calibrate(ms: number): number {
  let rounds = 20;
  for (let attempt = 0; attempt < 4; attempt++) {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i++) {
      const started = performance.now();
      compute(rounds);
      best = Math.min(best, performance.now() - started);
    }
    rounds = Math.max(1, Math.round((rounds * ms) / best));
  }
  return rounds;
}

const material = Buffer.alloc(64 * 1024, 'plimsoll');

/** Native work: a loop in JavaScript was compiled anew between two blocks and then took five times as long. */
function compute(rounds: number): number {
  let sum = 0;
  for (let i = 0; i < rounds; i++) sum += hash('sha1', material, 'buffer')[0] as number;
  return sum;
}

/**
 * CPU nanoseconds per operation, one block of each rival in turn. Wall time of a stage of 5 ms says nothing on a machine that others use.
 */
async function cpuTimed<Name extends string>(
  repeats: number,
  operations: number,
  work: Record<Name, () => Promise<unknown>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(work) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let repeat = -2; repeat < repeats; repeat++)
    for (const name of names) {
      let best = Number.POSITIVE_INFINITY;
      for (let block = 0; block < 3; block++) {
        const before = process.cpuUsage();
        await work[name]();
        const { user, system } = process.cpuUsage(before);
        best = Math.min(best, (1000 * (user + system)) / operations);
      }
      if (repeat >= 0) samples[name].push(best);
    }
  return samples;
}

interface Context {
  readonly messages: {
    readonly role: string;
    readonly content: string;
    readonly meta: { readonly at: number };
  }[];
}

function contextOf(messages: number): Context {
  return {
    messages: Array.from({ length: messages }, (_, i) => ({
      role: 'user',
      content: `message ${i} ${'x'.repeat(200)}`,
      meta: { at: i },
    })),
  };
}

async function stages(repeats: number, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const messages of [20, 200]) {
    const context = contextOf(messages);
    const stage = async (root: Context): Promise<number> => compute(rounds) + root.messages.length;
    const timed = await cpuTimed(repeats, 10, {
      ours: async () => {
        for (let i = 0; i < 10; i++) await track('stage', () => stage(context), { root: context });
      },
      plain: async () => {
        for (let i = 0; i < 10; i++) await stage(context);
      },
    });
    rows.push(
      row({
        metric: `track: a stage of 5 ms, ${messages} messages in its context, CPU`,
        unit: 'ns',
        samples: timed.ours,
        peer: { name: 'the function', samples: timed.plain },
        goal: { atMost: 1.01 },
      }),
    );
  }
  return rows;
}

/** 12 stages: 4 that load, 4 that each read two of them, 3 that each read two of those, 1 that reads the three. */
const shape: readonly (readonly number[])[] = [
  [],
  [],
  [],
  [],
  [0, 1],
  [1, 2],
  [2, 3],
  [3, 0],
  [4, 5],
  [5, 6],
  [6, 7],
  [8, 9, 10],
];

async function graphs(repeats: number, rounds: number): Promise<Row[]> {
  const work = async (at: number): Promise<{ at: number; rows: string[] }> => ({
    at: at + (compute(rounds) & 1),
    rows: Array.from({ length: 20 }, (_, i) => `row ${i} of ${at}`),
  });
  const ours = ourGraph(work);
  const peer = peerGraph(work);
  const byHand = async (): Promise<void> => {
    const done: Promise<unknown>[] = [];
    shape.forEach((after, at) =>
      done.push(Promise.all(after.map((i) => done[i] as Promise<unknown>)).then(() => work(at))),
    );
    await Promise.all(done);
  };
  const timed = await cpuTimed(repeats, 12, { ours, byHand, peer });
  return [
    row({
      metric: 'graph: 12 stages of 5 ms, CPU per stage',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'the functions by hand', samples: timed.byHand },
      goal: { atMost: 1.01 },
    }),
    row({
      metric: 'graph: the same beside p-graph',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'p-graph', samples: timed.peer },
      goal: { atMost: 1.01 },
    }),
  ];
}

function ourGraph(work: (at: number) => Promise<unknown>): () => Promise<unknown> {
  const graph = pipeline('bench');
  shape.forEach((after, at) =>
    graph.stage(`s${at}`, { after: after.map((i) => `s${i}`) as never[], run: () => work(at) }),
  );
  return () => graph.run();
}

function peerGraph(work: (at: number) => Promise<unknown>): () => Promise<unknown> {
  const nodes = new Map(shape.map((_, at) => [`s${at}`, { run: () => work(at) }] as const));
  const edges = shape.flatMap((after, at) => after.map((i) => [`s${i}`, `s${at}`] as [string, string]));
  return () => new PGraph(nodes, edges).run();
}

async function empty(repeats: number): Promise<Row[]> {
  const context = contextOf(20);
  const one = async (): Promise<number> => 1;
  const ours = ourGraph(one);
  const peer = peerGraph(one);
  const timed = await interleaved(repeats, 1000, {
    track: async () => {
      for (let i = 0; i < 1000; i++) await track('empty', one, { root: context });
    },
    bare: async () => {
      for (let i = 0; i < 1000; i++) await track('bare', one);
    },
  });
  const runs = await interleaved(repeats, 100 * 12, {
    ours: async () => {
      for (let i = 0; i < 100; i++) await ours();
    },
    peer: async () => {
      for (let i = 0; i < 100; i++) await peer();
    },
  });
  return [
    row({
      metric: 'track: nothing, without a root',
      unit: 'ns',
      samples: timed.bare,
      goal: { atMost: 25_000 },
    }),
    row({
      metric: 'track: nothing, root of 20 messages',
      unit: 'ns',
      samples: timed.track,
      goal: { atMost: 50_000 },
    }),
    row({
      metric: 'graph: 12 empty stages, per stage',
      unit: 'ns',
      samples: runs.ours,
      peer: { name: 'p-graph', samples: runs.peer },
    }),
  ];
}

async function sessions(turns: number): Promise<Row> {
  await using session = openSession<{ role: string; content: string }>('bench', {
    preset: 'game',
    maxTurns: 50,
  });
  const play = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      await session.turn({ role: 'user', content: `move ${i}` }, () => ({
        role: 'assistant',
        content: `board ${i}`,
      }));
  };
  await play(1000);
  const before = await usedHeap();
  await play(turns);
  const grown = (await usedHeap()) - before;
  return row({
    metric: `session: heap growth over ${turns.toLocaleString('en-US')} turns`,
    unit: 'B',
    samples: [grown],
    goal: { atMost: 256 * 1024 },
  });
}

async function cycles(count: number): Promise<Row> {
  const refs: WeakRef<object>[] = [];
  const graph = pipeline('cycles').stage('cycle', {
    run: () => {
      const node: { self?: object } = {};
      node.self = node;
      refs.push(new WeakRef(node));
      return node;
    },
  });
  using _tracker = new MemoryTracker();
  for (let i = 0; i < count; i++) await graph.run();
  await usedHeap();
  return row({
    metric: `cycles: survivors of ${count} cyclic contexts`,
    unit: '',
    samples: [refs.filter((ref) => ref.deref() !== undefined).length],
    goal: { atMost: 0 },
  });
}
