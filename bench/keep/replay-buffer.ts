import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { streamText } from 'ai';
import { ReplayBuffer, replay } from '@plimsoll/keep';
import { ReplaySubject } from 'rxjs';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { interleaved, usedHeap } from './sampling.ts';

interface Delta {
  readonly type: 'text-delta';
  readonly id: string;
  readonly text: string;
}

// Each delta has a text of its own, as it comes out of a decoder.
const delta = (i: number): Delta => ({
  type: 'text-delta',
  id: '0',
  text: Buffer.from(`w${1000 + (i % 9000)}`).toString('latin1'),
});

/** The rows of the replay buffer. */
export const rows: Benchmark = async ({ quick, log }) => {
  log('replay buffer: bytes per delta ...');
  const found = await bytesPerDelta(quick ? 5000 : 50_000, quick ? 1 : 3);
  log('replay buffer: two readers ...');
  found.push(...(await twoReaders(quick ? 30 : 120)));
  log('replay buffer: long chunks, after release ...');
  found.push(...(await longChunks()), await released());
  return found;
};

/** Heap per delta while one reader has not come yet. */
async function bytesPerDelta(count: number, repeats: number): Promise<Row[]> {
  const samples = {
    ours: [] as number[],
    text: [] as number[],
    tee: [] as number[],
    rx: [] as number[],
    ai: [] as number[],
    strings: [] as number[],
    rxStrings: [] as number[],
  };
  for (let repeat = 0; repeat < repeats; repeat++) {
    samples.ours.push(await held(count, () => ours(count, 'deltas')));
    samples.text.push(await held(count, () => ours(count, false)));
    samples.tee.push(await held(count, () => tee(count)));
    samples.rx.push(await held(count, () => rxjs(count)));
    samples.ai.push(await held(count, () => aiSdk(count)));
    samples.strings.push(await held(count, () => ourStrings(count)));
    samples.rxStrings.push(await held(count, () => rxStrings(count)));
  }
  const metric = 'replay: heap per 5-character delta, one reader absent';
  const goal = { of: 'ours', atMost: 15 } as const;
  return [
    row({
      metric,
      unit: 'B',
      samples: samples.ours,
      peer: { name: 'AI SDK streamText, result held', samples: samples.ai },
      goal,
    }),
    row({
      metric,
      unit: 'B',
      samples: samples.ours,
      peer: { name: 'ReadableStream.tee', samples: samples.tee },
      goal,
    }),
    row({
      metric,
      unit: 'B',
      samples: samples.ours,
      peer: { name: 'rxjs ReplaySubject', samples: samples.rx },
      goal,
    }),
    row({
      metric: 'replay: heap per bare string of 5 characters, one reader absent',
      unit: 'B',
      samples: samples.strings,
      peer: { name: 'rxjs ReplaySubject', samples: samples.rxStrings },
      goal,
    }),
    row({
      metric: 'replay: the same, boundaries kept (spill only), 1 MiB bound',
      unit: 'B',
      samples: samples.text,
    }),
  ];
}

async function held(count: number, make: () => Promise<unknown>): Promise<number> {
  const before = await usedHeap();
  const kept = [await make()];
  const bytes = ((await usedHeap()) - before) / count;
  const last = kept.pop();
  if (last instanceof ReplayBuffer) last[Symbol.dispose]();
  return bytes;
}

async function ours(count: number, coalesce: 'deltas' | false): Promise<unknown> {
  const buffer = new ReplayBuffer<Delta>({ maxBytes: '1MiB', coalesce });
  buffer.subscribe();
  for (let i = 0; i < count; i++) buffer.push(delta(i));
  return buffer;
}

/** With the options that a buffer has by default. */
async function ourStrings(count: number): Promise<unknown> {
  const buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
  buffer.subscribe();
  for (let i = 0; i < count; i++) buffer.push(delta(i).text);
  return buffer;
}

async function rxStrings(count: number): Promise<unknown> {
  const subject = new ReplaySubject<string>();
  for (let i = 0; i < count; i++) subject.next(delta(i).text);
  return subject;
}

function source(count: number, make: (i: number) => Delta = delta): ReadableStream<Delta> {
  let i = 0;
  return new ReadableStream<Delta>({
    pull(controller) {
      if (i < count) controller.enqueue(make(i++));
      else controller.close();
    },
  });
}

async function tee(count: number): Promise<unknown> {
  const [read, absent] = source(count).tee();
  for await (const _ of read);
  return absent;
}

async function rxjs(count: number): Promise<unknown> {
  const subject = new ReplaySubject<Delta>();
  for (let i = 0; i < count; i++) subject.next(delta(i));
  return subject;
}

async function aiSdk(count: number): Promise<unknown> {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: count, text: count, reasoning: undefined },
  };
  const deltas = Array.from({ length: count }, (_, i) => {
    const { text, ...rest } = delta(i);
    return { ...rest, delta: text };
  });
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '0' },
          ...deltas.splice(0),
          { type: 'text-end', id: '0' },
          { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
        ],
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
  const result = streamText({ model, prompt: 'x' });
  for await (const _ of result.textStream);
  return result;
}

/** Both readers along with the producer: what is pushed, and what is read from a stream, which is what `tee` does. */
async function twoReaders(repeats: number): Promise<Row[]> {
  const count = 5000;
  // Making a text takes as long as passing it on.
  const texts = Array.from({ length: count }, (_, i) => delta(i).text);
  const made = (i: number): Delta => ({ type: 'text-delta', id: '0', text: texts[i] as string });
  const drain = async (reader: AsyncIterable<Delta>): Promise<void> => {
    for await (const _ of reader);
  };
  const samples = await interleaved(repeats, count, {
    read: async () => {
      const fan = replay(source(count, made), { maxBytes: '1MiB' });
      await Promise.all([drain(fan.subscribe()), drain(fan.subscribe())]);
      fan[Symbol.dispose]();
    },
    pushed: async () => {
      const buffer = new ReplayBuffer<Delta>({ maxBytes: '1MiB' });
      const readers = [drain(buffer.subscribe()), drain(buffer.subscribe())];
      for (let i = 0; i < count; i++) buffer.push(made(i));
      buffer.end();
      await Promise.all(readers);
      buffer[Symbol.dispose]();
    },
    tee: async () => {
      const [a, b] = source(count, made).tee();
      await Promise.all([drain(a), drain(b)]);
    },
  });
  const peer = { name: 'ReadableStream.tee', samples: samples.tee };
  return [
    row({
      metric: 'replay: time per chunk, two readers, pushed',
      unit: 'ns',
      samples: samples.pushed,
      peer,
      goal: { atMost: 0.33 },
    }),
    row({
      metric: 'replay: time per chunk, two readers, from a stream',
      unit: 'ns',
      samples: samples.read,
      peer,
    }),
  ];
}

/** 20 MB in chunks of 1,000 characters with a bound of 1 MiB and a reader that never reads. */
async function longChunks(): Promise<Row[]> {
  const before = await usedHeap();
  const buffer = new ReplayBuffer<string>({ maxBytes: '1MiB' });
  const reader = buffer.subscribe();
  for (let i = 0; i < 20_000; i++) buffer.push(Buffer.alloc(1000, 97 + (i % 26)).toString('latin1'));
  buffer.end();
  const bytes = (await usedHeap()) - before;
  let characters = 0;
  for await (const chunk of reader) characters += chunk.length;
  buffer[Symbol.dispose]();
  return [
    row({
      metric: 'replay: heap for 20 MB with an absent reader, bound 1 MiB',
      unit: 'B',
      samples: [bytes],
      goal: { atMost: 1.25 * 1024 ** 2 + 65_536 },
    }),
    row({
      metric: 'replay: characters the reader then got',
      unit: 'ch',
      samples: [characters],
      goal: { atLeast: 20_000_000 },
    }),
  ];
}

/** What stays of a released buffer while somebody still holds it. */
async function released(): Promise<Row> {
  const buffers: ReplayBuffer<Delta>[] = [];
  const fill = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const buffer = new ReplayBuffer<Delta>({ maxBytes: '1MiB' });
      for (let at = 0; at < 100; at++) buffer.push(delta(at));
      buffer.end();
      buffer[Symbol.dispose]();
      buffers.push(buffer);
    }
  };
  fill(2000);
  buffers.length = 0;
  const before = await usedHeap();
  fill(10_000);
  const bytes = ((await usedHeap()) - before) / buffers.length;
  return row({
    metric: 'replay: heap per stream after its release',
    unit: 'B',
    samples: [bytes],
    goal: { atMost: 1024 },
  });
}
