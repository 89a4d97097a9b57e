import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { open } from '@plimsoll/core';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { describe, expect, test } from 'vitest';
import { isIsolateError, isolate } from './index.ts';
import type { IsolateCallOptions, Isolated, IsolateError, IsolateOptions } from './index.ts';
import type { Deed } from './task.fixture.ts';

const module = new URL('./task.fixture.ts', import.meta.url);
const usual = { limit: '48 MiB', timeout: '60s', output: 'ignore' } as const;

function acting(options: Partial<IsolateOptions> = {}): Isolated<{ deed: Deed; n?: number }, unknown> {
  return isolate(module, { ...usual, export: 'act', ...options });
}

async function errorOf(call: Promise<unknown>): Promise<IsolateError> {
  const error: unknown = await call.then(
    (value) => expect.fail(`answered ${String(value)}`),
    (thrown: unknown) => thrown,
  );
  return error as IsolateError;
}

async function untilDead(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(20);
}

describe('one call', () => {
  test('answers from another process', async () => {
    await using double = isolate<{ n: number }, number>(module, usual);
    expect(await double({ n: 21 })).toBe(42);
    await using act = acting();
    expect(await act({ deed: 'pid' })).not.toBe(process.pid);
  });

  test('throws what the task threw, and the process goes on', async () => {
    await using act = acting({ size: 1 });
    const before = await act({ deed: 'pid' });
    const error = await errorOf(act({ deed: 'throw', n: 7 }));
    expect(error).toMatchObject({ name: 'RangeError', message: 'no 7', code: 'E_NO' });
    expect(isIsolateError(error)).toBe(false);
    expect(await act({ deed: 'pid' })).toBe(before);
  });

  test('says what cannot be copied', async () => {
    await using act = acting();
    const input = { deed: 'answer', call: () => 1 } as unknown as { deed: Deed };
    expect((await errorOf(act(input))).code).toBe('PLM_ISOLATE_NOT_CLONEABLE');
    await using bad = isolate(module, { ...usual, export: 'notCloneable' });
    expect((await errorOf(bad(1))).message).toContain('the result cannot be copied');
  });

  test('says what is wrong with the module', async () => {
    await using missing = isolate(new URL('./nowhere.ts', import.meta.url), usual);
    const error = await errorOf(missing(1));
    expect(error.code).toBe('PLM_ISOLATE_BAD_MODULE');
    expect(String(error.cause)).toContain('nowhere.ts');
    await using nameless = isolate(module, { ...usual, export: 'nobody' });
    expect((await errorOf(nameless(1))).message).toBe(
      'the module cannot be used: it has no function "nobody".',
    );
  });
});

describe('a task that misbehaves', () => {
  test.each([
    ['heap', 'PLM_ISOLATE_LIMIT', 'heap', /heap out of memory/],
    ['exit', 'PLM_ISOLATE_CRASHED', 'crashed', undefined],
    ['uncaught', 'PLM_ISOLATE_CRASHED', 'crashed', /^TypeError: nobody catches this$/],
    ['kill', 'PLM_ISOLATE_CRASHED', 'crashed', undefined],
  ] as const)('%s: the caller gets %s with an autopsy', async (deed, code, cause, line) => {
    await using act = acting();
    const error = await errorOf(act({ deed }));
    expect(error.code).toBe(code);
    expect(isIsolateError(error)).toBe(true);
    expect(error.autopsy).toMatchObject({ cause, limitBytes: 48 * 1024 ** 2 });
    expect(error.autopsy?.lastLine ?? '').toMatch(line ?? /^/);
  });

  test('memory outside the heap counts, too', async () => {
    await using act = acting({ cgroup: false });
    const error = await errorOf(act({ deed: 'buffers' }));
    expect(error.code).toBe('PLM_ISOLATE_LIMIT');
    expect(error.autopsy?.cause).toBe('outside-heap');
    expect(error.autopsy?.peakBytes).toBeGreaterThan(48 * 1024 ** 2);
  });

  test('a task that never yields is ended at its timeout', async () => {
    await using act = acting();
    const error = await errorOf(act({ deed: 'loop' }, { timeout: '500ms' }));
    expect(error.code).toBe('PLM_ISOLATE_TIMEOUT');
    await untilDead(error.autopsy?.pid ?? 0);
  });
});

describe('whoever owns the call', () => {
  const giveUp = async (options: IsolateCallOptions, end: () => void): Promise<IsolateError> => {
    await using act = acting();
    const call = act({ deed: 'loop' }, options);
    const failed = errorOf(call);
    const pid = act.stats().pids[0] as number;
    end();
    const error = await failed;
    await untilDead(pid);
    return error;
  };

  test('an aborted signal ends the process', async () => {
    const controller = new AbortController();
    const error = await giveUp({ signal: controller.signal }, () => controller.abort(new Error('enough')));
    expect(error).toMatchObject({ code: 'PLM_ISOLATE_ABORTED', cause: { message: 'enough' } });
  });

  test('a closed scope ends the process', async () => {
    const scope = open('session', 'isolate-42');
    const error = await giveUp({ scope }, () => void scope.close());
    expect(error.message).toContain('session:isolate-42 was closed');
    await using act = acting();
    expect((await errorOf(act({ deed: 'answer' }, { scope }))).code).toBe('PLM_ISOLATE_ABORTED');
  });

  test('a call that waits is taken out of the queue', async () => {
    await using act = acting({ size: 1 });
    const controller = new AbortController();
    const first = act({ deed: 'hang' }).catch(() => undefined);
    const waits = errorOf(act({ deed: 'answer' }, { signal: controller.signal }));
    expect(act.stats()).toMatchObject({ busy: 1, waiting: 1 });
    controller.abort();
    expect((await waits).autopsy).toBeUndefined();
    expect(act.stats().waiting).toBe(0);
    await act.close();
    await first;
  });

  test('close gives up what runs, and later calls are refused', async () => {
    const act = acting({ name: 'closing' });
    const failed = errorOf(act({ deed: 'hang' }));
    await act.close();
    expect((await failed).message).toContain('the isolate was closed');
    expect(act.stats().processes).toBe(0);
    expect((await errorOf(act({ deed: 'answer' }))).code).toBe('PLM_ISOLATE_CLOSED');
  });
});

describe('a pool', () => {
  test('the queue has a bound', async () => {
    await using act = acting({ size: 1, queue: 1 });
    const [first, second] = [act({ deed: 'hang' }), act({ deed: 'answer' })].map((call) =>
      call.catch(() => undefined),
    );
    expect((await errorOf(act({ deed: 'answer' }))).code).toBe('PLM_ISOLATE_QUEUE_FULL');
    await act.close();
    await Promise.all([first, second]);
  });

  test('calls with the same module and options share processes; one is ready before the first call', async () => {
    const options = { size: 1, warm: 1, name: 'shared' };
    await using one = acting(options);
    const [pid] = one.stats().pids;
    await using other = acting(options);
    expect([await one({ deed: 'pid' }), await other({ deed: 'pid' })]).toEqual([pid, pid]);
  });

  test('a process is replaced after its count of tasks, and when it keeps more and more', async () => {
    for (const recycle of [{ tasks: 1 }, { growth: '1 MiB' }]) {
      await using act = acting({ size: 1, recycle });
      const first = await act({ deed: 'keep' });
      expect(await act({ deed: 'pid' })).not.toBe(first);
      expect(act.stats().recycled).toBeGreaterThan(0);
    }
  });

  test('a process that nobody uses ends', async () => {
    await using act = acting({ idle: 10 });
    const pid = (await act({ deed: 'pid' })) as number;
    await untilDead(pid);
    expect(isAlive(pid)).toBe(false);
  });
});

describe('streams', () => {
  test('cross the wall in both directions, as fast as they are read', async () => {
    let given = 0;
    const numbers = (async function* () {
      for (; given < 1000; given++) yield given;
    })();
    await using doubled = isolate<{ numbers: AsyncIterable<number> }, Readable>(module, {
      ...usual,
      export: 'doubled',
    });
    const stream = await doubled({ numbers });
    let [count, total] = [0, 0];
    for await (const n of stream) {
      if (++count === 1) expect(given).toBeLessThan(200);
      total += n as number;
    }
    expect([count, total]).toEqual([1000, 999_000]);
    await using sum = isolate<AsyncIterable<number>, number>(module, { ...usual, export: 'sum' });
    expect(await sum(Readable.from([1, 2, 3]))).toBe(6);
  });

  test('an error of the task ends the stream with it', async () => {
    await using fails = isolate<null, Readable>(module, { ...usual, export: 'fails' });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const n of await fails(null)) seen.push(n);
    })();
    await expect(reading).rejects.toThrow('the third fails');
    expect(seen.length).toBeLessThan(3);
  });
});

test('a program ends after its last call, and not before close has resolved', async () => {
  const program = `
    import { isolate } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const options = { limit: '48 MiB', timeout: '60s', warm: 1, size: 1 };
    const open = isolate(${JSON.stringify(module.href)}, options);
    const closed = isolate(${JSON.stringify(module.href)}, { ...options, name: 'closed' });
    const numbers = [await open({ n: 1 }), await closed({ n: 2 })];
    await closed.close();
    console.log(numbers.join());`;
  const args = ['--conditions=plimsoll-source', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  expect(stdout).toBe('2,4\n');
});

test.each(['hang', 'loop'])('a task that does "%s" ends with a parent that is killed', async (deed) => {
  const program = `
    import { isolate } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)};
    const act = isolate(${JSON.stringify(module.href)}, { limit: '48 MiB', timeout: '60s', export: 'act', warm: 1 });
    await act({ deed: 'answer' });
    void act({ deed: ${JSON.stringify(deed)} });
    console.log(act.stats().pids.join(' '));`;
  const parent = spawn(
    process.execPath,
    ['--conditions=plimsoll-source', '--input-type=module', '-e', program],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
  parent.kill('SIGKILL');
  const pids = String(chunk).trim().split(' ').map(Number);
  await Promise.all(pids.map(untilDead));
  expect(pids.filter(isAlive)).toEqual([]);
});

test('60 tasks of which a tenth misbehave: every caller gets its own answer or error, and no process is left', async () => {
  const expected: Partial<Record<Deed, string>> = {
    heap: 'PLM_ISOLATE_LIMIT',
    loop: 'PLM_ISOLATE_TIMEOUT',
    exit: 'PLM_ISOLATE_CRASHED',
    hang: 'PLM_ISOLATE_ABORTED',
  };
  const act = acting({ size: 2, queue: 100, limit: '32 MiB', name: 'sixty' });
  const pids = new Set<number>();
  const outcomes = Array.from({ length: 60 }, async (_, n) => {
    const deed = n % 10 === 0 ? (Object.keys(expected)[(n / 10) % 4] as Deed) : 'answer';
    const signal = deed === 'hang' ? { signal: AbortSignal.timeout(1500) } : {};
    const timeout = deed === 'loop' ? { timeout: '300ms' } : {};
    const got = await act({ deed, n }, { ...signal, ...timeout }).catch((error: IsolateError) => error.code);
    for (const pid of act.stats().pids) pids.add(pid);
    return got === (expected[deed] ?? n + 1) ? 'right' : `${deed} ${n}: ${String(got)}`;
  });
  expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['right']));
  await act.close();
  expect([...pids].filter(isAlive)).toEqual([]);
});
