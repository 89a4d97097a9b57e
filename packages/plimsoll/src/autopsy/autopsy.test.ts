import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFatalReport } from '@plimsoll/host/internal/protocol/fatal-report';
import type { BlackBox, BoxReading, LastWords } from '@plimsoll/host/protocol/death';
import { expect, test } from 'vitest';
import { autopsyOf } from './autopsy.ts';
import type { Autopsy } from './autopsy.ts';
import { autopsyText } from './autopsy-text.ts';
import { causeOf } from './cause.ts';
import { deathStory } from './death-story.ts';
import type { DeathEvidence } from './cause.ts';
import { autopsiesIn, examine } from './examine.ts';
import { OomCounters } from './oom-counters.ts';

const mib = 1024 ** 2;
const nobody = { oomKills: null, asked: null, wasStuck: false, restart: null } as const;

function reading(at: number, more: Partial<BoxReading> = {}): BoxReading {
  return {
    kind: 'reading',
    at,
    used: 50 * mib,
    limit: 1000 * mib,
    heapUsed: 60 * mib,
    floor: 50 * mib,
    external: mib,
    arrayBuffers: 0,
    rss: 120 * mib,
    loopDelayMs: 1,
    level: 'normal',
    source: 'heap',
    scopes: [],
    keepers: [],
    open: {},
    workers: 0,
    refused: 0,
    actions: [],
    incident: null,
    ...more,
  };
}

function boxOf(...records: BlackBox['records']): BlackBox {
  const start = {
    kind: 'start',
    at: 0,
    pid: 7,
    node: 'v24',
    target: 'node server.js',
    heapLimit: 1,
  } as const;
  return { file: 'box', start, records: [reading(1000), ...records], torn: 0 };
}

function causeNamed(evidence: Partial<DeathEvidence>): string {
  const nothing = {
    exit: null,
    endedAt: 2000,
    box: boxOf(),
    fatal: undefined,
    oomKills: { machine: 0, group: 0 },
  };
  const { name, sure } = causeOf({ ...nothing, asked: null, wasStuck: false, restart: null, ...evidence });
  return `${name} ${sure}`;
}

const code = (value: number): DeathEvidence['exit'] => ({ code: value, signal: null });
const signal = (name: string): DeathEvidence['exit'] => ({ code: null, signal: name });
const thrown = (more: object): BlackBox =>
  boxOf({
    kind: 'error',
    at: 1,
    origin: 'uncaughtException',
    name: 'Error',
    code: null,
    phrase: null,
    frames: [],
    ...more,
  });
const fatal = {
  event: 'Allocation failed - JavaScript heap out of memory',
  trigger: 'OOMError',
  heapUsedBytes: mib,
  heapLimitBytes: 1,
  frames: [],
  at: null,
};
const full = { used: 950 * mib, level: 'emergency' } as const;

test.each<[string, Partial<DeathEvidence>, string]>([
  ['the report of V8', { exit: signal('SIGABRT'), fatal }, 'v8-heap-limit sure'],
  ['the report of V8 without anybody who waited', { fatal }, 'v8-heap-limit sure'],
  [
    'the report of a worker',
    { exit: signal('SIGABRT'), fatal: { ...fatal, heapLimitBytes: 9 } },
    'worker-heap-limit sure',
  ],
  [
    'the same limit in a program with workers',
    { fatal, box: boxOf(reading(1500, { workers: 2 })) },
    'v8-heap-limit likely',
  ],
  [
    'an array buffer that could not be had',
    { exit: code(1), box: thrown({ name: 'RangeError', phrase: 'Array buffer allocation failed' }) },
    'array-buffer-failure sure',
  ],
  [
    'a worker whose error nobody handled',
    { exit: code(1), box: thrown({ code: 'ERR_WORKER_OUT_OF_MEMORY' }) },
    'worker-heap-limit sure',
  ],
  [
    'a stack that overflowed',
    { exit: code(1), box: thrown({ phrase: 'Maximum call stack size exceeded' }) },
    'stack-overflow sure',
  ],
  ['a full disk', { exit: code(1), box: thrown({ code: 'ENOSPC' }) }, 'disk-full sure'],
  ['an error', { exit: code(1), box: thrown({}) }, 'uncaught-error sure'],
  [
    'a rejection',
    { exit: code(1), box: thrown({ origin: 'unhandledRejection' }) },
    'unhandled-rejection sure',
  ],
  ['an error that was handled before a clean end', { exit: code(0), box: thrown({}) }, 'clean-exit sure'],
  ['an error before a code of its own', { exit: code(12), box: thrown({}) }, 'exit-code sure'],
  [
    'SIGKILL and a rise of the group',
    { exit: signal('SIGKILL'), box: boxOf(reading(1500, full)), oomKills: { machine: 1, group: 1 } },
    'group-oom-kill sure',
  ],
  [
    'the same with little memory in use',
    { exit: signal('SIGKILL'), oomKills: { machine: 1, group: 1 } },
    'group-oom-kill likely',
  ],
  [
    'SIGKILL and a rise of the machine',
    { exit: signal('SIGKILL'), oomKills: { machine: 1, group: 0 } },
    'kernel-oom-kill likely',
  ],
  [
    'SIGKILL without a rise, though memory was full',
    { exit: signal('SIGKILL'), box: boxOf(reading(1500, full)) },
    'killed sure',
  ],
  ['SIGKILL where nothing can be read', { exit: signal('SIGKILL'), oomKills: null }, 'killed likely'],
  [
    'the same with memory full',
    { exit: signal('SIGKILL'), box: boxOf(reading(1500, full)), oomKills: null },
    'kernel-oom-kill likely',
  ],
  ['137 of a shell', { exit: code(137) }, 'killed sure'],
  ['an abort', { exit: signal('SIGABRT') }, 'abort likely'],
  [
    'an abort with a full heap and without a report',
    { exit: signal('SIGABRT'), box: boxOf(reading(1500, full)) },
    'v8-heap-limit likely',
  ],
  ['a crash', { exit: signal('SIGSEGV') }, 'crash sure'],
  ['SIGTERM', { exit: signal('SIGTERM') }, 'signal sure'],
  ['a stuck loop', { exit: signal('SIGKILL'), asked: 'SIGTERM', wasStuck: true }, 'loop-stuck sure'],
  ['a planned restart', { exit: code(75), restart: 'memory stays short' }, 'planned-restart sure'],
  ['75 of the program itself', { exit: code(75) }, 'exit-code sure'],
  ['exit code 3', { exit: code(3) }, 'exit-code sure'],
  ['exit code 1 before the black box was open', { exit: code(1) }, 'exit-code likely'],
  ['a clean end', { exit: code(0) }, 'clean-exit sure'],
  ['silence', {}, 'killed likely'],
  [
    'silence with a full group',
    { box: boxOf(reading(1500, { ...full, source: 'cgroup' })) },
    'group-oom-kill likely',
  ],
  ['nothing at all', { box: undefined }, 'unknown unknown'],
])('the cause by %s', (_, evidence, expected) => {
  expect(causeNamed(evidence)).toBe(expected);
});

test('an autopsy on one page', () => {
  const box = boxOf(
    reading(2000, { scopes: [['process/session:1', 10 * mib]], keepers: [['session-cache:sessions', mib]] }),
    reading(60_000, {
      ...full,
      scopes: [['process/session:1', 400 * mib]],
      keepers: [['session-cache:sessions', 2 * mib]],
      open: { session: 40 },
      refused: 1200,
      actions: ['evict'],
      incident: 'closed sessions in SessionStore.sessions (server.ts:41) hold 380 MiB.',
    }),
  );
  const exit = signal('SIGABRT');
  const seen = { exit, endedAt: 61_000, oomKills: null, asked: null, wasStuck: false, restart: null };
  const autopsy = autopsyOf(7, 'node', {
    ...seen,
    box,
    fatal: { ...fatal, frames: ['grow (server.ts:41:7)'] },
  });
  expect(autopsyText(autopsy)).toMatchInlineSnapshot(`
    "autopsy of pid 7 (node server.js), ended at 1970-01-01T00:01:01Z after 1 m 1 s
      cause     it reached the heap limit of V8 (v8-heap-limit, sure)
      evidence  V8 ended it: "Allocation failed - JavaScript heap out of memory" (OOMError, report of Node.js)
                the heap held 1.0 MiB at that moment
      memory    950.0 MiB of 1000.0 MiB (95 %) (heap), level emergency
                heap 60.0 MiB, floor 50.0 MiB, external 1.0 MiB, array buffers 0 B, rss 120.0 MiB
      minute    00:00:01 50.0 MiB of 1000.0 MiB (5 %), rss 120.0 MiB, normal
                00:00:02 50.0 MiB of 1000.0 MiB (5 %), rss 120.0 MiB, normal
                00:01:00 950.0 MiB of 1000.0 MiB (95 %), rss 120.0 MiB, emergency
      grew      process/session:1: +390.0 MiB, 400.0 MiB at the end
                session-cache:sessions: +1.0 MiB, 2.0 MiB at the end
      open      40 session
      refused   1,200 that asked to be let in
      running   evict
      incident  closed sessions in SessionStore.sessions (server.ts:41) hold 380 MiB.
      stack     grow (server.ts:41:7)
      fix       find what grows: plimsoll run --report out.html -- the same command; raise --max-old-space-size only when nothing leaks.
    "
  `);
});

test('last words name the code that the memory came from', () => {
  const words = {
    v: 1,
    at: 5,
    sites: [
      { name: 'keepSession', where: 'server.js:4:3', bytes: 40 * mib },
      { name: 'add', where: 'server.js:9', bytesPerHour: 9 * mib },
    ],
    containers: [{ name: 'hub.#streams', entries: 2700, gained: 2500 }],
    scopes: [],
    keepers: [],
    snapshot: { state: 'refused', neededBytes: 900 * mib, freeBytes: 100 * mib },
  } as const;
  const textWith = (snapshot: LastWords['snapshot']): string =>
    autopsyText(
      autopsyOf(7, 'node', {
        ...nobody,
        exit: signal('SIGABRT'),
        fatal,
        box: undefined,
        endedAt: 9,
        lastWords: { ...words, snapshot },
      }),
    );
  expect(textWith(words.snapshot)).toContain(`  holders   hub.#streams: 2700 entries, 2500 of them gained
  sites     keepSession (server.js:4:3): 40.0 MiB
            add (server.js:9): +9.0 MiB/h
            no heap snapshot: it needs 900.0 MiB and 100.0 MiB were free
`);
  expect(textWith({ ...words.snapshot, state: 'armed' })).toContain('V8 was asked for a heap snapshot');
  expect(textWith(null)).not.toContain('snapshot');
});

test('deaths across restarts are one story', () => {
  const hour = 3_600_000;
  const death = (endedAt: number, more: Partial<Autopsy> = {}): Autopsy => ({
    ...autopsyOf(7, 'node server.js', { ...nobody, exit: signal('SIGABRT'), fatal, box: undefined, endedAt }),
    startedAt: endedAt - 1.5 * hour,
    fingerprint: 'f1',
    release: '1.4.2',
    ...more,
  });
  const four = [8, 6, 4, 2].map((hours) => death(hours * hour));
  expect(deathStory(four)).toBe(
    'died 4 times in 6 h at the V8 heap limit, each 1 h 30 m after start, same fingerprint, since release 1.4.2',
  );
  const killed = { name: 'killed', sure: 'sure', text: '', evidence: [] } as const;
  expect(deathStory([death(9 * hour, { cause: killed, fingerprint: null, startedAt: 0 }), ...four])).toBe(
    'died 5 times in 7 h (4 x v8-heap-limit, 1 x killed), typically 1 h 30 m after start, since release 1.4.2',
  );
  expect(deathStory(four.map((each) => ({ ...each, cause: killed, release: null, startedAt: null })))).toBe(
    'died 4 times in 6 h by SIGKILL, same fingerprint',
  );
  expect(deathStory(four.slice(0, 1))).toBeNull();
});

test('the counters of both versions of control groups are found', () => {
  for (const [membership, file] of [
    ['0::/app\n', 'sys/fs/cgroup/app/memory.events'],
    ['0::/elsewhere\n', 'sys/fs/cgroup/memory.events'],
    ['4:memory:/app\n0::/\n', 'sys/fs/cgroup/memory/app/memory.oom_control'],
  ] as const) {
    const root = mkdtempSync(join(tmpdir(), 'plimsoll-oom-'));
    const write = (name: string, text: string): void => {
      mkdirSync(join(root, name, '..'), { recursive: true });
      writeFileSync(join(root, name), text);
    };
    write('proc/self/cgroup', membership);
    write('proc/vmstat', 'oom_kill 5\n');
    write(file, 'low 0\noom_kill 2\n');
    const counters = new OomCounters(root);
    write(file, 'low 0\noom_kill 3\n');
    expect(counters.rise()).toEqual({ machine: 0, group: 1 });
    counters.close();
    rmSync(root, { recursive: true });
  }
});

test('a report of Node.js is read without its content, and removed after the examination', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-autopsy-'));
  const header = { event: fatal.event, trigger: 'OOMError', commandLine: ['--token=secret'] };
  const stack = ['at grow (file:///app/server.js:41:7)', 'at node:internal/timers:1:2', 'Unavailable.'];
  writeFileSync(
    join(dir, 'fatal-7.json'),
    JSON.stringify({
      header,
      javascriptStack: { message: 'secret', stack },
      javascriptHeap: { usedMemory: 5 },
    }),
  );
  const seen = {
    exit: signal('SIGABRT'),
    endedAt: 5,
    oomKills: null,
    asked: null,
    wasStuck: false,
    restart: null,
  };
  const autopsy = examine(dir, 7, 'node server.js', seen);
  expect(autopsy.stack).toEqual(['grow (file:///app/server.js:41:7)']);
  expect(JSON.stringify(autopsy)).not.toContain('secret');
  expect(readFatalReport(dir, 7)).toBeUndefined();
  expect(autopsiesIn(dir)).toEqual([JSON.parse(JSON.stringify(autopsy))]);
  for (let pid = 10; pid < 40; pid++) examine(dir, pid, 'node', { ...seen, endedAt: pid });
  expect(autopsiesIn(dir)).toHaveLength(16);
  expect(examine(dir, 50, 'node', { ...seen, exit: code(0) }).isDeath).toBe(false);
  expect(autopsiesIn(dir)).toHaveLength(16);
  // One that died before it had a box.
  const dumpEventTimeStamp = '99000';
  writeFileSync(join(dir, 'fatal-60.json'), JSON.stringify({ header: { ...header, dumpEventTimeStamp } }));
  expect(autopsiesIn(dir)[0]).toMatchObject({ pid: 60, endedAt: 99_000, cause: { name: 'v8-heap-limit' } });
  rmSync(dir, { recursive: true });
});
