import { expect, test } from 'vitest';
import { flagsFor, moduleBeside } from './own-module.ts';

test('a module is looked for in the form of the file that asks', () => {
  expect(moduleBeside('worker', 'file:///a/src/link.ts').href).toBe('file:///a/src/worker.ts');
  expect(moduleBeside('worker', 'file:///a/dist/link.js').href).toBe('file:///a/dist/worker.js');
});

test('a source gets the condition, a built module no flags', () => {
  expect(flagsFor('/a/src/worker.ts')).toEqual(['--conditions=plimsoll-source']);
  expect(flagsFor(new URL('file:///a%20b/src/worker.ts'))).toEqual(['--conditions=plimsoll-source']);
  expect(flagsFor('/a/dist/worker.js')).toEqual([]);
});
