import { expect, test } from 'vitest';
import { usableLanguage } from './locale.ts';

test.each([
  ['en-US', 'en-US'],
  ['de', 'de'],
  ['en-US@posix', 'en-US'],
  ['C', 'en-US'],
  ['', 'en-US'],
])('the language %j is read as %s', (language, usable) => {
  expect(usableLanguage(language)).toBe(usable);
  expect(() => new Intl.NumberFormat(usableLanguage(language))).not.toThrow();
});
