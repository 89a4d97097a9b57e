import {
  appendFileSync,
  chmodSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder } from './folder.fixture.ts';
import { isAlive } from '@plimsoll/core/internal/is-alive';
import { findJournals, PendingJournal, removeJournal } from './journal.ts';
import type { JournalOwners } from './journal.ts';

const gone: JournalOwners = { pid: 0, runs: [], alive: () => false };
const entry = (n: number) => ({ run: 5, n, at: n, kind: 'level', scope: 'process', body: '{}' });

test('entries come back in order from a private file', async () => {
  const dir = join(folder(), 'deep');
  const journal = new PendingJournal(dir, 'audit', 1, 5);
  await journal.sync();
  journal.append([entry(1), entry(2)]);
  journal.appendNow([entry(3)]);
  await journal.sync();
  expect(journal.waiting).toBe(true);
  const [name] = readdirSync(dir);
  expect(name).toBe('audit.pending.1-5');
  expect(statSync(join(dir, name as string)).mode & 0o777).toBe(0o600);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  const [found] = findJournals(dir, 'audit', gone);
  expect(found?.items.map((item) => item.n)).toEqual([1, 2, 3]);
});

test('a line cut off by a crash is counted, and what follows it is whole', () => {
  const dir = folder();
  const path = join(dir, 'audit.pending.1-5');
  writeFileSync(path, `${JSON.stringify(entry(1))}\n{"run":5,"n":2,"at"`);
  new PendingJournal(dir, 'audit', 1, 5).append([entry(3)]);
  appendFileSync(path, '{"run":"5"}\n');
  const [found] = findJournals(dir, 'audit', gone);
  expect(found).toMatchObject({ torn: 2 });
  expect(found?.items.map((item) => item.n)).toEqual([1, 3]);
});

test('a journal of a process that lives belongs to that process; sealed ones and those of the dead are taken', () => {
  const dir = folder();
  const journal = new PendingJournal(dir, 'audit', 1, 5);
  journal.seal();
  journal.append([entry(1)]);
  journal.seal();
  expect(journal.waiting).toBe(false);
  journal.append([entry(2)]);
  writeFileSync(join(dir, 'audit.pending.txt'), 'not ours');
  const names = (owners: JournalOwners): string[] =>
    findJournals(dir, 'audit', owners)
      .filter(({ isOwned }) => !isOwned)
      .map((item) => item.path.slice(dir.length + 1));
  const both = ['audit.pending.1-5.1', 'audit.pending.1-5'];
  const now = Date.now();
  expect(names({ pid: 2, runs: [], now, alive: () => true })).toEqual(['audit.pending.1-5.1']);
  expect(names({ pid: 2, runs: [], now, alive: () => false })).toEqual(both);
  expect(names({ pid: 1, runs: [5], now })).toEqual(['audit.pending.1-5.1']);
  expect(names({ pid: 1, runs: [6], now })).toEqual(both);
  expect(names({ pid: 1, runs: [5], now: now + 120_000 })).toEqual(both);
  expect(findJournals(join(dir, 'none'), 'audit', gone)).toEqual([]);
});

test('a journal that grew since it was read is not removed', () => {
  const dir = folder();
  const journal = new PendingJournal(dir, 'audit', 1, 5);
  journal.append([entry(1)]);
  const [found] = findJournals(dir, 'audit', gone);
  journal.append([entry(2)]);
  removeJournal(found as never);
  expect(findJournals(dir, 'audit', gone)[0]?.items).toHaveLength(2);
  removeJournal(findJournals(dir, 'audit', gone)[0] as never);
  expect(readdirSync(dir)).toEqual([]);
});

test('a journal that cannot be written says so', () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  chmodSync(join(dir, 'file'), 0o600);
  expect(() => new PendingJournal(join(dir, 'file'), 'audit', 1, 5).append([entry(1)])).toThrow(
    /ENOTDIR|EEXIST/,
  );
});

test('a folder that takes no other is an error, not an endless wait', () => {
  expect(() => new PendingJournal('/proc/plimsoll/ledger', 'audit', 1, 5).append([entry(1)])).toThrow(
    /^E[A-Z]+:/,
  );
});

test('this process is alive and an impossible one is not', () => {
  expect(isAlive(process.pid)).toBe(true);
  expect(isAlive(2 ** 30)).toBe(false);
});

test('a link in the folder is no journal, and is not written through', () => {
  const dir = folder();
  const elsewhere = join(folder(), 'entries');
  writeFileSync(
    elsewhere,
    `${JSON.stringify({ run: 9, n: 1, at: 1, kind: 'approval', scope: 'process', body: '{}' })}\n`,
  );
  symlinkSync(elsewhere, join(dir, 'audit.pending.1-9.1'));
  expect(findJournals(dir, 'audit', { pid: 2, runs: [], alive: () => false })).toEqual([]);
  symlinkSync(elsewhere, join(dir, 'audit.pending.3-4'));
  const before = readFileSync(elsewhere, 'utf8');
  expect(() => new PendingJournal(dir, 'audit', 3, 4).append([])).toThrow('it is a link');
  expect(readFileSync(elsewhere, 'utf8')).toBe(before);
});
