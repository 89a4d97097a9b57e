import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isPlaceholder,
  placeholderOf,
  textClassOf,
  textLengthOf,
  uniquePlaceholderOf,
} from './placeholder.ts';

test.each([
  ['42', 'integer'],
  ['1763200000', 'timestamp'],
  ['1763200000123', 'timestamp'],
  ['2026-11-15T10:00:00Z', 'timestamp'],
  ['2f1c9a34-8d11-4a0e-9c1d-0a1b2c3d4e5f', 'uuid'],
  ['deadbeefcafe0123', 'hex'],
  ['ada@example.com', 'email'],
  ['https://example.com/a?b=c', 'url'],
  ['/home/ada/secret.txt', 'path'],
  ['sess-476', 'serial'],
  ['{"a":1}', 'json'],
  ['hello', 'word'],
  ['hello world', 'text'],
])('%s is of class %s', (text, kind) => {
  expect(textClassOf(text)).toBe(kind);
});

test('a placeholder tells class and length, and is its own placeholder', () => {
  expect(placeholderOf('sess-476')).toBe('<serial:8>');
  expect(placeholderOf('')).toBe('');
  expect(uniquePlaceholderOf('', 3)).toBe('');
  expect(placeholderOf(uniquePlaceholderOf('sess-476', 812))).toBe('<serial:8>');
});

test('whatever the text, its placeholder says nothing but class and length and survives a second time', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60, unit: 'binary' }), fc.nat(), (text, index) => {
      const shown = placeholderOf(text);
      expect(placeholderOf(shown)).toBe(shown);
      expect(placeholderOf(uniquePlaceholderOf(text, index))).toBe(shown);
      if (text === '') return;
      expect(isPlaceholder(shown)).toBe(true);
      expect(textClassOf(shown)).toBe(textClassOf(text));
      expect(textLengthOf(shown)).toBe(textLengthOf(text));
    }),
  );
});
