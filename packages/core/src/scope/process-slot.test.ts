import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import * as core from './index.ts';
import { slots } from '../slots.ts';
import { processSlot } from './process-slot.ts';

const { currentScope, open, processScope, roster } = core;
const fixture = new URL('./process-slot.fixture.ts', import.meta.url);

afterEach(async () => {
  await processScope().close();
});

test('a second copy of the package finds the scopes of the first', async () => {
  // The query makes it a module of its own, as a second install would be.
  const copy = (await import(`${new URL('./index.ts', import.meta.url).pathname}?copy`)) as typeof core;
  const scope = open('session', '42');
  expect(copy.processScope()).toBe(processScope());
  expect(copy.roster).toBe(roster);
  scope.run(() => expect(copy.currentScope()).toBe(scope));
  const inner = copy.open('tool', 'a', { parent: scope });
  inner.charge(10);
  expect(scope.account.held).toBe(10);
  expect(scope.children()).toEqual([inner]);
  copy.open('session', '43').run(() => expect(currentScope().name).toBe('43'));
});

test('the slot cannot be replaced', () => {
  const slot = processSlot();
  expect(processSlot()).toBe(slot);
  expect(slots().scopes).toBe(slot);
  expect(Object.getOwnPropertyDescriptor(globalThis, Symbol.for('plimsoll.slots.v1'))).toMatchObject({
    value: slots(),
    writable: false,
    enumerable: false,
  });
  // Paths of a snapshot avoid classes that begin with Plimsoll.
  expect(slots().constructor.name).toBe('PlimsollSlots');
});

test('a worker thread has a process scope of its own', async () => {
  const mine = open('session', 'of the main thread');
  mine.charge(5);
  const worker = new Worker(fixture, { workerData: 'worker' });
  const [message] = (await once(worker, 'message')) as [unknown];
  await worker.terminate();
  expect(message).toEqual({ paths: ['process', 'process/session:42'], held: 100 });
  expect(processScope().account.held).toBe(5);
});

test.each([
  ['exit', 7, /^$/],
  ['idle', 0, /^$/],
  ['throw', 1, /Error: mine/],
])('a process that leaves by %s is neither held up nor changed', (way, code, text) => {
  const run = spawnSync(process.execPath, [fixture.pathname, way], { encoding: 'utf8' });
  expect([run.status, run.signal, run.stdout]).toEqual([code, null, way === 'idle' ? 'waits for []\n' : '']);
  expect(run.stderr).toMatch(text);
});
