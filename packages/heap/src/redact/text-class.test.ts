import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textClassOf } from './placeholder.ts';
import { plainClassOf } from './text-class.ts';

const raw = (text: string): Buffer => Buffer.from(JSON.stringify(text).slice(1, -1));

test.each([
  ['42', 'integer'],
  ['1763200000', 'timestamp'],
  ['2763200000123', 'timestamp'],
  ['deadbeefcafe0123', 'hex'],
  ['sess-476', 'serial'],
  [`${'x'.repeat(61)}7`, 'serial'],
  [`${'x'.repeat(62)}7`, 'word'],
  ['{"a":1}'.replaceAll('"', "'").replace(':', ''), 'json'],
  ['  [1, 2', 'json'],
  ['hello', 'word'],
  ['hello world', 'text'],
  ['a*b', 'text'],
  ['plan:1207', 'serial'],
  ['a:b', 'text'],
])('%s is of class %s without being decoded', (text, kind) => {
  expect(plainClassOf(raw(text))).toBe(kind);
  expect(textClassOf(text)).toBe(kind);
});

test('the class by bytes is that of the text, or is left to the text', () => {
  const characters = fc.constantFrom(...'019afgzAGZ_$#-@:./\\<> [{}"\n\u007f\u00e9\u2028'.split(''));
  const tail = fc.constantFrom('', '7', '-12', '2026-11-15T10:00', 'a'.repeat(62), '0123456789ab');
  const text = fc.oneof(
    fc.tuple(tail, fc.string({ unit: characters, maxLength: 14 }), tail).map((pieces) => pieces.join('')),
    fc.uuid(),
    fc.emailAddress(),
    fc.webUrl(),
    fc.string({ maxLength: 20, unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, (value) => {
      expect([undefined, textClassOf(value)]).toContain(plainClassOf(raw(value)));
    }),
    { numRuns: 2000 },
  );
});
