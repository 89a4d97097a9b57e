/** The rules that run inside a task's process, here without one. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Guard, GuardPace, GuardPlace, guardPlaces, GuardReport, tellGuard } from './guard.ts';
import { capsOf, envForTask, flagsForTask, isolateConfig } from './isolate-options.ts';
import { MemoryGroup } from './memory-group.ts';
import { StderrTail } from './stderr-tail.ts';
import { TaskRunner } from './task-runner.ts';
import { receivedError, sentError } from './wire.ts';
import type { FromTask } from './wire.ts';

const mib = 1024 ** 2;
const isolateGroup = (dir: string): string =>
  readdirSync(dir).find((item) => item.startsWith('plimsoll')) ?? '';

describe('TaskRunner', () => {
  const started = (): { runner: TaskRunner; sent: FromTask[]; next: (n: number) => Promise<void> } => {
    const sent: FromTask[] = [];
    const runner = new TaskRunner({
      send: (message) => void sent.push(structuredClone(message)),
      used: () => 100,
      collect: () => undefined,
      onBusy: () => undefined,
    });
    const next = async (n: number): Promise<void> => {
      while (sent.length < n) await new Promise(setImmediate);
    };
    return { runner, sent, next };
  };

  test('what arrives before the module is loaded runs after it', async () => {
    const { runner, sent, next } = started();
    runner.receive({ kind: 'run', task: 1, input: 20, streams: [] });
    expect(sent).toEqual([]);
    runner.use({ default: (n: number) => 2 * n }, 'default');
    await next(2);
    expect(sent).toEqual([
      { kind: 'ready', used: 100 },
      { kind: 'result', task: 1, value: 40, used: 100 },
    ]);
    runner.receive({ kind: 'collect' });
    expect(sent.at(-1)).toEqual({ kind: 'floor', used: 100 });
  });

  test('errors of the task, of the copy and of the module are told apart', async () => {
    const { runner, sent, next } = started();
    runner.use({}, 'default');
    runner.failed(new SyntaxError('line one\nline two'));
    runner.use({ default: (n: number) => (n === 1 ? () => 1 : Promise.reject(new Error('no'))) }, 'default');
    runner.receive({ kind: 'run', task: 1, input: 1, streams: [] });
    await next(4);
    runner.receive({ kind: 'run', task: 2, input: 2, streams: [] });
    await next(5);
    expect(sent).toMatchObject([
      { kind: 'unusable', why: 'it has no function "default"' },
      { kind: 'unusable', why: 'line one', error: { name: 'SyntaxError' } },
      { kind: 'ready' },
      { kind: 'error', task: 1, isNotCloneable: true },
      { kind: 'error', task: 2, error: { message: 'no' } },
    ]);
  });

  test('a stream is answered chunk by chunk and can be cancelled', async () => {
    const { runner, sent, next } = started();
    let isReturned = false;
    const endless = async function* (): AsyncGenerator<number> {
      try {
        for (let n = 1; ; n++) yield n;
      } finally {
        isReturned = true;
      }
    };
    runner.use({ default: endless }, 'default');
    runner.receive({ kind: 'run', task: 7, input: null, streams: [] });
    await next(2);
    runner.receive({ kind: 'pull', id: '7>' });
    await next(3);
    runner.receive({ kind: 'cancel', id: '7>' });
    await next(4);
    expect(sent.slice(1)).toMatchObject([
      { kind: 'streaming', task: 7 },
      { kind: 'chunk', id: '7>', value: 1 },
      { kind: 'result', task: 7, value: undefined },
    ]);
    expect(isReturned).toBe(true);
  });
});

test('an error keeps its name, message, code and stack on the way', () => {
  const error = Object.assign(new RangeError('no'), { code: 'E_NO' });
  expect(receivedError(sentError(error))).toMatchObject({
    name: 'RangeError',
    message: 'no',
    code: 'E_NO',
    stack: error.stack,
  });
  expect(receivedError(sentError('text')).message).toBe('thrown: text');
});

test('the guard tells peaks, and ends the process at its limit or without its parent', () => {
  const guard = new Guard({ parent: 7, baseBytes: 50 * mib, guardBytes: 100 * mib });
  const report = new GuardReport();
  const look = (grownMib: number, parent = 7): boolean => {
    const { line, ends } = guard.judge({ rssBytes: (50 + grownMib) * mib, parent });
    report.take(line ?? '');
    return ends;
  };
  expect([look(20), look(20.5), look(90), look(10)]).toEqual([false, false, false, false]);
  expect(report).toMatchObject({ peakBytes: 90 * mib, isOver: false });
  expect([look(101), look(1, 1)]).toEqual([true, true]);
  expect(report).toMatchObject({ peakBytes: 101 * mib, isOver: true });
  report.take('peak 99');
  report.take(`${mib}\nnonsense x\n`);
  expect(report.peakBytes).toBe(99 * 10 ** 7 + mib);
});

test('the guard looks often while tasks run, rests after a second without one, and is woken by the next', () => {
  const shared = new Int32Array(new SharedArrayBuffer(4 * guardPlaces));
  const pace = new GuardPace(shared);
  tellGuard(shared, true);
  expect(pace.next()).toBe(25);
  tellGuard(shared, false);
  expect(Array.from({ length: 40 }, () => pace.next())).toEqual(Array(40).fill(25));
  expect(pace.next()).toBe(250);
  expect(Atomics.load(shared, GuardPlace.wakes)).toBe(0);
  tellGuard(shared, true);
  expect(Atomics.load(shared, GuardPlace.wakes)).toBe(1);
  expect(pace.next()).toBe(25);
});

test('old and young space together are the limit', () => {
  for (const limit of [16, 48, 256, 4096]) {
    const caps = capsOf(limit * mib);
    expect(caps.oldSpaceMib + 3 * caps.semiSpaceMib).toBe(limit);
    expect(caps.guardBytes).toBeGreaterThan(limit * mib);
  }
});

test('options without a wall are refused', () => {
  const module = new URL('./task.fixture.ts', import.meta.url);
  const bad = (options: object): unknown => {
    try {
      return isolateConfig(module, { limit: '64 MiB', timeout: '1s', ...options });
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(bad({ limit: undefined })).toBe(
    'limit is undefined; it has to be a size of 16 MiB or more such as "256 MiB".',
  );
  expect(bad({ limit: '1 MiB' })).toContain('limit is "1 MiB"');
  expect(bad({ timeout: 'soon' })).toContain('timeout is "soon"');
  expect(bad({ queue: -1 })).toContain('queue is -1');
  expect(bad({ export: 'act', warm: 99, size: 2 })).toMatchObject({ task: 'task.fixture.ts (act)', warm: 2 });
  expect(() => isolateConfig('', { limit: '64 MiB', timeout: '1s' })).toThrow('module is ""');
});

test('a task inherits how modules are found, and neither limits nor inspectors', () => {
  expect(
    flagsForTask([
      '--max-old-space-size=9',
      '-C',
      'dev',
      '--import',
      '@plimsoll/host',
      '--import=tsx',
      '--inspect',
    ]),
  ).toEqual(['-C', 'dev', '--import=tsx']);
  expect(envForTask({ A: '1', NODE_OPTIONS: '--import=x --max-old-space-size=9' })).toEqual({
    A: '1',
    PLIMSOLL: 'off',
    NODE_OPTIONS: '--import=x',
  });
});

test("the tail keeps V8's sentence and passes on what came before its report", () => {
  const tail = new StderrTail();
  expect(tail.take('warming up\n')).toBe('warming up\n');
  expect(tail.take('one more\n<--- Last few GCs --->\n[1:0x] 20 ms\n')).toBe('one more\n');
  const fatal = 'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory';
  expect(tail.take(`${fatal}\n----- Native stack trace -----\n 1: 0xb8\n`)).toBe('');
  expect([tail.isHeapDeath, tail.lastLine]).toEqual([true, fatal]);
  const thrown = new StderrTail();
  thrown.take('x.js:1\n  throw\n\nTypeError: no\n    at x.js:1:1\n\nNode.js v24.1.0\n');
  expect([thrown.isHeapDeath, thrown.lastLine]).toEqual([false, 'TypeError: no']);
});

describe('MemoryGroup', () => {
  const root = mkdtempSync(join(tmpdir(), 'plimsoll-isolate-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  const system = (name: string, membership: string, files: Readonly<Record<string, string>>): string => {
    const dir = join(root, name);
    for (const [file, text] of Object.entries({ 'proc/self/cgroup': membership, ...files })) {
      mkdirSync(join(dir, file, '..'), { recursive: true });
      writeFileSync(join(dir, file), text);
    }
    return dir;
  };

  test('version 2: only where the group may have limited children, and groups of dead callers are swept', () => {
    const dir = system('v2', '0::/app\n', {
      'sys/fs/cgroup/cgroup.controllers': 'memory',
      'sys/fs/cgroup/app/cgroup.subtree_control': 'cpu memory\n',
    });
    mkdirSync(join(dir, 'sys/fs/cgroup/app/plimsoll-isolate-999999999-1'));
    const group = MemoryGroup.make(5 * mib, dir);
    const name = isolateGroup(join(dir, 'sys/fs/cgroup/app'));
    const made = join(dir, 'sys/fs/cgroup/app', name);
    expect(name).toContain(String(process.pid));
    expect(readFileSync(join(made, 'memory.max'), 'utf8')).toBe(String(5 * mib));
    expect(group?.add(42)).toBe(true);
    expect(group?.kills).toBe(0);
    writeFileSync(join(made, 'memory.events'), 'max 3\noom_kill 2\n');
    expect(group?.kills).toBe(2);
    group?.remove();
    const none = system('v2-none', '0::/app\n', {
      'sys/fs/cgroup/cgroup.controllers': 'memory',
      'sys/fs/cgroup/cgroup.subtree_control': 'memory',
      'sys/fs/cgroup/app/cgroup.subtree_control': '',
      'sys/fs/cgroup/app/memory.max': '100000000\n',
    });
    // Beside our own group a task would leave our own limit behind.
    expect(MemoryGroup.make(5 * mib, none)).toBeUndefined();
  });

  test('version 1: below our own group', () => {
    const dir = system('v1', '4:cpu,memory:/app\n0::/\n', {
      'sys/fs/cgroup/memory/app/memory.limit_in_bytes': '1',
    });
    expect(MemoryGroup.make(5 * mib, dir)).toBeDefined();
    const name = isolateGroup(join(dir, 'sys/fs/cgroup/memory/app'));
    const file = join(dir, 'sys/fs/cgroup/memory/app', name, 'memory.limit_in_bytes');
    expect(readFileSync(file, 'utf8')).toBe(String(5 * mib));
    expect(MemoryGroup.make(5 * mib, system('none', '', {}))).toBeUndefined();
  });
});
