import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepFile, KeptFile } from './kept-file.ts';
import { pageSize, Resident } from './resident.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-resident-'));
afterAll(() => rmSync(dir, { recursive: true }));

test('a kept file reads its present content, cut at its capacity, until it is closed', () => {
  const path = join(dir, 'figure');
  writeFileSync(path, '12 34');
  const file = new KeptFile(path, 8);
  expect(file.read()).toBe('12 34');
  writeFileSync(path, '123456789');
  expect(file.read()).toBe('12345678');
  expect(file.retainedBytes).toBeGreaterThan(8);
  file.close();
  file.close();
  expect(file.read()).toBeUndefined();
});

test('a file that cannot be opened, read or closed is no reason to throw', () => {
  expect(keepFile(join(dir, 'missing'))).toBeUndefined();
  // A directory opens and does not read.
  const folder = keepFile(dir);
  expect(folder?.read()).toBeUndefined();
  folder?.close();
  const stolen = keepFile(join(dir, 'figure')) as KeptFile;
  closeSync(descriptorOf(join(dir, 'figure')));
  expect(stolen.read()).toBeUndefined();
  expect(() => stolen.close()).not.toThrow();
});

/** The descriptor through which this process has a file open. */
function descriptorOf(path: string): number {
  const { ino, dev } = statSync(path);
  const found = readdirSync('/dev/fd')
    .map(Number)
    .find((fd) => {
      try {
        const open = fstatSync(fd);
        return open.ino === ino && open.dev === dev;
      } catch {
        return false;
      }
    });
  if (found === undefined) throw new Error(`${path} is not open`);
  return found;
}

test('the resident set agrees with what Node says', () => {
  const resident = new Resident();
  const ratio = resident.bytes() / process.memoryUsage.rss();
  resident.close();
  expect(ratio).toBeGreaterThan(0.8);
  expect(ratio).toBeLessThan(1.25);
});

test('without /proc, and with a file that makes no sense, Node is asked', () => {
  for (const root of ['none', 'nonsense']) {
    mkdirSync(join(dir, root, 'proc/self'), { recursive: true });
    if (root === 'nonsense') writeFileSync(join(dir, root, 'proc/self/statm'), 'what is this');
    const resident = new Resident(join(dir, root));
    expect(resident.bytes() / process.memoryUsage.rss()).toBeCloseTo(1, 0);
    expect(resident.retainedBytes).toBeGreaterThanOrEqual(0);
    resident.close();
  }
});

test('the kept descriptor goes on working when the process has none left', () => {
  const resident = new Resident();
  const original = process.memoryUsage.rss;
  try {
    process.memoryUsage.rss = () => {
      throw new Error('EMFILE: too many open files');
    };
    expect(resident.bytes()).toBeGreaterThan(1024 ** 2);
    const bare = new Resident(join(dir, 'none'));
    expect(bare.bytes()).toBe(0);
  } finally {
    process.memoryUsage.rss = original;
    resident.close();
  }
});

test('the page size is found by comparing pages with bytes', () => {
  expect(pageSize(1000, 4_096_000)).toBe(4096);
  expect(pageSize(1000, 4_300_000)).toBe(4096);
  expect(pageSize(1000, 15_000_000)).toBe(16_384);
  expect(pageSize(1000, 66_000_000)).toBe(65_536);
  expect(pageSize(undefined, 1)).toBe(4096);
  expect(pageSize(1, undefined)).toBe(4096);
  closeSync(openSync(join(dir, 'figure'), 'r'));
});
