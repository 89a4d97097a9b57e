import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { isPlainData } from './plain-data.ts';
import { SpillFile, tempTarget } from './spill-file.ts';

test('a spill file gives back what was written and has no name', () => {
  const file = new SpillFile();
  expect(file.isOpen).toBe(false);
  const first = file.write(Buffer.from('one'));
  const second = file.write(Buffer.from('second'));
  expect(Buffer.from(file.read(second, 6)).toString()).toBe('second');
  expect(Buffer.from(file.read(first, 3)).toString()).toBe('one');
  expect(() => file.read(second, 7)).toThrow('the file ends 1 bytes early');
  expect(file.bytes).toBe(9);
  file.close();
  file.close();
  expect(file.bytes).toBe(0);
});

test('a directory that is not there, a full disk and a descriptor closed by somebody else', () => {
  expect(() => new SpillFile(tempTarget(`${tmpdir()}/not-there`)).write(Buffer.from('x'))).toThrow('ENOENT');
  const full = new SpillFile({ open: () => openSync('/dev/full', 'r+') });
  expect(() => full.write(Buffer.from('x'))).toThrow('ENOSPC');
  expect(full.bytes).toBe(0);
  full.close();
  const foreign = new SpillFile({ open: () => 1_000_000 });
  expect(() => foreign.write(Buffer.from('x'))).toThrow('EBADF');
  foreign.close();
});

test.each<[string, unknown, boolean]>([
  ['text', 'x', true],
  ['nested data', { a: [1, null, undefined, { b: new Date(), c: /x/, d: 1n }], e: Buffer.from('x') }, true],
  ['maps and sets', new Map([['a', new Set([1])]]), true],
  ['a cycle', cycle(), true],
  ['a function', { run: () => 1 }, false],
  ['a symbol', [Symbol('x')], false],
  ['a symbol key', { [Symbol('x')]: 1 }, false],
  ['an instance', { a: new URL('http://x') }, false],
  ['an error', { error: new TypeError('x') }, false],
  ['a getter', Object.defineProperty({}, 'x', { get: () => 1, enumerable: true }), false],
  ['a hidden field', Object.defineProperty({}, 'x', { value: 1 }), false],
  ['a proxy', new Proxy({}, {}), false],
  ['shared memory', new SharedArrayBuffer(8), false],
  ['a map with fields', Object.assign(new Map(), { x: 1 }), false],
  ['a promise', Promise.resolve(), false],
])('%s', (_, value, expected) => {
  expect(isPlainData(value)).toBe(expected);
});

function cycle(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}
