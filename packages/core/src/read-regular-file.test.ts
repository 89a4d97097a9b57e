import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readRegularFile, readRegularText } from './read-regular-file.ts';

describe('reading regular files only', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'regular-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));

  test('a regular file, also through a link, is read whole', () => {
    const file = join(dir, 'a.txt');
    writeFileSync(file, 'grüße');
    symlinkSync(file, join(dir, 'link'));
    expect(readRegularText(file, { maxBytes: 100 })).toBe('grüße');
    expect(readRegularText(join(dir, 'link'), { maxBytes: 100 })).toBe('grüße');
    expect(() => readRegularFile(join(dir, 'link'), { maxBytes: 100, noFollow: true })).toThrow(/ELOOP/);
  });

  test('a file of exactly the cap is read, one byte more is refused', () => {
    const file = join(dir, 'cap');
    writeFileSync(file, 'x'.repeat(64));
    expect(readRegularFile(file, { maxBytes: 64 })).toHaveLength(64);
    expect(() => readRegularFile(file, { maxBytes: 63 })).toThrow(
      'it has 64 B or more; at most 63 B are read',
    );
  });

  test('a file whose stated size is 0 is read to its end, under the cap', () => {
    expect(readRegularText('/proc/self/status', { maxBytes: 65_536 })).toContain('VmRSS');
    expect(() => readRegularText('/proc/self/status', { maxBytes: 20 })).toThrow(/at most 20 B are read/);
  });

  test('a FIFO without a writer does not block', () => {
    const file = join(dir, 'fifo');
    execFileSync('mkfifo', [file]);
    expect(() => readRegularFile(file, { maxBytes: 100 })).toThrow('it is a named pipe, not a regular file');
  });

  test.each([
    ['/dev/zero', 'it is a character device, not a regular file'],
    [tmpdir(), 'it is a folder, not a regular file'],
  ])('%s is refused', (path, message) => {
    expect(() => readRegularFile(path, { maxBytes: 100 })).toThrow(message);
  });

  test('what does not exist is what Node says', () => {
    expect(() => readRegularFile(join(dir, 'absent'), { maxBytes: 1 })).toThrow(/ENOENT/);
  });
});
