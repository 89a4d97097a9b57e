import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import { FileLot, SessionCache } from '@plimsoll/keep';
import { expect, test } from 'vitest';
import { forget } from './forget.ts';
import { openSession } from './session.ts';
import { Needles } from './snapshot-search.ts';
import { holdFor } from './subject-holders.ts';

interface Message {
  readonly role: string;
  readonly content: string;
}

const gc = exposedGc();
const live = (): number => {
  gc?.();
  gc?.();
  return process.memoryUsage().heapUsed;
};

/** A text that no literal of this file contains. */
const secretText = (n: number): string =>
  ['diag', 'nosis', String(n), 'of', 'pat', 'ient', String(7 * n)].join('-') + ' '.repeat(4);

test('a game of 1,000 turns stays below 5 MB and is flat from there on', async () => {
  await using session = openSession<Message>('player', { preset: 'game' });
  const play = async (turns: number): Promise<void> => {
    for (let i = 0; i < turns; i++)
      await session.turn({ role: 'user', content: `move ${i} ${'m'.repeat(1500)}` }, () => ({
        role: 'assistant',
        content: `board ${i} ${'b'.repeat(1500)}`,
      }));
  };
  await play(1000);
  expect(session.bytes).toBeGreaterThan(2_500_000);
  expect(session.bytes).toBeLessThan(5 * 1024 * 1024);
  await play(500);
  const before = live();
  await play(1500);
  expect(live() - before).toBeLessThan(1_000_000);
  expect(session.bytes).toBeLessThan(5 * 1024 * 1024);
  expect(session.turns).toBe(3000);
});

test('100,000 short turns are flat', async () => {
  await using session = openSession<Message>('talker', { preset: 'support', maxTurns: 20 });
  const reply: Message = { role: 'assistant', content: 'yes' };
  for (let i = 0; i < 20_000; i++) await session.turn({ role: 'user', content: `t${i}` }, () => reply);
  const before = live();
  for (let i = 0; i < 80_000; i++) await session.turn({ role: 'user', content: `t${i}` }, () => reply);
  expect(live() - before).toBeLessThan(500_000);
  expect(session.window.turns).toBeLessThanOrEqual(20);
});

test('forget clears sessions, caches and parked copies of a person, and a search of the heap finds nothing', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-forget-'));
  const lot = new FileLot({ dir });
  const records = new SessionCache<{ notes: string[] }>({ name: 'records', maxBytes: '1MiB', park: lot });
  const stay = openSession<Message>('patient-1', { preset: 'health' });
  const session = openSession<Message>('patient-42', { preset: 'health' });
  expect(session.scope.path).not.toContain('patient');
  holdFor('patient-42', { label: 'notes', forget: () => 3 });
  holdFor('patient-42', { label: 'broken', forget: () => Promise.reject(new Error('no disk')) });
  for (let i = 0; i < 30; i++) {
    await session.turn({ role: 'user', content: secretText(i) }, () => ({
      role: 'assistant',
      content: secretText(i + 100),
    }));
    await stay.turn({ role: 'user', content: secretText(i + 1000) }, () => ({
      role: 'assistant',
      content: 'ok',
    }));
  }
  records.set('patient-42', { notes: [secretText(500)] });
  await records.shed({ bytes: 1 });
  expect(await lot.get('patient-42')).toBeDefined();
  records.set('patient-1', { notes: ['stays'] });
  const { cleared, proof } = await forget('patient-42', { prove: true });
  expect(cleared).toEqual([
    { label: 'session, health', entries: 60 },
    { label: 'notes', entries: 3 },
    { label: 'broken', entries: 0, error: 'no disk' },
    { label: 'session-cache "records"', entries: 1 },
  ]);
  expect(proof).toMatchObject({ found: 0 });
  expect(proof?.searched).toBeGreaterThanOrEqual(50);
  expect(records.has('patient-1')).toBe(true);
  expect(await lot.get('patient-42')).toBeUndefined();
  expect(stay.window.stats().messages).toBe(60);
  // The same search finds what is still there.
  const needles = new Needles();
  for (const { content } of stay.window.messages()) needles.add(content);
  expect((await needles.foundInHeap()).found).toBe(needles.count);
  expect((await stay.close())?.cleared).toHaveLength(2);
  await records.drain('1s');
  rmSync(dir, { recursive: true });
});

test('needles are found across chunks, and short or quoted texts are not looked for', async () => {
  const needles = new Needles();
  expect(needles.add('short')).toBe(false);
  expect(needles.add('"quoted" a plain part of it')).toBe(true);
  expect(needles.add('another plain text')).toBe(true);
  const stream = Readable.from([Buffer.from('xx a plain pa'), Buffer.from('rt of it yy')]);
  expect(await needles.foundIn(stream)).toEqual({ found: 1, bytes: 24 });
});

test('a session needs a subject and a known preset', () => {
  expect(() => openSession('')).toThrow(/empty/);
  expect(() => openSession('x', { preset: 'casino' as never })).toThrow(/game, health, finance, support/);
});
