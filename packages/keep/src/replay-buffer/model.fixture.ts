/** A model of the replay buffer: numbered texts in, and every reader has to account for each number: read in order, or counted as lost. */
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import { tempTarget } from '../spill/spill-file.ts';
import type { ReplayReader } from './reader.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import type { LagPolicy } from './settings.ts';

type Step =
  | { readonly do: 'push'; readonly count: number; readonly pad: number }
  | { readonly do: 'read'; readonly reader: number; readonly count: number }
  | { readonly do: 'subscribe'; readonly lag: LagPolicy; readonly from: 'start' | 'now' | number }
  | { readonly do: 'leave'; readonly reader: number }
  | { readonly do: 'shed'; readonly bytes: number }
  | { readonly do: 'disk'; readonly full: boolean }
  | { readonly do: 'other' }
  | { readonly do: 'advance'; readonly ms: number };

export interface World {
  readonly maxBytes: number;
  readonly overflow: 'spill' | 'lag';
  readonly coalesce: 'deltas' | false;
  readonly outcome: 'ended' | 'failed' | 'cancelled';
  readonly steps: readonly Step[];
}

const lag = fc.constantFrom<LagPolicy>('block', 'drop', 'disconnect');
const reader = fc.nat(3);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('push' as const),
      count: fc.integer({ min: 1, max: 40 }),
      pad: fc.nat(60),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('read' as const),
      reader,
      count: fc.integer({ min: 1, max: 30 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('subscribe' as const),
      lag,
      from: fc.oneof(fc.constantFrom('start' as const, 'now' as const), fc.nat(200)),
    }),
  },
  fc.record({ do: fc.constant('leave' as const), reader }),
  fc.record({ do: fc.constant('shed' as const), bytes: fc.integer({ min: 1, max: 5000 }) }),
  fc.record({ do: fc.constant('disk' as const), full: fc.boolean() }),
  fc.record({ do: fc.constant('other' as const) }),
  fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 20_000 }) }),
);

export const world = (maxLength: number): fc.Arbitrary<World> =>
  fc.record({
    maxBytes: fc.integer({ min: 300, max: 20_000 }),
    overflow: fc.constantFrom('spill', 'lag'),
    coalesce: fc.constantFrom<World['coalesce']>('deltas', false),
    outcome: fc.constantFrom('ended', 'failed', 'cancelled'),
    steps: fc.array(step, { minLength: 5, maxLength, size: 'max' }),
  });

interface Chunk {
  readonly type: string;
  readonly text: string;
}

/** What a model reader has seen. */
class Witness {
  readonly reader: ReplayReader<Chunk>;
  readonly start: number;
  /** Numbers read, counted without keeping them. */
  read = 0;
  last: number;
  errors = 0;

  constructor(reader: ReplayReader<Chunk>, start: number) {
    this.reader = reader;
    this.start = start;
    this.last = start - 1;
  }

  async take(): Promise<'chunk' | 'over'> {
    try {
      const { value, done } = await this.reader.next();
      if (done === true) return 'over';
      for (const part of value.text.split(';').slice(0, -1)) {
        const number = Number.parseInt(part, 10);
        if (number <= this.last) throw new Error(`read ${number} after ${this.last}`);
        this.last = number;
        this.read++;
      }
      return 'chunk';
    } catch (error) {
      if ((error as Error).message.startsWith('read ')) throw error;
      this.errors++;
      return 'over';
    }
  }

  /** Every number from the start to where the reader stands was read or is counted as lost. */
  check(): void {
    const { seq, lost } = this.reader;
    if (this.reader.done || this.reader.fault !== undefined || this.start > seq) return;
    if (this.start + this.read + lost !== seq)
      throw new Error(`at ${seq}: started ${this.start}, read ${this.read}, lost ${lost}`);
  }
}

/** Runs one world; throws at the first broken promise. Returns the number of steps. */
export async function live({ maxBytes, overflow, coalesce, outcome, steps }: World): Promise<number> {
  const clock = new FakeClock();
  const temp = tempTarget();
  let isFull = false;
  const spillTo = {
    open: () => {
      if (isFull) throw new Error('ENOSPC: no space left on device');
      return temp.open();
    },
  };
  const buffer = new ReplayBuffer<Chunk>({
    maxBytes,
    overflow,
    coalesce,
    spillTo,
    clock,
    codec: {
      encode: (chunks) => {
        if (isFull) throw new Error('ENOSPC: no space left on device');
        return Buffer.from(JSON.stringify(chunks));
      },
      decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as Chunk[],
    },
  });
  const witnesses: Witness[] = [];
  let number = 0;
  const largest = 300;
  const pushOne = (chunk: Chunk): void => {
    if (!buffer.isBlocked) buffer.push(chunk);
    else number--;
  };
  const check = (): void => {
    for (const witness of witnesses) witness.check();
    if (buffer.log.bytes > maxBytes + largest)
      throw new Error(`${buffer.log.bytes} bytes in a bound of ${maxBytes}`);
  };
  for (const at of steps) {
    if (at.do === 'push')
      for (let i = 0; i < at.count; i++)
        pushOne({ type: 'text-delta', text: `${number++}${' '.repeat(at.pad)};` });
    else if (at.do === 'other') pushOne({ type: 'tool-call', text: `${number++};` });
    else if (at.do === 'subscribe' && witnesses.length < 6) {
      const reader = buffer.subscribe({ lag: at.lag, from: at.from });
      // A position inside joined chunks starts at the first of them.
      const start =
        at.from === 'now' ? number : Math.min(number, at.from === 'start' ? 0 : at.from, reader.seq);
      witnesses.push(new Witness(reader, start));
    } else if (at.do === 'read') {
      const witness = witnesses[at.reader];
      for (let i = 0; i < at.count; i++) {
        if (witness === undefined) break;
        if (witness.reader.done || (witness.reader.seq >= number && witness.reader.fault === undefined))
          break;
        await witness.take();
      }
    } else if (at.do === 'leave') await witnesses[at.reader]?.reader.return();
    else if (at.do === 'shed') await buffer.shed({ bytes: at.bytes });
    else if (at.do === 'disk') isFull = at.full;
    else if (at.do === 'advance') clock.advance(at.ms);
    check();
  }
  if (outcome === 'ended') buffer.end();
  else if (outcome === 'failed') buffer.fail(new Error('upstream'));
  else buffer.cancel('stop');
  for (const witness of witnesses) {
    const left = witness.reader.done;
    const cutBefore = witness.reader.fault !== undefined;
    while ((await witness.take()) === 'chunk') witness.check();
    if ((await witness.take()) !== 'over') throw new Error('a chunk after the end');
    if (left) continue;
    if (outcome !== 'ended' && witness.errors !== 1) throw new Error(`${witness.errors} errors`);
    if (outcome === 'ended' && witness.errors === 0 && !cutBefore) {
      const gone = witness.start + witness.read + witness.reader.lost;
      if (gone !== Math.max(number, witness.start)) throw new Error(`ended at ${gone} of ${number}`);
    }
  }
  clock.advance(40_000);
  const { released, readers, bytes, spilledBytes } = buffer.stats();
  if (!released || readers + bytes + spilledBytes > 0) throw new Error(JSON.stringify(buffer.stats()));
  return steps.length;
}
