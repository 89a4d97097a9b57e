import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
  closeSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import {
  boxBytes,
  boxFile,
  isSetAside,
  readBlackBox,
  readBlackBoxes,
  slotBytes,
  slots,
} from '../../protocol/black-box.ts';
import type { BlackBox, BoxReading } from '../../protocol/black-box.ts';
import { leftBeside } from '../../protocol/death.ts';
import { lastWordsFile } from '../../protocol/last-words.ts';
import { BoxWriter } from './box-writer.ts';
import { framesOf, phraseOf } from './black-box.ts';

const dir = mkdtempSync(join(tmpdir(), 'plimsoll-box-'));
afterAll(() => rmSync(dir, { recursive: true }));

const reading = (at: number): BoxReading => ({
  kind: 'reading',
  at,
  used: 1,
  limit: 2,
  heapUsed: 1,
  floor: null,
  external: 0,
  arrayBuffers: 0,
  rss: 3,
  loopDelayMs: 0,
  level: 'normal',
  source: 'heap',
  scopes: [['process/session:1', 10]],
  keepers: [['session-cache:sessions', 20]],
  open: { session: 1 },
  workers: 0,
  refused: 0,
  actions: [],
  incident: null,
});

function boxOf(pid: number): BoxWriter {
  const writer = new BoxWriter(dir, pid);
  writer.write({ kind: 'start', at: pid, pid, node: 'v24', target: 'node server.js', heapLimit: 1 });
  return writer;
}

test('a box has a fixed size and keeps the newest records in order', () => {
  const pid = 900_001;
  const writer = boxOf(pid);
  for (let i = 1; i <= 3 * slots + 5; i++) expect(writer.write(reading(i))).toBe(true);
  writer.write({ kind: 'exit', at: 9999, code: 3, reason: null, frames: ['leave (server.js:1:1)'] });
  writer.close(false);
  const box = readBlackBox(boxFile(dir, pid));
  expect(statSync(boxFile(dir, pid)).size).toBe(boxBytes);
  expect(statSync(boxFile(dir, pid)).mode & 0o777).toBe(0o600);
  expect(box?.start).toMatchObject({ pid, target: 'node server.js' });
  expect(box?.records).toHaveLength(slots);
  expect(box?.records.map(({ at }) => at).slice(-3)).toEqual([3 * slots + 4, 3 * slots + 5, 9999]);
  expect(box?.torn).toBe(0);
});

test('a slot that was cut off is left out, the others are read', () => {
  const pid = 900_002;
  const writer = boxOf(pid);
  for (let i = 1; i <= 10; i++) writer.write(reading(i));
  writer.close(false);
  const handle = openSync(boxFile(dir, pid), 'r+');
  writeSync(handle, Buffer.from('half a record'), 0, 13, 5 * slotBytes + 40);
  closeSync(handle);
  const box = readBlackBox(boxFile(dir, pid));
  expect(box?.records.map(({ at }) => at)).toEqual([1, 2, 3, 4, 6, 7, 8, 9, 10]);
  expect(box?.torn).toBe(1);
});

test('a record that does not fit is not written, and a file that is no box is none', () => {
  const pid = 900_003;
  const writer = boxOf(pid);
  expect(writer.write({ ...reading(1), incident: 'x'.repeat(slotBytes) })).toBe(false);
  expect(writer.write(reading(2))).toBe(true);
  writer.close(true);
  expect(readBlackBox(boxFile(dir, pid))).toBeUndefined();
  writeFileSync(join(dir, 'black-box-900004.box'), 'something else');
  expect(readBlackBox(join(dir, 'black-box-900004.box'))).toBeUndefined();
  expect(readBlackBoxes(join(dir, 'nowhere'))).toEqual([]);
  expect(new BoxWriter(join(dir, 'nowhere'), 1).write(reading(1))).toBe(false);
});

test('boxes of ended processes are kept, the newest 16', () => {
  for (let i = 0; i < 30; i++) {
    const file = join(dir, `black-box-${800_000_000 + i}.box`);
    writeFileSync(file, '');
    utimesSync(file, i, i);
  }
  new BoxWriter(dir, 900_005).close(true);
  const left = readdirSync(dir).filter((name) => name.startsWith('black-box-'));
  expect(left).toHaveLength(16);
  expect(left).not.toContain('black-box-800000000.box');
});

test('the next process with the same number keeps the box before it, and reports of another life are not its own', () => {
  const own = mkdtempSync(join(tmpdir(), 'plimsoll-same-number-'));
  const start = { kind: 'start', pid: 1, node: 'v24', target: 'node server.js', heapLimit: 1 } as const;
  for (const at of [1000, 900_000]) {
    const writer = new BoxWriter(own, 1);
    writer.write({ ...start, at });
    writer.write(reading(at + 10));
    writer.close(false);
  }
  const boxes = readBlackBoxes(own);
  expect(boxes.map(({ start: { at } }) => at)).toEqual([900_000, 1000]);
  expect(boxes.map(isSetAside)).toEqual([false, true]);
  const [newer, older] = boxes as [BlackBox, BlackBox];
  const header = { event: 'Allocation failed', trigger: 'OOMError', dumpEventTimeStamp: '1020' };
  writeFileSync(join(own, 'fatal-1.json'), JSON.stringify({ header }));
  writeFileSync(lastWordsFile(own, 1), JSON.stringify({ v: 1, at: 900_005, sites: [] }));
  expect(leftBeside(own, older)).toMatchObject({ fatal: { trigger: 'OOMError' }, lastWords: undefined });
  expect(leftBeside(own, newer)).toMatchObject({ fatal: undefined, lastWords: { at: 900_005 } });
  rmSync(own, { recursive: true });
});

test('whenever a process is killed, its box is read back and at most the last record is lost', async () => {
  const fixture = new URL('./killed-writer.fixture.ts', import.meta.url);
  const child = spawn(process.execPath, ['--conditions=plimsoll-source', fixture.pathname, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [pid] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGKILL');
  await once(child, 'exit');
  const box = readBlackBox(boxFile(dir, Number(pid)));
  const numbers = box?.records.map(({ at }) => at) ?? [];
  expect(numbers.length).toBeGreaterThanOrEqual(slots - 1);
  expect(box?.torn).toBeLessThanOrEqual(1);
  const gaps = numbers.slice(1).filter((at, i) => at !== (numbers[i] as number) + 1);
  expect(gaps).toEqual([]);
});

test('frames of a stack have no message, and known phrases nothing of the program', () => {
  const { stack } = new TypeError('user 42 of ACME');
  expect(framesOf(stack).join()).not.toContain('ACME');
  expect(framesOf(stack)[0]).toContain('black-box.test.ts');
  expect(framesOf(undefined)).toEqual([]);
  expect(phraseOf('Array buffer allocation failed')).toBe('Array buffer allocation failed');
  expect(phraseOf('user 42')).toBeNull();
});
