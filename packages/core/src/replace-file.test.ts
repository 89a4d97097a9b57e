import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-replace-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test('makes the folder and the file, for the owner alone, and puts a later text in its place', () => {
  const dir = join(folder(), 'run');
  const file = join(dir, 'log.json');
  replaceFile(file, 'first');
  replaceFile(file, 'second');
  expect(readFileSync(file, 'utf8')).toBe('second');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dir)).toEqual(['log.json']);
});

test('leaves nothing behind when the place is taken by a folder', () => {
  const dir = folder();
  mkdirSync(join(dir, 'log.json', 'inner'), { recursive: true });
  expect(() => replaceFile(join(dir, 'log.json'), 'text')).toThrow(/^E[A-Z]+:/);
  expect(readdirSync(dir)).toEqual(['log.json']);
});
