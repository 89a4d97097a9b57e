import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open, processScope } from '@plimsoll/core';
import { expect, test } from 'vitest';
import { agentCycle, FileHandleGuard, MessageSizeValidator, StaleRequestPurger } from './index.ts';

test('a cycle runs inbox, tasks, execute, gates and done, each in a scope of the cycle', async () => {
  const order: string[] = [];
  const size = new MessageSizeValidator({ maxBytes: '1KiB' });
  const cycle = await agentCycle(
    'planner',
    {
      inbox: (scope) => {
        order.push(scope.path);
        return ['a', 'b', 'x'.repeat(5000), 'bad', 'late'];
      },
      tasks: (messages) => messages.map((text) => ({ text })),
      execute: ({ text }) => {
        if (text === 'bad') throw new Error('cannot');
        return text.toUpperCase();
      },
      gates: (result) => result !== 'B',
      done: (results) => void order.push(`done ${results.join()}`),
    },
    { size, maxMessages: 4, maxTasks: 3 },
  );
  expect(order).toEqual(['process/cycle:planner/stage:inbox', 'done A']);
  expect(cycle).toMatchObject({ results: ['A'], refusedMessages: 2, refusedTasks: 0, refusedResults: 1 });
  expect(cycle.failed).toHaveLength(1);
  expect(cycle.memory.map(({ stage }) => stage)).toEqual([
    'inbox',
    'tasks',
    'execute',
    'execute',
    'gates',
    'done',
  ]);
  expect([size.accepted, size.refused]).toEqual([3, 1]);
  expect(processScope().children()).toEqual([]);
});

test('a cycle ends when its signal is aborted', async () => {
  const controller = new AbortController();
  const cycle = agentCycle(
    'planner',
    { inbox: () => [1, 2], tasks: (m) => m, execute: () => controller.abort(new Error('stop')) },
    { signal: controller.signal },
  );
  await expect(cycle).rejects.toThrow('stop');
});

test('a message over the bound is refused without walking all of it', () => {
  const validator = new MessageSizeValidator({ maxBytes: 10_000, name: 'inbox of agent "planner"' });
  expect(validator.check({ text: 'hello' })).toBeLessThan(200);
  expect(() => validator.check('x'.repeat(20_000))).toThrow(/19\.5 KiB; 9\.8 KiB are accepted/);
  expect(validator.fits(Array.from({ length: 50_000 }, () => ({})))).toBe(false);
  expect(() => new MessageSizeValidator({} as never)).toThrow(/needs a bound/);
});

test('requests without an answer are aborted after their time, and never more than the bound wait', () => {
  let now = 0;
  const stale: string[] = [];
  const purger = new StaleRequestPurger({
    after: '10s',
    max: 3,
    onStale: (id) => stale.push(id),
    now: () => now,
  });
  const first = purger.begin('a');
  now = 5000;
  purger.begin('b');
  purger.touch('a');
  now = 15_000;
  expect(purger.purge()).toBe(2);
  expect([first.aborted, stale, purger.size]).toEqual([true, ['b', 'a'], 0]);
  for (const id of ['c', 'd', 'e', 'f']) purger.begin(id);
  expect([purger.size, stale.at(-1)]).toEqual([3, 'c']);
  expect([purger.end('d'), purger.end('d')]).toEqual([true, false]);
  purger[Symbol.dispose]();
  expect([purger.size, purger.purged]).toEqual([0, 5]);
});

test('files that an agent forgot are closed with its scope, and the bound holds while many are opened', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-handles-'));
  const file = join(dir, 'file');
  writeFileSync(file, 'text');
  const scope = open('agent', 'reader');
  const guard = new FileHandleGuard({ max: 3, scope });
  const taken = await Promise.allSettled(Array.from({ length: 5 }, () => guard.take(() => openFile(file))));
  expect(taken.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ]);
  expect([guard.open, guard.refused]).toEqual([3, 2]);
  const [one] = taken;
  if (one?.status === 'fulfilled') await one.value.close();
  expect(guard.open).toBe(2);
  await expect(guard.take(() => openFile(join(dir, 'none')))).rejects.toThrow(/ENOENT/);
  expect(guard.open).toBe(2);
  expect((await scope.close()).disposed).toBe(2);
  expect(guard.open).toBe(0);
  rmSync(dir, { recursive: true });
});
