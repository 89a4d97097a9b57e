import type { TraceStep } from '@plimsoll/heap';
import { expect, test } from 'vitest';
import { holderWords, namesHolder } from './bench.ts';

const step = (name: string, via = ''): TraceStep => ({
  type: 'object',
  name,
  via,
  id: 1,
  retainedBytes: 0,
  leaking: 'maybe',
  why: '',
  suspect: false,
});

test('the words of a holder are its names', () => {
  expect(holderWords('MastraModelOutput.#bufferedChunks (also #bufferedText, #bufferedSteps)')).toEqual([
    'MastraModelOutput',
    '#bufferedChunks',
  ]);
  expect(holderWords('MemorySaver.storage (Object used as dictionary)')).toEqual(['MemorySaver', 'storage']);
});

test('a trace names its holder by most of the words or by an object that leaks, and not otherwise', () => {
  const expected = { holder: 'Agent[kClients] (Map)', objects: ['Pool', 'Client'] };
  expect(namesHolder([step('Agent'), step('Map', '<symbol clients>')], expected)).toBe(true);
  expect(namesHolder([step('Other'), step('Pool', 'x')], expected)).toBe(true);
  expect(namesHolder([step('Other'), step('Map', 'entries')], expected)).toBe(false);
});
