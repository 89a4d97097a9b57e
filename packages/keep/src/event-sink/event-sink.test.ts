import { open } from '@plimsoll/core';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isCollected, usedHeap } from '../collect.fixture.ts';
import { keepers } from '@plimsoll/core/keeper';
import { EventSink } from './event-sink.ts';
import type { EventSinkOptions, FullPolicy } from './event-sink.ts';

interface Event {
  readonly type: string;
  readonly at: number;
}

const event = (at: number): Event => ({ type: at % 3 === 0 ? 'tick' : 'tock', at });
const refused = (options: object): string => {
  try {
    return new EventSink(options as EventSinkOptions<Event>).name;
  } catch (error) {
    return String(error);
  }
};

test('a sink without a bound cannot be made', () => {
  expect(refused({ maxBytes: '1MiB' })).toMatchInlineSnapshot(`
    "PLM_KEEP_UNBOUNDED: a EventSink needs a bound and got none.
      at:  new EventSink(options)
      fix: set at least one of capacity."
  `);
});

test.each([
  [{ capacity: Number.NaN }],
  [{ capacity: -1 }],
  [{ capacity: 1e12 }],
  [{ capacity: 10, maxBytes: 'big' }],
  [{ capacity: 10, onFull: 'explode' }],
  [{ capacity: 10, key: 'type' }],
  [{ capacity: 10, size: 4 }],
])('%o is refused with the accepted form', (options) => {
  expect(refused(options)).toMatch(/^PLM_KEEP_BAD_OPTION: .+ has to be .+/);
});

describe('when it is full', () => {
  const fill = (onFull: FullPolicy): EventSink<Event> => {
    const sink = new EventSink<Event>({ capacity: 4, onFull, key: ({ type }) => type, random: () => 0.1 });
    for (let at = 0; at < 10; at++) sink.push(event(at));
    return sink;
  };

  test('the oldest go', () => {
    const sink = fill('drop-oldest');
    expect(sink.stats()).toMatchObject({
      pushed: 10,
      dropped: 6,
      buffered: 4,
      droppedByKind: { tick: 2, tock: 4 },
    });
    expect(sink.take().map(({ at }) => at)).toEqual([6, 7, 8, 9]);
  });

  test('or the newest are not taken', () => {
    const sink = fill('drop-newest');
    expect(sink.take().map(({ at }) => at)).toEqual([0, 1, 2, 3]);
    expect(sink.dropped).toBe(6);
  });

  test('or every event has the same chance', () => {
    const held = Array.from({ length: 100 }, () => 0);
    for (let round = 0; round < 300; round++) {
      const sink = new EventSink<number>({ capacity: 20, onFull: 'sample' });
      for (let at = 0; at < 100; at++) sink.push(at);
      for (const at of sink.take()) held[at] = (held[at] as number) + 1;
    }
    const early = held.slice(0, 50).reduce((sum, count) => sum + count, 0);
    expect(early / (20 * 300)).toBeGreaterThan(0.42);
    expect(early / (20 * 300)).toBeLessThan(0.58);
  });

  test('or the producer waits, and nothing is lost', async () => {
    const sink = new EventSink<number>({ capacity: 2, onFull: 'block' });
    const full: number[] = [];
    sink.on('full', ({ buffered }) => full.push(buffered));
    const read: number[] = [];
    for (let at = 0; at < 10; at++) {
      while (!sink.push(at)) {
        const ready = sink.ready();
        read.push(...sink.take(1));
        await ready;
      }
    }
    read.push(...sink.take());
    await sink.ready();
    expect(read).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sink.stats()).toMatchObject({ pushed: 10, dropped: 0, delivered: 10 });
    expect(full.length).toBeGreaterThan(1);
  });

  test('bytes count too, and an event larger than the bound is dropped', () => {
    const sink = new EventSink<string>({ capacity: 1000, maxBytes: 1000, size: (text) => text.length });
    for (let i = 0; i < 20; i++) sink.push('x'.repeat(100));
    expect(sink.stats()).toMatchObject({ buffered: 10, dropped: 10 });
    expect(sink.push('y'.repeat(2000))).toBe(false);
    expect(sink.stats()).toMatchObject({ buffered: 10, dropped: 11 });
  });
});

describe('batches', () => {
  test('come when they are full, or when their time has come, and end with the sink', async () => {
    const clock = new FakeClock();
    const sink = new EventSink<number>({ capacity: 100, clock });
    const batches = sink.batches({ max: 3, every: '1s' });
    const first = batches.next();
    for (let at = 0; at < 4; at++) sink.push(at);
    expect((await first).value).toEqual([0, 1, 2]);
    const second = batches.next();
    clock.advance(1000);
    expect((await second).value).toEqual([3]);
    const third = batches.next();
    sink.push(5);
    sink.close();
    sink.close();
    expect((await third).value).toEqual([5]);
    expect((await batches.next()).done).toBe(true);
    expect((await batches.next()).done).toBe(true);
    expect(sink.push(6)).toBe(false);
    expect(clock.waiting).toBe(0);
  });

  test('a reader may leave, and a closed sink without readers drops what it holds, counted', async () => {
    const sink = new EventSink<number>({ capacity: 100 });
    let seen = 0;
    sink.push(1);
    for await (const batch of sink.batches({ max: 1 })) {
      seen += batch.length;
      break;
    }
    sink.push(2);
    sink[Symbol.dispose]();
    expect(seen).toBe(1);
    expect(sink.stats()).toMatchObject({ pushed: 2, delivered: 1, dropped: 1, buffered: 0 });
    expect(() => sink.batches({ max: 0 })).toThrow('a whole number of 1 or more');
  });

  test('several reads at once are served in order', async () => {
    const sink = new EventSink<number>({ capacity: 100 });
    const batches = sink.batches({ max: 2 });
    const reads = [batches.next(), batches.next()];
    for (let at = 0; at < 4; at++) sink.push(at);
    expect((await Promise.all(reads)).map((read) => read.value)).toEqual([
      [0, 1],
      [2, 3],
    ]);
  });
});

test('pushed = delivered + dropped + buffered, whatever happens', () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('push' as const), count: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constant('take' as const), count: fc.integer({ min: 1, max: 20 }) }),
    fc.record({ do: fc.constant('shed' as const), count: fc.integer({ min: 1, max: 500 }) }),
  );
  const world = fc.record({
    capacity: fc.integer({ min: 1, max: 40 }),
    maxBytes: fc.option(fc.integer({ min: 50, max: 2000 }), { nil: undefined }),
    onFull: fc.constantFrom<FullPolicy>('drop-oldest', 'drop-newest', 'sample', 'block'),
    steps: fc.array(step, { maxLength: 60 }),
  });
  fc.assert(
    fc.property(world, ({ capacity, maxBytes, onFull, steps }) => {
      const sink = new EventSink<Event>({
        capacity,
        onFull,
        key: ({ type }) => type,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      });
      let at = 0;
      const seen = new Set<number>();
      let last = -1;
      for (const { do: what, count } of steps) {
        if (what === 'push') for (let i = 0; i < count; i++) sink.push(event(at++));
        else if (what === 'shed') void sink.shed({ bytes: count });
        else
          for (const { at } of sink.take(count)) {
            expect(seen.has(at)).toBe(false);
            if (onFull !== 'sample') expect(at).toBeGreaterThan(last);
            seen.add(at);
            last = at;
          }
        const { pushed, delivered, dropped, buffered, droppedByKind } = sink.stats();
        expect(delivered + dropped + buffered).toBe(pushed);
        expect(Object.values(droppedByKind).reduce((sum, one) => sum + one, 0)).toBe(dropped);
        expect(buffered).toBeLessThanOrEqual(capacity);
        if (maxBytes !== undefined) expect(sink.bytes - 8 * capacity).toBeLessThanOrEqual(maxBytes);
      }
      sink[Symbol.dispose]();
    }),
    { numRuns: 300 },
  );
});

test('hooks that throw are reported, kinds are bounded', () => {
  const sink = new EventSink<number>({
    capacity: 1,
    maxBytes: '1MiB',
    size: () => {
      throw new Error('no');
    },
    key: (at) => {
      if (at === 0) throw new Error('no');
      return `kind ${at}`;
    },
  });
  const failed: string[] = [];
  sink.on('hook-failed', ({ hook }) => failed.push(hook));
  for (let at = 0; at < 300; at++) sink.push(at);
  expect(new Set(failed)).toEqual(new Set(['size', 'key']));
  expect(Object.keys(sink.stats().droppedByKind).length).toBeLessThanOrEqual(101);
  expect(sink.stats().droppedByKind['other']).toBeGreaterThan(100);
});

test('memory is charged, can be shed, and is gone after the events were taken', async () => {
  using scope = open('session', 'sink');
  const sink = scope.run(() => new EventSink<object>({ capacity: 5000, maxBytes: '10MiB', name: 'spans' }));
  let ref: WeakRef<object> | undefined;
  const before = await usedHeap();
  const fill = (): void => {
    for (let at = 0; at < 5000; at++) {
      const span = { name: `span ${at}`, attributes: 'x'.repeat(200) + at };
      ref ??= new WeakRef(span);
      sink.push(span);
    }
  };
  fill();
  expect(scope.account.held).toBeGreaterThan(1_000_000);
  expect(keepers()).toContain(sink);
  expect(await sink.shed({ bytes: 100_000 })).toBeGreaterThanOrEqual(100_000);
  await expect(sink.shed({ bytes: 0 })).rejects.toThrow('bytes above 0');
  sink.take();
  expect(await isCollected(ref as WeakRef<object>)).toBe(true);
  expect((await usedHeap()) - before).toBeLessThan(500_000);
  sink[Symbol.dispose]();
  expect(scope.account.held).toBe(0);
  expect(keepers()).not.toContain(sink);
});
