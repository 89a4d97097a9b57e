import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('makes a folder and those above it for the owner alone, and takes one that is there', () => {
  const dir = join(folder(), 'a', 'b', 'c');
  makeFolder(dir);
  makeFolder(dir);
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(statSync(join(dir, '..', '..')).mode & 0o777).toBe(0o700);
});

test('a file in the way is an error', () => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow('EEXIST');
  expect(() => makeFolder(join(file, 'below'))).toThrow('ENOTDIR');
});

test('a folder that takes none below it is an error, not an endless wait', () => {
  expect(() => makeFolder('/proc/plimsoll/run')).toThrow(/^E[A-Z]+:/);
});
