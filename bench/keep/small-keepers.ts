import { createPool } from 'generic-pool';
import { EventSink, OutputBag, Pool, WeakRegistry } from '@plimsoll/keep';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { interleaved, usedHeap } from './sampling.ts';

/** The rows of event sink, weak registry, pool and output bag. */
export const rows: Benchmark = async ({ quick, log }) => {
  const repeats = quick ? 3 : 15;
  log('event sink, weak registry, pool, output bag ...');
  return [
    ...(await events(repeats)),
    await names(quick ? 10_000 : 100_000),
    ...(await pooled(repeats)),
    ...(await outputs()),
  ];
};

async function events(repeats: number): Promise<Row[]> {
  const capacity = 100_000;
  const count = 20_000;
  const event = { type: 'span', at: 1 };
  const sink = new EventSink<object>({ capacity });
  const measured = new EventSink<object>({ capacity, maxBytes: '64MiB' });
  const array: object[] = [];
  for (let i = 0; i < capacity; i++) {
    sink.push(event);
    measured.push(event);
    array.push(event);
  }
  const timed = await interleaved(repeats, count, {
    ours: () => {
      for (let i = 0; i < count; i++) sink.push(event);
    },
    measured: () => {
      for (let i = 0; i < count; i++) measured.push(event);
    },
  });
  const slow = await interleaved(Math.min(3, repeats), 200, {
    array: () => {
      for (let i = 0; i < 200; i++) {
        array.push(event);
        array.shift();
      }
    },
  });
  return [
    row({
      metric: 'sink: push into a full sink of 100,000',
      unit: 'ns',
      samples: timed.ours,
      peer: { name: 'array push + shift', samples: slow.array },
      goal: { of: 'ours', atMost: 5 },
    }),
    row({ metric: 'sink: the same, with a bound of bytes', unit: 'ns', samples: timed.measured }),
  ];
}

async function names(count: number): Promise<Row> {
  const values = Array.from({ length: count }, (_, i) => ({ i }));
  const ids = values.map((_, i) => `agent ${i}`);
  const registry = new WeakRegistry<object>({ maxEntries: count });
  const before = await usedHeap();
  values.forEach((value, i) => registry.add(ids[i] as string, value));
  const ours = ((await usedHeap()) - before) / count;
  registry[Symbol.dispose]();
  const map = new Map<string, WeakRef<object>>();
  const gone = new FinalizationRegistry<string>((id) => map.delete(id));
  const start = await usedHeap();
  values.forEach((value, i) => {
    map.set(ids[i] as string, new WeakRef(value));
    gone.register(value, ids[i] as string, value);
  });
  const peer = ((await usedHeap()) - start) / count;
  return row({
    metric: 'registry: heap per name',
    unit: 'B',
    samples: [ours],
    peer: { name: 'Map + WeakRef + FinalizationRegistry', samples: [peer] },
    goal: { of: 'ours', atMost: 150 },
  });
}

class Context {
  readonly state = new Map<string, unknown>();
  readonly messages: unknown[] = [];
}

async function pooled(repeats: number): Promise<Row[]> {
  const count = 2000;
  const buffers = new Pool({
    max: 50,
    create: () => Buffer.alloc(65_536),
    reset: (buffer) => void buffer.fill(0),
  });
  const plain = new Pool({ max: 50, create: () => Buffer.alloc(64) });
  const contexts = new Pool({
    max: 50,
    create: () => new Context(),
    reset: (context) => {
      context.state.clear();
      context.messages.length = 0;
    },
  });
  const generic = createPool({ create: async () => ({}), destroy: async () => {} }, { max: 50 });
  let sink = 0;
  const timed = await interleaved(repeats, count, {
    plain: () => {
      for (let i = 0; i < count; i++) {
        const handle = plain.take();
        sink += handle.value.length;
        handle.release();
      }
    },
    generic: async () => {
      for (let i = 0; i < count; i++) {
        const value = await generic.acquire();
        await generic.release(value);
      }
    },
    pooledBuffer: () => {
      for (let i = 0; i < count; i++) {
        const handle = buffers.take();
        handle.value[i] = 1;
        handle.release();
      }
    },
    newBuffer: () => {
      for (let i = 0; i < count; i++) {
        const buffer = Buffer.alloc(65_536);
        buffer[i] = 1;
        sink += buffer.length;
      }
    },
    pooledContext: () => {
      for (let i = 0; i < count; i++) {
        const handle = contexts.take();
        handle.value.state.set('a', i);
        handle.value.messages.push(i);
        handle.release();
      }
    },
    newContext: () => {
      for (let i = 0; i < count; i++) {
        const context = new Context();
        context.state.set('a', i);
        context.messages.push(i);
        sink += context.messages.length;
      }
    },
  });
  if (sink === 0) throw new Error('nothing was used');
  return [
    row({
      metric: 'pool: take + release',
      unit: 'ns',
      samples: timed.plain,
      peer: { name: 'generic-pool', samples: timed.generic },
      goal: { of: 'ours', atMost: 200 },
    }),
    row({
      metric: 'pool: a zeroed buffer of 64 KiB',
      unit: 'ns',
      samples: timed.pooledBuffer,
      peer: { name: 'Buffer.alloc', samples: timed.newBuffer },
      goal: { atMost: 1 },
    }),
    row({
      metric: 'pool: a small context (why not to pool small objects)',
      unit: 'ns',
      samples: timed.pooledContext,
      peer: { name: 'new', samples: timed.newContext },
    }),
  ];
}

/** A pipeline whose outputs are ten times the bound of the bag. */
async function outputs(): Promise<Row[]> {
  const bag = new OutputBag({ maxBytes: '4MiB' });
  const stages = 200;
  const before = await usedHeap();
  for (let i = 0; i < stages; i++)
    bag.put(
      `stage ${i}`,
      { rows: Array.from({ length: 1000 }, (_, at) => `${i} ${at} ${'x'.repeat(190)}`) },
      { consumers: ['next'] },
    );
  const held = (await usedHeap()) - before;
  const start = process.hrtime.bigint();
  for (let i = 0; i < stages; i++) bag.take(`stage ${i}`, 'next');
  const ms = Number(process.hrtime.bigint() - start) / 1e6 / stages;
  const left = (await usedHeap()) - before;
  bag[Symbol.dispose]();
  return [
    row({
      metric: 'bag: heap for 45 MB of outputs, bound 4 MiB',
      unit: 'B',
      samples: [held],
      goal: { atMost: 1.25 * 4 * 1024 ** 2 },
    }),
    row({ metric: 'bag: reading one output of 230 kB back', unit: 'ms', samples: [ms] }),
    row({
      metric: 'bag: heap after the last was read',
      unit: 'B',
      samples: [left],
      goal: { atMost: 262_144 },
    }),
  ];
}
