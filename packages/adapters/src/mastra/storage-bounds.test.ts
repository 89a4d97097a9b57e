import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StorageBounds } from './storage-bounds.ts';
import type { StorageRules } from './storage-bounds.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const at = (minute: number): Date => new Date(minute * 60_000);
const nothing: StorageRules = { bounds: () => undefined, prunes: () => false };
const bounded: StorageRules = { bounds: () => ({ mostThreads: 1 }), prunes: () => true };

/** Mastra's `InMemoryStore` with two threads and four runs, and what was deleted from it. */
function inMemory(): { readonly instance: object; readonly deleted: unknown[] } {
  const deleted: unknown[] = [];
  const run = (id: string, minute: number, snapshot: unknown): [string, object] => [
    id,
    { run_id: id, workflow_name: 'flow', updatedAt: at(minute), snapshot },
  ];
  const db = {
    threads: new Map<string, object>([
      ['new', { updatedAt: at(2) }],
      ['old', { updatedAt: at(1) }],
    ]),
    workflows: new Map([
      run('last', 9, { status: 'success' }),
      run('failed', 2, { status: 'failed' }),
      run('done', 1, JSON.stringify({ status: 'success' })),
      run('waits', 0, { status: 'suspended' }),
    ]),
  };
  const store = {
    db,
    deleteThread: async ({ threadId }: { threadId: string }) => void deleted.push(threadId),
    deleteWorkflowRunById: async (of: unknown) => void deleted.push(of),
  };
  const instance = { getStorage: () => ({ name: 'InMemoryStorage', getStore: async () => store }) };
  return { instance, deleted };
}

test('the oldest threads and the oldest runs that are over go, a run that waits stays', async () => {
  const { instance, deleted } = inMemory();
  const storage = new StorageBounds(bounded);
  storage.used(undefined);
  storage.used(instance);
  storage.used(instance);
  await vi.advanceTimersByTimeAsync(1000);
  expect(deleted).toEqual([
    'old',
    { runId: 'done', workflowName: 'flow' },
    { runId: 'failed', workflowName: 'flow' },
  ]);
});

test('without a bound in the policy a store in memory keeps everything, and nobody looks at it', async () => {
  const { instance, deleted } = inMemory();
  new StorageBounds(nothing).used(instance);
  expect(vi.getTimerCount()).toBe(0);
  new StorageBounds({ ...nothing, prunes: () => true }).used(instance);
  await vi.advanceTimersByTimeAsync(1000);
  expect(deleted).toEqual([]);
});

test('another store is asked to prune itself, once an hour', async () => {
  let prunes = 0;
  const instance = { getStorage: () => ({ name: 'LibSQLStore', prune: async () => void prunes++ }) };
  const storage = new StorageBounds(bounded);
  vi.setSystemTime(3_600_000);
  for (const minutes of [1, 1, 60]) {
    storage.used(instance);
    await vi.advanceTimersByTimeAsync(minutes * 60_000);
  }
  expect(prunes).toBe(1);
  storage.used(instance);
  await vi.advanceTimersByTimeAsync(1000);
  expect(prunes).toBe(2);
});

test('a store that fails or is missing does no harm, and nothing is looked at after the end', async () => {
  const storage = new StorageBounds(bounded);
  storage.used({ getStorage: () => undefined });
  storage.used({
    getStorage: () => ({ name: 'InMemoryStorage', getStore: () => Promise.reject(new Error('closed')) }),
  });
  await vi.advanceTimersByTimeAsync(1000);
  const { instance, deleted } = inMemory();
  storage.used(instance);
  storage.stop();
  await vi.advanceTimersByTimeAsync(5000);
  expect(deleted).toEqual([]);
});
