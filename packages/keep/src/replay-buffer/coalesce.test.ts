import { expect, test } from 'vitest';
import { allText, textDeltas } from './coalesce.ts';

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
