import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import type { AuditRecord } from '@plimsoll/ledger';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { folder } from '../governed.fixture.ts';
import { writeLedger } from '../ledger.fixture.ts';
import { ActionBook } from './action-book.ts';
import { LedgerAnswers } from './ledger-answers.ts';
import { LedgerRoom } from './ledger-room.ts';
import type { Question, Questions, LedgerReply } from './question.ts';

const MiB = 1024 ** 2;
const startedAt = Date.UTC(2026, 9, 1);
let room: LedgerRoom;

beforeEach(() => {
  room = new LedgerRoom();
});

afterEach(() => room[Symbol.dispose]());

function ask<Q extends Question>(
  dir: string,
  question: Q,
  args: Questions[Q]['args'],
): Questions[Q]['answer'] {
  const reply: LedgerReply = room.answer({ id: 1, dir, question, args });
  if (!reply.ok) throw new Error(`${reply.code}: ${reply.message}`);
  return reply.value as Questions[Q]['answer'];
}

async function written(minutes = 3): Promise<string> {
  const dir = folder();
  await writeLedger(dir, { startedAt, minutes });
  return dir;
}

test('a run is told as a process, as its last frame and over time', async () => {
  const dir = await written();
  const [row] = ask(dir, 'processes', {});
  expect(row).toMatchObject({ target: 'node old-server.js', state: 'ended', endedAt: startedAt + 180_000 });
  const run = Number(row?.id.slice(4));
  const frame = ask(dir, 'frame', { run });
  expect(frame).toMatchObject({
    pid: process.pid,
    last: true,
    level: 'warning',
    limits: { bytes: 200 * MiB, source: 'heap', text: '200.0 MiB: from the ledger' },
    kinds: [{ kind: 'session', open: 1, bytes: 18 * MiB }],
    peaks: [{ path: 'process/session:1' }, { path: 'process/session:0' }],
    policy: { file: 'built-in', mode: 'shadow' },
    levels: [{ from: 'normal', level: 'warning', usedBytes: 60 * MiB }],
  });
  expect(ask(dir, 'frame', { run: 1 })).toBeNull();
  const whole = ask(dir, 'history', { points: 100 });
  expect(whole.rows).toHaveLength(18);
  expect(ask(dir, 'history', { run, points: 100 }).rows).toHaveLength(18);
  const part = ask(dir, 'history', { from: startedAt + 60_000, to: startedAt + 120_000, points: 3 });
  expect(part).toMatchObject({ from: startedAt + 60_000, to: startedAt + 120_000 });
  expect(part.rows.length).toBeLessThanOrEqual(4);
  expect(part.rows[0]?.heapUsed).toBeGreaterThan(50 * MiB);
  expect(ask(dir, 'scopeHistory', { path: 'process/session:1', points: 100 }).rows).toHaveLength(18);
  expect(ask(dir, 'scopeHistory', { path: 'process/none', points: 100 }).rows).toEqual([]);
});

test('the audit and the tallies of actions', async () => {
  const dir = await written();
  expect(ask(dir, 'audit', { limit: 3 })).toMatchObject({ more: true, entries: [{}, {}, { kind: 'exit' }] });
  expect(ask(dir, 'audit', { kinds: ['finding'], limit: 3 })).toMatchObject({ more: false });
  const tallies = ask(dir, 'actions', { pid: process.pid });
  expect(tallies).toEqual([
    { action: 'cache.drop', outcome: 'would-have', mode: 'shadow', count: 2, freedBytes: 0 },
    { action: 'cache.drop', outcome: 'done', mode: 'enforce', count: 1, freedBytes: MiB },
    { action: 'cache.drop', outcome: 'running', mode: 'enforce', count: 1, freedBytes: 0 },
  ]);
  expect(ask(dir, 'actions', { pid: process.pid })).toEqual(tallies);
  expect(ask(dir, 'wouldHave', {})).toMatchObject([{ action: 'cache.drop', count: 2, lastText: 'would w2' }]);
});

test('what cannot be answered is a code, and the room goes on', async () => {
  const dir = folder();
  expect(() => ask(dir, 'processes', {})).toThrow('PLM_LEDGER_NOT_FOUND');
  const real = await written(1);
  expect(() => ask(real, 'nothing' as 'processes', {})).toThrow('PLM_SERVER_NO_LEDGER');
  expect(ask(real, 'processes', {})).toHaveLength(1);
  rmSync(join(real, 'samples.db'));
  const others = [await written(1), await written(1)];
  for (const each of others) expect(ask(each, 'processes', {})).toHaveLength(1);
});

test('a ledger with samples only, or with entries only, is one too', async () => {
  const dir = folder();
  mkdirSync(dir, { recursive: true });
  const ledger = openLedger({ dir });
  await ledger.audit({ kind: 'start', body: {} });
  await ledger.close();
  const [row] = ask(dir, 'processes', {});
  expect(row).toMatchObject({ target: 'unknown' });
  const frame = ask(dir, 'frame', { run: Number(row?.id.slice(4)) });
  expect(frame).toMatchObject({ target: 'unknown', scopes: [], findings: [], reading: { used: 0 } });
  expect(ask(dir, 'history', { points: 10 }).rows).toEqual([]);
});

test('points of half an hour and more are read as hours', async () => {
  const dir = folder();
  const ledger = openLedger({ dir, batchMs: 10 });
  const parts = { heapUsed: 5, external: 1, arrayBuffers: 0, rss: 9, loopDelayMs: 1 };
  const end = Date.now();
  for (let at = end - 10 * 86_400_000; at < end; at += 1_200_000)
    ledger.sample({ at, scope: 'process', usedBytes: 7, limit: 10, ...parts });
  await ledger.flush();
  await ledger.close();
  const answers = new LedgerAnswers(new LedgerReader(dir), () => end);
  onTestFinished(() => answers.close());
  const span = { from: end - 10 * 86_400_000, to: end };
  expect(answers.history({ ...span, points: 400 })).toMatchObject({ resolution: 'hour', stepMs: 3_600_000 });
  expect(answers.history({ ...span, points: 1000 }).resolution).toBe('minute');
});

test('the book of actions is bounded and counts each action once', () => {
  const book = new ActionBook();
  const entry = (seq: number, body: Record<string, unknown>): AuditRecord =>
    ({ seq, at: seq, kind: 'action', scope: 'process', run: 1, n: seq, hash: '', body }) as AuditRecord;
  book.take([
    entry(1, { id: 'a', outcome: 'running' }),
    entry(2, { id: 'a', outcome: 'done', freedBytes: 5 }),
  ]);
  book.take([entry(3, { id: 'a', outcome: 'done', freedBytes: 5 })]);
  expect(book.lastSeq).toBe(3);
  expect(book.tallies()).toEqual([{ action: 'unknown', outcome: 'done', mode: '', count: 1, freedBytes: 5 }]);
  const flood = Array.from({ length: 5000 }, (_, i) =>
    entry(10 + i, { id: `f${i}`, action: `made-up-${i}`, outcome: i % 2 === 0 ? 'waiting' : 'would-have' }),
  );
  book.take(flood);
  expect(book.tallies().length).toBeLessThanOrEqual(501);
  expect(book.wouldHave().length).toBeLessThanOrEqual(500);
});
