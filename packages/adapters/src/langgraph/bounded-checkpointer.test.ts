import { sessions } from '@plimsoll/core/adapter';
import { processScope } from '@plimsoll/core';
import { afterEach, expect, test } from 'vitest';
import { boundedCheckpointer } from './bounded-checkpointer.ts';

afterEach(async () => {
  await processScope().close();
});

/** Stores as `MemorySaver` does; the real one is driven in test/frameworks. */
class Saver {
  readonly storage: Record<string, Record<string, Record<string, readonly Uint8Array[]>>> = {};
  readonly writes: Record<string, Record<string, readonly unknown[]>> = {};

  async put(config: { configurable: { thread_id: string } }, id: string, bytes: number): Promise<void> {
    const { thread_id: thread } = config.configurable;
    ((this.storage[thread] ??= {})[''] ??= {})[id] = [new Uint8Array(bytes)];
    this.writes[JSON.stringify([thread, '', id])] = {};
  }

  async deleteThread(thread: string): Promise<void> {
    delete this.storage[thread];
  }
}

test('the bytes of a thread are those of its session, also of one that closed and began again', async () => {
  const saver = boundedCheckpointer(new Saver(), { mostThreads: 2, keepLast: 2 });
  const put = async (thread: string, id: string): Promise<void> =>
    saver.put({ configurable: { thread_id: thread } }, id, 100);
  const session = sessions().enter('a');
  for (const id of ['1', '2', '3']) await put('a', id);
  expect(session.account.held).toBe(200);
  expect(Object.keys(saver.writes)).toHaveLength(2);
  sessions().close('a');
  await put('a', '4');
  const again = sessions().enter('a');
  await put('a', '5');
  expect(again.account.held).toBe(200);
  await put('b', '1');
  await put('c', '1');
  expect(Object.keys(saver.storage)).toEqual(['b', 'c']);
  expect(again.account.held).toBe(0);
});

test.each([{ mostThreads: 0 }, { mostThreads: Number.NaN }, { mostThreads: 1, keepLast: 0 }])(
  '%j is refused',
  (bounds) => {
    expect(() => boundedCheckpointer(new Saver(), bounds)).toThrow(/accepted: a number of at least 1/);
  },
);
