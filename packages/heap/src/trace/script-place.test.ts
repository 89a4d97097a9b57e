import { expect, test } from 'vitest';
import { shortPath } from './script-place.ts';

test('a path is told by its package or its last segments', () => {
  expect(shortPath('file:///app/node_modules/ai/dist/index.js')).toBe('ai/dist/index.js');
  expect(shortPath('/home/me/app/src/server.ts')).toBe('app/src/server.ts');
});

test('code that was imported from a data URL is not shown', () => {
  expect(shortPath('data:text/javascript,export const key = "secret"')).toBe('data:text/javascript,…');
  expect(shortPath('data:text/javascript;base64,c2VjcmV0')).toBe('data:text/javascript,…');
});
