import { expect, test } from 'vitest';
import { KnownWords } from './known-words.ts';

test('a word that two scopes have belongs to neither', () => {
  const words = new KnownWords();
  expect(words.isOfOthers('A-17', 1)).toBe(false);
  expect(words.isOfOthers('A-17', 1)).toBe(false);
  expect(words.isOfOthers('A-17', 2)).toBe(true);
  expect(words.isOfOthers('A-17', 1)).toBe(true);
  expect(words.isOfOthers('A-18', 2)).toBe(false);
});

test('what is remembered has a bound', () => {
  const words = new KnownWords();
  words.isOfOthers('first', 1);
  for (let i = 0; i < 4096; i++) words.isOfOthers(`${i}`, 1);
  expect(words.isOfOthers('first', 2)).toBe(false);
});
