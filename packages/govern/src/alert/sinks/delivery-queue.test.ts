import { expect, test } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { settle } from '../alert.fixture.ts';
import type { Notice } from '../alert.ts';
import type { DeliveryOutcome } from './delivery-queue.ts';
import { DeliveryQueue } from './delivery-queue.ts';
import { DeliveryError } from './sink.ts';

const noticeOf = (id: string): Notice =>
  ({
    id,
    recipient: 'ops',
    group: {},
    level: 'warning',
    at: 0,
    firing: [],
    resolved: [],
    stillFiring: 0,
  }) as Notice;

function queueOf(
  deliver: (notice: Notice, signal: AbortSignal) => Promise<void>,
  more: { attempts?: number; most?: number; random?: () => number } = {},
) {
  const clock = new FakeClock();
  const settled: [string, DeliveryOutcome][] = [];
  const queue = new DeliveryQueue(
    { name: 'ops', deliver },
    {
      clock,
      timeoutMs: 5000,
      attempts: 3,
      onSettled: (notice, outcome) => settled.push([notice.id, outcome]),
      random: () => 1,
      ...more,
    },
  );
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { queue, clock, settled, pass };
}

test('pauses grow, heed what the recipient asks for, and end with the attempts', async () => {
  const tries: number[] = [];
  const errors = [new Error('a'), new DeliveryError('b', { retryAfterMs: 30_000 }), new Error('c\n d.')];
  const { queue, clock, settled, pass } = queueOf(() => {
    tries.push(clock.now());
    return Promise.reject(errors[tries.length - 1] as Error);
  });
  const start = clock.now();
  queue.push(noticeOf('1'));
  await settle();
  for (let i = 0; i < 60; i++) await pass(1000);
  expect(tries.map((at) => at - start)).toEqual([0, 1000, 31_000]);
  expect(settled).toEqual([['1', { arrived: false, attempts: 3, reason: 'c d' }]]);
  expect(queue.counts).toEqual({ sent: 0, lost: 1, retried: 2, waiting: 0, gone: false });
});

test('half of a pause is chance', async () => {
  const { queue, settled, pass } = queueOf(() => Promise.reject(new Error('x')), {
    attempts: 2,
    random: () => 0,
  });
  queue.push(noticeOf('1'));
  await settle();
  await pass(499);
  expect(settled).toHaveLength(0);
  await pass(1);
  expect(settled).toHaveLength(1);
});

test('a sink that does not listen to its signal is left after the time limit', async () => {
  const { queue, settled, pass } = queueOf(() => new Promise(() => undefined), { attempts: 1 });
  queue.push(noticeOf('1'));
  await pass(5000);
  expect(settled).toEqual([['1', { arrived: false, attempts: 1, reason: 'no answer within 5000 ms' }]]);
});

test('notices go out in order, the oldest is lost when too many wait', async () => {
  const order: string[] = [];
  let release: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (release = resolve));
  const { queue, settled } = queueOf(
    async ({ id }) => {
      await gate;
      order.push(id);
    },
    { most: 2 },
  );
  for (const id of ['1', '2', '3', '4']) queue.push(noticeOf(id));
  expect(queue.counts.waiting).toBe(3);
  release();
  await queue.drained(1000);
  expect(order).toEqual(['1', '3', '4']);
  expect(settled[0]).toEqual(['2', { arrived: false, attempts: 0, reason: 'too many notices wait' }]);
  await queue.drained(1000);
});

test('a sink that throws at once is a failed attempt', async () => {
  const { queue, settled } = queueOf(
    () => {
      throw new Error('bug');
    },
    { attempts: 1 },
  );
  queue.push(noticeOf('1'));
  await settle();
  expect(settled).toEqual([['1', { arrived: false, attempts: 1, reason: 'bug' }]]);
});

test('410 ends it for this recipient: what waits and what comes is lost', async () => {
  const { queue, settled } = queueOf(() =>
    Promise.reject(new DeliveryError('it answered 410', { gone: true })),
  );
  queue.push(noticeOf('1'));
  queue.push(noticeOf('2'));
  await settle();
  queue.push(noticeOf('3'));
  expect(settled.map(([id, { reason }]) => `${id} ${reason}`)).toEqual([
    '2 it answered 410 Gone',
    '1 it answered 410',
    '3 it answered 410 Gone before',
  ]);
});

test('closing aborts what is under way, ends a pause, and counts all as lost', async () => {
  const abort = queueOf(
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
  );
  abort.queue.push(noticeOf('1'));
  abort.queue.push(noticeOf('2'));
  abort.queue.close();
  abort.queue.close();
  await settle();
  abort.queue.push(noticeOf('3'));
  expect(abort.settled.map(([id, { reason }]) => `${id} ${reason}`).toSorted()).toEqual([
    '1 alerts have ended',
    '2 alerts have ended',
    '3 alerts have ended',
  ]);
  const pausing = queueOf(() => Promise.reject(new Error('down')));
  pausing.queue.push(noticeOf('1'));
  await settle();
  pausing.queue.close();
  await settle();
  expect(pausing.settled).toEqual([['1', { arrived: false, attempts: 1, reason: 'down' }]]);
  expect(pausing.clock.waiting).toBe(0);
});
