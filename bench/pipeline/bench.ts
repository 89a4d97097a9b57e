/**
 * What tracking costs a stage of 5 ms, and a graph of 12 of them, beside the same functions by hand and beside p-graph:
 *
 *   npm run bench -- pipeline [track|graph|rest]   (1 minute)
 *
 * A block takes 100 ms: long enough that each has its share of what happens every 50 ms. V8 has compiled everything before, as in a server
 * that runs for a while.
 */
import { hash } from 'node:crypto';
import { PGraph } from 'p-graph';
import { MemoryTracker, openSession, pipeline, track } from '@plimsoll/pipeline';
import { interleaved, usedHeap } from '../keep/sampling.ts';
import { cpuRounds } from '../paired.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const repeats = quick ? 3 : 15;
  const rounds = calibrate(5);
  log(`a stage computes for 5 ms (${rounds} hashes of 64 KiB)`);
  const isAsked = (word: string): boolean => args.length === 0 || args.includes(word);
  const rows: Row[] = [];
  const pairs = quick ? 6 : 80;
  if (isAsked('track')) rows.push(...(await stages(pairs, rounds)));
  if (isAsked('graph')) rows.push(...(await graphs(pairs, rounds)));
  if (isAsked('rest'))
    rows.push(...(await empty(repeats)), await sessions(quick ? 5000 : 100_000), await cycles(200));
  return rows;
};

export default benchmark;

/** Hashes of 64 KiB that take so many milliseconds of CPU time here. */
function calibrate(ms: number): number {
  let rounds = 20;
  for (let attempt = 0; attempt < 4; attempt++) {
    let best = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i++) {
      const before = process.cpuUsage();
      compute(rounds);
      const { user, system } = process.cpuUsage(before);
      best = Math.min(best, (user + system) / 1000);
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

/** Calls with a stage of 35 µs by which V8 learns what is called often. */
const warmCalls = 3000;
const callsPerBlock = 20;

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

async function stages(pairs: number, rounds: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const messages of [20, 200]) {
    const context = contextOf(messages);
    const loop = (stage: () => Promise<unknown>) => async (): Promise<void> => {
      for (let i = 0; i < callsPerBlock; i++) await stage();
    };
    let hashes = 1;
    const stage = async (root: Context): Promise<number> => compute(hashes) + root.messages.length;
    const ours = (): Promise<unknown> => track('stage', () => stage(context), { root: context });
    const plain = (): Promise<unknown> => stage(context);
    for (let i = 0; i < warmCalls; i++) await Promise.all([ours(), plain()]);
    hashes = rounds;
    const timed = await cpuRounds(pairs, callsPerBlock, { ours: loop(ours), plain: loop(plain) });
    rows.push(
      row({
        metric: `track: a stage of 5 ms, ${messages} messages in its context, CPU`,
        unit: 'ns',
        samples: timed.ours,
        peer: { name: 'the function', samples: timed.plain, isPaired: true },
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

async function graphs(pairs: number, rounds: number): Promise<Row[]> {
  let hashes = 1;
  const work = async (at: number): Promise<{ at: number; rows: string[] }> => ({
    at: at + (compute(hashes) & 1),
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
  for (let i = 0; i < warmCalls / shape.length; i++) for (const run of [ours, byHand, peer]) await run();
  hashes = rounds;
  const twice = (run: () => Promise<unknown>) => async (): Promise<void> => {
    for (let i = 0; i < 2; i++) await run();
  };
  const block = { ours: twice(ours), byHand: twice(byHand), peer: twice(peer) };
  const timed = await cpuRounds(pairs, 2 * shape.length, block);
  return [
    row({
      metric: 'graph: 12 stages of 5 ms, CPU per stage',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'the functions by hand', samples: timed.byHand, isPaired: true },
      goal: { atMost: 1.01 },
    }),
    row({
      metric: 'graph: the same beside p-graph',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'p-graph', samples: timed.peer, isPaired: true },
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
