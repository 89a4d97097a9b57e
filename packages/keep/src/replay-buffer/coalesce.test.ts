import { expect, test } from 'vitest';
import { allText, deltasAndPieces, textDeltas } from './coalesce.ts';
import { ReplayBuffer } from './replay-buffer.ts';

test.each<[string, unknown, unknown, unknown]>([
  [
    'AI SDK stream part',
    { type: 'text-delta', id: '0', text: 'a' },
    { type: 'text-delta', id: '0', text: 'b' },
    { type: 'text-delta', id: '0', text: 'ab' },
  ],
  [
    'AI SDK UI chunk',
    { type: 'text-delta', id: '0', delta: 'a' },
    { type: 'text-delta', id: '0', delta: 'b' },
    { type: 'text-delta', id: '0', delta: 'ab' },
  ],
  [
    'tool input',
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '}' },
    { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{}' },
  ],
  [
    'Mastra chunk',
    { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '0', text: 'a' } },
    { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '0', text: 'b' } },
    { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '0', text: 'ab' } },
  ],
])('%s is joined', (_, first, next, joined) => {
  expect(textDeltas.joinable(first, next)).toBe(true);
  expect(textDeltas.join([first, next])).toEqual(joined);
  expect(allText.join([first, next])).toEqual(joined);
});

test.each<[string, unknown, unknown]>([
  ['another id', { type: 'text-delta', id: '0', text: 'a' }, { type: 'text-delta', id: '1', text: 'b' }],
  ['another type', { type: 'text-delta', text: 'a' }, { type: 'reasoning-delta', text: 'b' }],
  ['one more field', { type: 'text-delta', text: 'a' }, { type: 'text-delta', text: 'b', usage: 1 }],
  ['one field less', { type: 'text-delta', text: 'a', usage: undefined }, { type: 'text-delta', text: 'b' }],
  ['no text', { type: 'text-delta', text: 'a' }, { type: 'text-delta', text: 1 }],
  ['not a delta', { type: 'tool-call', text: 'a' }, { type: 'tool-call', text: 'b' }],
  [
    'payload of another',
    { type: 'text-delta', payload: { id: '0', text: 'a' } },
    { type: 'text-delta', payload: { id: '1', text: 'b' } },
  ],
  [
    'payload of nothing',
    { type: 'text-delta', payload: { id: '0', text: 'a' } },
    { type: 'text-delta', payload: null },
  ],
  [
    'instance',
    { type: 'text-delta', text: 'a' },
    new (class {
      type = 'text-delta';
      text = 'b';
    })(),
  ],
  ['bare strings', 'a', 'b'],
  ['null', null, null],
])('%s is not joined', (_, first, next) => {
  expect(textDeltas.joinable(first, next)).toBe(false);
});

test('bare strings are joined on request only', () => {
  expect(allText.joinable('a', 'b')).toBe(true);
  expect(allText.joinable('a', { type: 'text-delta', text: 'b' })).toBe(false);
  expect(allText.joinable({ type: 'text-delta', text: 'b' }, 'a')).toBe(false);
  expect(allText.join(['a', 'b'])).toBe('ab');
});

test('pieces of text are joined by default, records of their own are not', () => {
  const { joinable } = deltasAndPieces;
  expect(joinable('Hel', 'lo')).toBe(true);
  expect(joinable('{', '"a"')).toBe(true);
  expect(joinable('one', '\n')).toBe(true);
  for (const record of ['{"a":1}', '[1,2]', 'data: x\n\n', 'a line\n']) {
    expect(joinable('text', record)).toBe(false);
    expect(joinable(record, 'text')).toBe(false);
  }
  expect(joinable('text', { type: 'text-delta', text: 'a' })).toBe(false);
  expect(deltasAndPieces.join(['a', 'b', 'c'])).toBe('abc');
});

test('a bare string of five characters takes at most 15 bytes', () => {
  using buffer = new ReplayBuffer<string>({ maxBytes: '16MiB' });
  buffer.subscribe();
  for (let i = 0; i < 51_200; i++) buffer.push(` w${100 + (i % 900)}`);
  expect(buffer.bytes / 51_200).toBeLessThan(15);
  expect(buffer.stats().pushed).toBe(51_200);
});
