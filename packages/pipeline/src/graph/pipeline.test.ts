import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { setTimeout as wait } from 'node:timers/promises';
import { currentScope, processScope } from '@plimsoll/core';
import { keepers } from '@plimsoll/core/keeper';
import { expect, test } from 'vitest';
import { MemoryTracker } from '../track/memory-tracker.ts';
import { forgetWarnings } from '../warn/stage-warning.ts';
import { ContextSnapshot } from './context-snapshot.ts';
import { pipeline } from './pipeline.ts';

test('stages read what they come after, run at the same time where they can, and leave nothing behind', async () => {
  let running = 0;
  let most = 0;
  const slowly = async <T>(value: T): Promise<T> => {
    most = Math.max(most, ++running);
    await wait(20);
    running--;
    return value;
  };
  const chat = pipeline<{ question: string }>('chat')
    .stage('load', { run: ({ input }) => slowly([input.question, 'doc']) })
    .stage('profile', { run: () => slowly({ name: 'Ada' }) })
    .stage('answer', {
      after: ['load', 'profile'],
      run: ({ outputs, snapshot, scope }) => {
        const words: string[] = outputs.load;
        expect(currentScope().path).toBe(scope.path);
        expect(snapshot.keys).toEqual(['input', 'load', 'profile']);
        expect(snapshot.bytes).toBeGreaterThan(snapshot.bytesOf('load'));
        return `${outputs.profile.name}: ${words.join(' ')}`;
      },
    });
  const tracker = new MemoryTracker();
  const result = await chat.run({ question: 'why' }, { tracker });
  const answer: string = result.value;
  expect(answer).toBe('Ada: why doc');
  expect(result.outputs).toEqual({ answer });
  expect(most).toBe(2);
  expect(result.stages.map(({ stage }) => stage)).toContain('answer');
  expect(result.stages[2]?.path).toBe('process/run:chat/stage:answer');
  expect(
    tracker
      .finish()
      .rows()
      .map(({ stage }) => stage)
      .sort(),
  ).toEqual(['answer', 'load', 'profile']);
  expect(processScope().children()).toEqual([]);
  expect(keepers().filter(({ name }) => name === 'chat')).toEqual([]);
});

test('a stage that fails is tried again, and its error ends the run and aborts the others', async () => {
  let attempts = 0;
  let isAborted = false;
  const flaky = pipeline('flaky')
    .stage('flaky', {
      retries: 2,
      backoff: 1,
      run: ({ attempt }) => {
        attempts = attempt;
        if (attempt < 3) throw new Error('not yet');
        return 'ok';
      },
    })
    .stage('end', { after: ['flaky'], run: ({ outputs }) => outputs.flaky });
  expect((await flaky.run()).value).toBe('ok');
  expect(attempts).toBe(3);
  const failing = pipeline('failing')
    .stage('bad', { run: () => Promise.reject(new Error('broken')) })
    .stage('long', {
      run: ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve((isAborted = true)));
        }),
    });
  await expect(failing.run()).rejects.toThrow('broken');
  expect(isAborted).toBe(true);
  expect(processScope().children()).toEqual([]);
});

test('a stage over its time fails with its name, and its signal is aborted', async () => {
  let signal: AbortSignal | undefined;
  const slow = pipeline('slow').stage('hang', {
    timeout: 20,
    run: (context) => {
      ({ signal } = context);
      return new Promise(() => undefined);
    },
  });
  await expect(slow.run()).rejects.toMatchObject({ code: 'PLM_PIPELINE_STAGE_TIMEOUT' });
  expect(signal?.aborted).toBe(true);
});

test('a run is cancelled by its signal and by its scope', async () => {
  const controller = new AbortController();
  const hanging = pipeline('hanging').stage('hang', { run: () => new Promise(() => undefined) });
  const run = hanging.run(undefined, { signal: controller.signal });
  controller.abort(new Error('client left'));
  await expect(run).rejects.toMatchObject({ code: 'PLM_PIPELINE_CANCELLED', message: /client left/ });
  await expect(hanging.run(undefined, { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'PLM_PIPELINE_CANCELLED',
  });
});

test('outputs that nobody reads, and events that are dropped, are told when it happens', async () => {
  forgetWarnings();
  const told: string[] = [];
  const listener = (message: unknown): void => void told.push((message as { code: string }).code);
  subscribe('plimsoll:stage.warning', listener);
  const flood = pipeline('flood', { events: 100, unreadAfter: 2 })
    .stage('early', { run: () => 'x'.repeat(1000) })
    .stage('a', {
      after: ['early'],
      run: ({ emit }) => {
        for (let i = 0; i < 5000; i++) emit({ i });
        return 1;
      },
    })
    .stage('b', { after: ['a'], run: () => 2 })
    .stage('c', { after: ['b'], run: () => 3 })
    .stage('end', { after: ['early', 'c'], run: ({ outputs }) => outputs.early.length });
  const result = await flood.run();
  unsubscribe('plimsoll:stage.warning', listener);
  expect(told).toEqual(['PLM_PIPELINE_EVENTS_DROPPED', 'PLM_PIPELINE_OUTPUT_UNREAD']);
  expect(result).toMatchObject({ value: 1000, dropped: 4900 });
  expect(result.events).toHaveLength(100);
});

test('outputs beyond the bound are spilled and read back', async () => {
  const wide = Array.from({ length: 8 }, (_, i) => `part-${i}`);
  let big = pipeline('big', { maxBytes: '1MiB' });
  for (const name of wide) big = big.stage(name, { run: () => name.repeat(40_000) }) as never;
  const end = big.stage('end', {
    after: wide as never[],
    run: ({ outputs }) =>
      Object.values(outputs as Record<string, string>).reduce((sum, text) => sum + text.length, 0),
  });
  const { value, peakBytes } = await end.run();
  expect(value).toBe(8 * 6 * 40_000);
  expect(peakBytes).toBeLessThanOrEqual(1024 * 1024);
});

test('a graph that cannot run is refused when it is declared', async () => {
  const graph = pipeline('bad').stage('a', { run: () => 1 });
  expect(() => graph.stage('a', { run: () => 2 })).toThrow('declared twice');
  expect(() => graph.stage('b', { after: ['nowhere' as 'a'], run: () => 2 })).toThrow('not declared');
  await expect(pipeline('none').run()).rejects.toMatchObject({ code: 'PLM_PIPELINE_BAD_GRAPH' });
});

test('a snapshot cannot be changed; with() shares the rest', () => {
  const first = ContextSnapshot.of<{ input: string[] }>({ input: { value: ['a'], bytes: 100 } });
  const second = first.with('docs', { n: 1 }, 40);
  expect([first.bytes, second.bytes, second.with('docs', 0, 8).bytes]).toEqual([100, 140, 108]);
  expect(second.values.input).toBe(first.values.input);
  expect(() => Object.assign(second.values, { docs: 2 })).toThrow(TypeError);
  expect(() => Object.assign(second, { bytes: 0 })).toThrow(TypeError);
});

test('the bytes of an output are exact, however often and fast a pipeline runs', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({ id: i, text: `row ${i}` }));
  const load = pipeline('exact').stage('load', { run: () => rows });
  const seen = new Set<number>();
  for (let i = 0; i < 40; i++) {
    const { stages, peakBytes } = await load.run();
    expect(stages[0]).toMatchObject({ isExact: true, returned: peakBytes });
    seen.add(peakBytes);
  }
  expect(seen.size).toBe(1);
});
