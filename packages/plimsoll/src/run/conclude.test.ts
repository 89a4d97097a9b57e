import { once } from 'node:events';
import {
  copyFileSync,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { beforeEach, expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { LedgerReader } from '@plimsoll/ledger';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { evenPoints, heapChannel, judgeGrowth } from '@plimsoll/leak/internal/judge/growth-shape';
import { growthRecordOf, judgementOf } from '../../../leak/src/proof/growth-record.fixture.ts';
import {
  writeGrowthRecord,
  type Capture,
  type GrowthRecord,
} from '@plimsoll/leak/internal/proof/growth-record';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { claimEvidence } from './evidence.ts';
import { conclude, type ConcludeOptions } from './conclude.ts';
import { findingLines, traceDrawer } from '../screen/finding-text.ts';
import { recordFindings } from './record-findings.ts';
import { composeReport } from './report.ts';
import { summaryText } from './summary.ts';

const MiB = 1024 ** 2;
let options: ConcludeOptions;

beforeEach(() => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-conclude-'));
  options = { dir, pid: 4711, since: 0, frame: undefined, keepSnapshots: false };
});

const survivor: Finding = {
  id: 'survivor:1',
  kind: 'survivor',
  severity: 'medium',
  scope: 'process/session',
  fingerprint: 'survivor:1',
  firstSeen: 1,
  lastSeen: 2,
  count: 12,
  bytes: 3 * MiB,
  fix: 'let go of the session when it ends.',
};

const floors = Array.from({ length: 17 }, (_, i) => 20 * MiB + i * MiB);
const growing = judgeGrowth(evenPoints(floors), heapChannel);

class Forgotten {
  readonly text = 'a watched object';
}
const forgotten: Forgotten[] = [];

test(
  'what a server lets go of while it ends is named by the snapshot taken before',
  { timeout: 300_000 },
  async () => {
    const scope = open('session', 'kept');
    const object = new Forgotten();
    forgotten.push(object);
    scope.watch(object, 'state');
    const { path } = scope;
    await scope.close();
    await new Promise((next) => setImmediate(next));
    const capture = (name: string, heapBytes: number): Capture => {
      const file = join(options.dir, `4711.${name}.heapsnapshot`);
      v8.writeHeapSnapshot(file);
      return { file, at: Date.now(), stopMs: 7, heapBytes };
    };
    const big = globalThis as { plimsollBig?: Map<number, object> };
    big.plimsollBig = new Map(Array.from({ length: 20_000 }, (_, i) => [i, { i, text: [`${i}`, i] }]));
    const first = capture('first', 24.5 * MiB);
    delete big.plimsollBig;
    const last = capture('last', 20 * MiB);
    writeGrowthRecord(options.dir, growthRecordOf({ heap: growing }, { first, last, floors }));
    const subject = '"state" of the closed session';
    const other = { ...survivor, scope: path, fingerprint: 'survivor:2', subject: 'the closed session' };
    const frame = frameOf({ findings: [{ ...survivor, scope: path, subject }, other] });
    const conclusion = await conclude({ ...options, frame });
    expect(conclusion.verdict).toBe('leak');
    const survived = conclusion.findings.find((each) => each.kind === 'survivor');
    expect(JSON.stringify(survived?.trace)).toContain('Forgotten');
    expect(survived?.fix).toMatch(/^release "state" of the closed session: remove entries from/);
    expect(JSON.stringify(conclusion.findings)).toContain('plimsollBig');
    forgotten.length = 0;
  },
);

test(
  'a table that fills ever more slowly is not accused by its first snapshot alone',
  { timeout: 300_000 },
  async () => {
    const table = globalThis as { plimsollTable?: Map<number, object> };
    table.plimsollTable = new Map(Array.from({ length: 20_000 }, (_, i) => [i, { i, text: [`${i}`, i] }]));
    const taken = join(options.dir, 'table.heapsnapshot');
    v8.writeHeapSnapshot(taken);
    const capture = (name: string, at: number): Capture => {
      const file = join(options.dir, `4711.${name}.heapsnapshot`);
      copyFileSync(taken, file);
      return { file, at, stopMs: 7, heapBytes: 24.5 * MiB };
    };
    const heap = judgementOf('slowing', 4.5 * MiB);
    const [first, middle, last] = [capture('first', 1e5), capture('last', 2e5), capture('end', 3e5)];
    const record = growthRecordOf({ heap }, { first, middle, last, floors });
    writeGrowthRecord(options.dir, record);
    const conclusion = await conclude(options);
    expect(conclusion).toMatchObject({ verdict: 'undecided', findings: [] });
    expect(conclusion.why).toContain('ever more slowly');
    delete table.plimsollTable;
  },
);

class LeakedTurn {
  readonly words = ['a', 'b', 'c', String(Math.random())];
}
const kept: LeakedTurn[] = [];

test('two real snapshots of this process name what grew between them', { timeout: 300_000 }, async () => {
  const capture = (name: string): Capture => {
    const file = join(options.dir, `4711.${name}.heapsnapshot`);
    v8.writeHeapSnapshot(file);
    return { file, at: Date.now(), stopMs: 7, heapBytes: 20 * MiB };
  };
  for (let i = 0; i < 100; i++) kept.push(new LeakedTurn());
  const first = capture('first');
  for (let i = 0; i < 20_000; i++) kept.push(new LeakedTurn());
  const last = capture('last');
  writeGrowthRecord(
    options.dir,
    growthRecordOf({ heap: { ...growing, growthBytes: 3 * MiB } }, { first, last, floors }),
  );
  let read = 0;
  const conclusion = await conclude({ ...options, onAnalysis: (files) => (read = files) });
  expect(read).toBe(2);
  expect(conclusion.verdict).toBe('leak');
  expect(JSON.stringify(conclusion.findings[0]?.trace)).toContain('LeakedTurn');
  expect(readdirSync(options.dir)).toEqual([]);
  const report = composeReport({
    version: '1',
    target: 't',
    startedAt: 0,
    endedAt: 1,
    exit: { code: 0, signal: null },
    frame: frameOf(),
    conclusion: { ...conclusion, snapshots: [{ at: 1, stopMs: 7, kept: '/kept' }] },
  });
  const text = summaryText(report, null, await traceDrawer(report.findings));
  expect(text).toMatch(/verdict {3}leak: the live heap grew by 3\.0 MiB over 17 floors/);
  expect(text).toContain('LeakedTurn');
  expect(text).toContain('kept: /kept');
  kept.length = 0;
});

test('snapshots that cannot be read leave a suspicion, and are kept when asked', async () => {
  const file = join(options.dir, '4711.last.heapsnapshot');
  writeFileSync(file, 'not a snapshot');
  const last = { file, at: 1, stopMs: 1, heapBytes: 1 };
  writeGrowthRecord(options.dir, growthRecordOf({ heap: growing }, { last, floors }));
  const conclusion = await conclude({ ...options, keepSnapshots: true });
  expect(conclusion).toMatchObject({ verdict: 'undecided', findings: [{ severity: 'low' }] });
  expect(conclusion.why).toContain('could not be read');
  const kept = conclusion.snapshots[0]?.kept ?? '';
  expect(basename(kept)).toBe('kept-1970-01-01T00-00-00-4711.last.heapsnapshot');
  expect(existsSync(kept)).toBe(true);
  // The next run removes evidence of dead processes, but not what was kept.
  claimEvidence(options.dir)[Symbol.dispose]();
  expect(readdirSync(options.dir)).toEqual([basename(kept)]);
});

const few = judgementOf('few', 0, 1);
const base = growthRecordOf();

test('the worst process of a run decides, and each has its verdict', async () => {
  writeGrowthRecord(options.dir, base);
  writeGrowthRecord(options.dir, growthRecordOf({ heap: few }, { pid: 4712, floors: [90 * MiB] }));
  const frames = (): Map<number, Frame> =>
    new Map([[4712, frameOf({ pid: 4712, target: 'node worker.js' })]]);
  const conclusion = await conclude({ ...options, frames });
  expect(conclusion.verdict).toBe('undecided');
  expect(conclusion.why).toMatch(/^pid 4712 \(node worker\.js\): .*1 major GCs.* too few/);
  expect(conclusion.frame?.pid).toBe(4712);
  expect(conclusion.processes).toMatchObject([
    { pid: 4712, target: 'node worker.js', verdict: 'undecided' },
    { pid: 4711, target: null, verdict: 'clean' },
  ]);
});

test('a process that only waits or lived shortly does not make a clean run undecided', async () => {
  writeGrowthRecord(options.dir, { ...base, floors: [20 * MiB], startedAt: 0, at: 1000 });
  const waiting = growthRecordOf({ heap: few }, { pid: 4712, floors: [], startedAt: 0, at: 1000 });
  const short = growthRecordOf({ heap: few }, { pid: 4713, floors: [90 * MiB], startedAt: 0, at: 100 });
  for (const record of [waiting, short]) writeGrowthRecord(options.dir, record);
  const conclusion = await conclude(options);
  expect(conclusion.verdict).toBe('clean');
  expect(conclusion.processes).toHaveLength(3);
});

test('a process that was killed is judged by its newest frame, whatever its place in the tree', async () => {
  const growth = growthRecordOf({ heap: few }, { pid: 4712, floors: [90 * MiB] });
  const frames = (): Map<number, Frame> => new Map([[4712, frameOf({ pid: 4712, growth })]]);
  writeGrowthRecord(options.dir, base);
  expect((await conclude({ ...options, frames })).verdict).toBe('undecided');
});

test('a process of the next life is left to it', async () => {
  writeGrowthRecord(options.dir, { ...base, pid: 4713, startedAt: 50 });
  expect((await conclude({ ...options, until: 40 })).processes).toEqual([]);
  expect(readdirSync(options.dir)).toEqual(['4713.proof.json']);
});

test('evidence of dead processes goes when nobody else may read it', () => {
  const left = ['4194305.first.heapsnapshot.partial', '4194305.proof.json', '4194305.last.json'];
  const others = [`${process.ppid}.run`, `${process.pid}.last.heapsnapshot`, 'mine.heapsnapshot'];
  for (const name of [...left, ...others]) writeFileSync(join(options.dir, name), '');
  claimEvidence(options.dir)[Symbol.dispose]();
  expect(readdirSync(options.dir).toSorted()).toEqual([...left, ...others].toSorted());
  renameSync(join(options.dir, `${process.ppid}.run`), join(options.dir, '4194305.run'));
  const claim = claimEvidence(options.dir);
  const mine = `${process.pid}.run`;
  expect(readdirSync(options.dir).toSorted()).toEqual([mine, ...others.slice(1)].toSorted());
  claim[Symbol.dispose]();
  expect(readdirSync(options.dir)).not.toContain(mine);
});

test('a process that was killed is judged by its last frame, one never seen by nothing', async () => {
  const frame = frameOf({ growth: growthRecordOf() });
  expect(await conclude({ ...options, frame })).toMatchObject({ verdict: 'clean' });
  expect((await conclude({ ...options, frame: frameOf() })).why).toMatch(/^no verdict was asked for/);
  expect(await conclude({ ...options, dir: join(options.dir, 'none') })).toMatchObject({
    verdict: 'undecided',
    findings: [],
  });
});

test('survivors are a leak by themselves, suspicions are not', async () => {
  const frame = frameOf({ growth: growthRecordOf(), findings: [survivor] });
  const conclusion = await conclude({ ...options, frame });
  expect(conclusion).toMatchObject({ verdict: 'leak', findings: [survivor] });
  expect(conclusion.why).toMatchInlineSnapshot(
    `"a survivor is still alive, 12 of them, first in process/session: let go of the session when it ends."`,
  );
  const refused = {
    objects: 1,
    neededBytes: 1,
    stopMs: 21_000,
    freeBytes: 9,
    maxStopMs: 10_000,
    for: 'pause',
  } as const;
  const slow = frameOf({ growth: growthRecordOf({}, { refused }), findings: [survivor] });
  expect((await conclude({ ...options, frame: slow })).why).toContain(
    'Its path is missing: a snapshot would stop the process for about 21 s and 10 s is allowed.',
  );
  const low = frameOf({ growth: growthRecordOf(), findings: [{ ...survivor, severity: 'low' }] });
  expect((await conclude({ ...options, frame: low })).verdict).toBe('clean');
});

test('the same fingerprint is one finding with a count across restarts', async () => {
  const first = await recordFindings(options.dir, 1, [survivor]);
  expect(first[0]?.count).toBe(12);
  const again = await recordFindings(options.dir, 2, [{ ...survivor, firstSeen: 50 }]);
  expect(again[0]).toMatchObject({ count: 24, firstSeen: 1 });
  expect(await recordFindings(options.dir, 4, [])).toEqual([]);
  expect(recorded().map(({ pid }) => pid)).toEqual([1, 2]);
});

test('what the process wrote itself is written again only with what it could not know', async () => {
  const since = Date.now() - 1;
  await recordFindings(options.dir, 1, [survivor], since);
  await recordFindings(options.dir, 1, [{ ...survivor, count: 13 }], since);
  expect(recorded()).toMatchObject([{ trace: null }]);
  const trace = [
    { name: 'Registry', via: 'variable registry', type: 'object', leaking: 'no' as const, why: '' },
    { name: 'Session', via: 'closed', type: 'object', leaking: 'yes' as const, why: '' },
  ];
  await recordFindings(options.dir, 1, [{ ...survivor, trace }], since);
  await recordFindings(options.dir, 1, [{ ...survivor, trace }], since);
  expect(recorded()).toMatchObject([
    { trace: null },
    { trace: 'variable registry: Registry > closed: Session', count: 12 },
  ]);
});

function recorded(): readonly Readonly<Record<string, unknown>>[] {
  const reader = new LedgerReader(join(options.dir, 'ledger'));
  try {
    return reader.audit({ kinds: ['finding'] }).map(({ body }) => body);
  } finally {
    reader.close();
  }
}

test('a finding in words', () => {
  const known = { name: 'a known one', cure: 'update.', link: 'https://example.org/1' };
  expect(
    findingLines(
      { ...survivor, rate: MiB, exhaustsIn: { ms: 7_200_000, low: 1, high: 2 }, knownLeak: known },
      undefined,
    ).join('\n'),
  ).toMatchInlineSnapshot(`
    "medium survivor in process/session: 3.0 MiB, 1.0 MiB per hour, limit reached in 2 h, seen 12 times, fingerprint survivor:1
    known leak: a known one
    link: https://example.org/1
    fix: let go of the session when it ends."
  `);
});

test('a process is not clean while the heap of one of its worker threads grew', async () => {
  const worker = {
    threadId: 3,
    name: 'parse.mjs',
    script: null,
    heapUsed: 30 * MiB,
    external: 0,
    grownBytes: 0,
    limitBytes: 96 * MiB,
    at: 0,
  };
  const judged = (grownBytes: number, growth = growthRecordOf()): ReturnType<typeof conclude> =>
    conclude({ ...options, frame: frameOf({ growth, workers: [{ ...worker, grownBytes }] }) });
  expect(await judged(2 * MiB)).toMatchObject({ verdict: 'clean' });
  const grown = await judged(20 * MiB);
  expect(grown.verdict).toBe('undecided');
  expect(grown.why).toContain('the worker thread parse.mjs grew by 20.0 MiB to 30.0 MiB');
  // Small growth of live bytes is only seen in snapshots.
  const captures = [5, 7].map((size, i) => ({
    file: join(options.dir, `${i}`),
    at: 30_000 * i,
    stopMs: 9,
    heapBytes: size * MiB,
  }));
  const workers = [{ name: 'index.mjs', script: null, captures }];
  const small = await judged(2 * MiB, growthRecordOf({}, { workers }));
  expect(small.verdict).toBe('undecided');
  expect(small.why).toContain('the worker thread index.mjs grew by 2.0 MiB to 7.0 MiB');
  // Floors tell garbage from growth: readings of a worker at rest count no more, and growth that no snapshot explains is told.
  const flooredAt = (bytesAt: (i: number) => number): GrowthRecord => {
    const floors = Array.from({ length: 16 }, (_, i) => ({ at: 5000 * i, work: 400 * i, bytes: bytesAt(i) }));
    return growthRecordOf({}, { workers: [{ name: 'parse.mjs', script: null, captures: [], floors }] });
  };
  expect(
    await judged(
      20 * MiB,
      flooredAt(() => 8 * MiB),
    ),
  ).toMatchObject({ verdict: 'clean' });
  const rising = await judged(
    0,
    flooredAt((i) => (8 + i / 5) * MiB),
  );
  expect(rising.verdict).toBe('undecided');
  expect(rising.why).toContain('the worker thread parse.mjs grew by 2.8 MiB to 11.0 MiB');
  // The first snapshot was taken right before the end.
  const suspected = [
    { name: 'index.mjs', script: null, grownBytes: 3 * MiB, captures: captures.slice(0, 1) },
  ];
  const early = await judged(2 * MiB, growthRecordOf({}, { workers: suspected }));
  expect(early.verdict).toBe('undecided');
  expect(early.why).toContain('the worker thread index.mjs grew by 3.0 MiB to 5.0 MiB');
  // The heaps of workers are native memory of the main thread, which says less.
  const slowing = { ...growthRecordOf().channels.native, shape: 'slowing' as const, growthBytes: 400 * MiB };
  const both = await judged(20 * MiB, growthRecordOf({ native: slowing }));
  expect(both.verdict).toBe('undecided');
  expect(both.why).toContain('the worker thread parse.mjs grew by 20.0 MiB to 30.0 MiB');
});

test('a leak in a worker thread is named by its holder and the worker', { timeout: 300_000 }, async () => {
  const worker = new Worker(
    `
    const { parentPort } = require('node:worker_threads');
    class Result { constructor(i) { this.text = ['result', i, String(i)]; } }
    const results = (globalThis.results = []);
    parentPort.on('message', () => {
      for (let i = 0; i < 12_000; i++) results.push(new Result(results.length));
      parentPort.postMessage('done');
    });`,
    { eval: true },
  );
  const captures: Capture[] = [];
  for (let i = 0; i < 3; i++) {
    const done = once(worker, 'message');
    worker.postMessage('more');
    await done;
    const file = join(options.dir, `4711.worker-3-${i + 1}.heapsnapshot`);
    await pipeline(await worker.getHeapSnapshot(), createWriteStream(file));
    captures.push({ file, at: 30_000 * i, stopMs: 9, heapBytes: (6 + 2 * i) * MiB });
  }
  await worker.terminate();
  // Two snapshots tell what became more, and not yet whether it goes on.
  const two = captures.slice(0, 2).map((capture) => ({ ...capture, file: `${capture.file}.copy` }));
  for (const { file } of captures.slice(0, 2)) copyFileSync(file, `${file}.copy`);
  const early = [{ name: 'parse.mjs', script: '/app/parse.mjs', captures: two }];
  writeGrowthRecord(options.dir, growthRecordOf({}, { workers: early }));
  const asked = await conclude({ ...options, frame: frameOf({}) });
  expect(asked.verdict, asked.why).toBe('undecided');
  expect(asked.why).toMatch(
    /^the heap of the worker thread parse\.mjs grew by 2\.0 MiB to 8\.0 MiB \(most of it: .*results holds .*24,000.*\), and whether it goes on cannot be told yet; run it longer\./,
  );
  const workers = [{ name: 'parse.mjs', script: '/app/parse.mjs', captures }];
  writeGrowthRecord(options.dir, growthRecordOf({}, { workers }));
  const { verdict, why, findings, snapshots } = await conclude({ ...options, frame: frameOf({}) });
  expect(verdict, why).toBe('leak');
  expect(why).toMatch(/^in the worker thread parse\.mjs the live heap grew by 4\.0 MiB/);
  expect(findings[0]?.holder).toMatch(/results in the worker thread parse\.mjs$/);
  expect(snapshots).toHaveLength(3);
  expect(readdirSync(options.dir).filter((name) => name.endsWith('.heapsnapshot'))).toEqual([]);
});
