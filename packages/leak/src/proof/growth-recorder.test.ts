import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { runAnalysis } from './analysis-process.ts';
import { takeGrowthRecords, type GrowthRecord } from './growth-record.ts';
import { GrowthRecorder } from './growth-recorder.ts';

const gc = (globalThis as { gc?: () => void }).gc as () => void;
let dir: string;
let recorder: GrowthRecorder | undefined;
let kept: unknown[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-recorder-'));
});

afterEach(() => {
  recorder?.stop();
  recorder = undefined;
  kept = [];
});

function begin(maxPauseMs: number, isSupervised = true): GrowthRecorder {
  recorder = new GrowthRecorder({ dir, maxPauseMs, isSupervised });
  recorder.start();
  return recorder;
}

/** One more floor with more alive below it, once the recorder has read the one before. */
async function grow(seen: GrowthRecorder): Promise<void> {
  const before = seen.record.floors.length;
  kept.push(Array.from({ length: 20_000 }, (_, i) => ({ i, text: `kept ${i}` })));
  gc();
  await vi.waitFor(() => expect(seen.record.floors.length).toBeGreaterThan(before));
}

/** What the process would do at its end. */
function endOf(seen: GrowthRecorder): void {
  seen.leave();
  seen.stop();
}

test(
  'growth is suspected, a first snapshot is taken, and the record at the end carries the second',
  { timeout: 300_000 },
  async () => {
    const seen = begin(60_000);
    // Beside other tests the floors are noisy, and the judge waits for more of them.
    for (let i = 0; i < 16 || (i < 48 && seen.record.channels.heap.shape !== 'growing'); i++)
      await grow(seen);
    expect(seen.record.suspectedAt).not.toBeNull();
    expect(seen.record.first).toMatchObject({ file: join(dir, `${process.pid}.first.heapsnapshot`) });
    expect(statSync(seen.record.first?.file ?? '').mode & 0o777).toBe(0o600);
    endOf(seen);
    const [record] = takeGrowthRecords(dir, 0, process.pid);
    expect(record?.channels.heap.shape).toBe('growing');
    expect(record?.refused).toBeNull();
    expect(record?.last?.stopMs).toBeGreaterThan(0);
    expect(takeGrowthRecords(dir, 0, process.pid)).toEqual([]);
  },
);

test(
  'a pair asked for elsewhere is told once, and no third snapshot is taken',
  { timeout: 300_000 },
  async () => {
    const seen = begin(60_000);
    const pairs: GrowthRecord[] = [];
    seen.onPair((record) => pairs.push(record));
    expect(seen.snapshotSince()?.file).toContain('.first.');
    expect(seen.capture()).toBe(true);
    expect(seen.capture()).toBe(false);
    expect(pairs).toHaveLength(1);
    expect(seen.snapshotSince()?.file).toContain('.last.');
  },
);

test('a snapshot older than what it is to show does not serve; what was refused is taken at the end', () => {
  const seen = begin(60_000);
  const first = seen.snapshotSince();
  expect(seen.snapshotSince(first?.at)).toBe(first);
  const second = seen.snapshotSince((first?.at ?? 0) + 1);
  expect(second?.file).toContain('.last.');
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
  expect(seen.snapshotSince(Date.now())).toBeUndefined();
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(seen.snapshotSince(Date.now())).toMatchObject({ file: second?.file, at: Date.now() });
  vi.useRealTimers();
  seen.stop();
  const refusing = begin(1);
  expect(refusing.snapshotSince(5)).toBeUndefined();
  let ends = 0;
  refusing.onEnd(() => ends++);
  endOf(refusing);
  expect(ends).toBe(1);
  expect(takeGrowthRecords(dir, 0, process.pid)[0]?.last?.file).toContain('.last.');
});

test('nobody waits outside: nothing is left behind', { timeout: 300_000 }, () => {
  const seen = begin(60_000, false);
  expect(seen.capture()).toBe(true);
  endOf(seen);
  expect(readdirSync(dir)).toEqual([]);
});

test('a pause that is not allowed is not taken, and the refusal has the numbers', () => {
  const seen = begin(1);
  expect(seen.capture()).toBe(false);
  expect(seen.record.refused).toMatchObject({ for: 'pause', maxStopMs: 1 });
  const idle = begin(0);
  expect(idle.snapshotSince()).toBeUndefined();
  seen.stop();
});

test('a quiet process leaves a record without snapshots', async () => {
  const seen = begin(60_000);
  gc();
  endOf(seen);
  const [record] = takeGrowthRecords(dir, 0, 1);
  expect(record).toMatchObject({ first: null, last: null, pid: process.pid });
  expect(existsSync(join(dir, `${process.pid}.last.heapsnapshot`))).toBe(false);
});

test('an analyst that crashes, prints nonsense or cannot start has no effect', async () => {
  const capture = { file: join(dir, 'none'), at: 1, stopMs: 1, heapBytes: 1 };
  expect(await runAnalysis(capture, null)).toBeUndefined();
  const { writeFileSync } = await import('node:fs');
  writeFileSync(join(dir, 'nonsense.mjs'), `console.log('no json')`);
  expect(await runAnalysis(capture, null, { entry: join(dir, 'nonsense.mjs') })).toBeUndefined();
  writeFileSync(join(dir, 'crash.mjs'), 'process.abort()');
  expect(await runAnalysis(capture, null, { entry: join(dir, 'crash.mjs'), isGuest: true })).toBeUndefined();
});

test('an orphan takes no snapshot and leaves nothing behind', () => {
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  recorder = new GrowthRecorder({ dir, maxPauseMs: 60_000, isSupervised: true, supervisor: ended });
  expect(recorder.capture()).toBe(false);
  expect(recorder.record.first).toBeNull();
  recorder.leave();
  expect(readdirSync(dir)).toEqual([]);
});

test(
  'looks, forced collections and snapshots are charged to the account of our own cost',
  { timeout: 300_000 },
  async () => {
    const seen = begin(60_000);
    const measured = { floors: 0, proofs: 0 };
    seen.accountTo({
      measure: (work) => {
        measured.floors++;
        return work();
      },
      measureProof: (work) => {
        measured.proofs++;
        return work();
      },
      restMs: () => 0,
    });
    await grow(seen);
    expect(measured.floors).toBeGreaterThan(0);
    seen.stop();
    const before = measured.proofs;
    expect(seen.snapshotSince(0)?.file).toContain('first.heapsnapshot');
    expect(measured.proofs).toBe(before + 1);
  },
);

test('worker threads that grow are in the record, with their snapshots', async () => {
  const row = { threadId: 3, name: 'parse.mjs', script: null, external: 0, limitBytes: 1e9, at: 0 };
  const worker = { getHeapSnapshot: () => Promise.resolve(Readable.from(['{}'])) };
  const source = { workers: () => [{ worker, row: { ...row, heapUsed: 3e7, grownBytes: 2e7 } }] };
  const seen = begin(60_000);
  seen.followWorkers(source);
  await vi.waitFor(() => expect(seen.record.workers).toMatchObject([{ name: 'parse.mjs' }]));
  expect(existsSync(seen.record.workers?.[0]?.captures[0]?.file ?? '')).toBe(true);
  endOf(seen);
  // Without a supervisor nobody reads it.
  const alone = begin(60_000, false);
  alone.followWorkers(source);
  await grow(alone);
  expect(alone.record.workers).toEqual([]);
});
