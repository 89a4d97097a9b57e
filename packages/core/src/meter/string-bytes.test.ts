import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { isOneByte, isSharedWord, stringBytes } from './string-bytes.ts';

test('one-byte strings are those of Latin-1', () => {
  expect(isOneByte('plain \u00ff')).toBe(true);
  expect(isOneByte('\u0100')).toBe(false);
});

test('a Node without the query looks at the characters', async () => {
  vi.resetModules();
  vi.doMock('node:v8', () => ({ default: {} }));
  const old = await import('./string-bytes.ts');
  expect(old.isOneByte('plain \u00ff')).toBe(true);
  expect(old.isOneByte('a\u4e2d')).toBe(false);
  vi.doUnmock('node:v8');
});

test('sizes are whole words and grow with the length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
      const bytes = stringBytes(text);
      expect(bytes % 8).toBe(0);
      expect(stringBytes(`${text}${text}xxxxxxxx`)).toBeGreaterThan(bytes);
    }),
  );
});

test('words are shared, ids and long texts are not', () => {
  expect(['user', 'tool-call', 'a'].every(isSharedWord)).toBe(true);
  expect(['call_1', 'x9', 'a longer text'].some(isSharedWord)).toBe(false);
});
