import { expect, test } from 'vitest';
import { ScriptOrigins } from './script-origins.ts';

test('scripts are of the program, of its packages, or of Node.js and Plimsoll', () => {
  const origins = new ScriptOrigins((file) => file.includes('/@plimsoll/'));
  expect(origins.add('50', 'node:internal/timers')).toBe('other');
  expect(origins.add('60', 'file:///app/node_modules/@plimsoll/host/index.js')).toBe('other');
  expect(origins.isKnown).toBe(false);
  expect(origins.of('40')).toBe('other');
  expect(origins.add('90', 'file:///app/node_modules/express/index.js')).toBe('package');
  expect(origins.add('80', 'file:///app/server.js')).toBe('program');
  expect(origins.packagedFile('90')).toBe('file:///app/node_modules/express/index.js');
  expect(origins.packagedFile('80')).toBeUndefined();
  expect(origins.isKnown).toBe(true);
  expect(origins.of('80')).toBe('program');
  // Older than the program, and younger.
  expect(origins.of('70')).toBe('other');
  expect(origins.of('85')).toBeUndefined();
  // The first module of the program is younger than the preload, and may never be seen to allocate.
  origins.begin('65');
  expect(origins.of('65')).toBe('other');
  expect(origins.of('64')).toBe('other');
  expect(origins.of('70')).toBeUndefined();
});
