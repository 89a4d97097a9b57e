import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWriter } from './byte-writer.ts';
import { decodeString } from './decode-string.ts';

test('numbers are written as JSON does', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat(), fc.maxSafeNat(), fc.integer({ min: 0, max: 12 }))), (numbers) => {
      const writer = new ByteWriter();
      for (const number of numbers) {
        writer.number(number);
        writer.byte(44);
      }
      expect(Buffer.concat(writer.take(true)).toString()).toBe(
        numbers.map((number) => `${number},`).join(''),
      );
    }),
  );
});

test('blocks are handed out when they are full, the last one on demand', () => {
  const writer = new ByteWriter();
  writer.bytes(Buffer.alloc(60_000, 'a'));
  expect(writer.take()).toEqual([]);
  writer.byte(98);
  writer.range(Buffer.from('xbx'), 1, 2);
  writer.range(Buffer.alloc(300, 'd'), 100, 200);
  writer.text('c'.repeat(2 << 20));
  writer.byte(99);
  const text = Buffer.concat(writer.take(true)).toString();
  expect(text).toBe(`${'a'.repeat(60_000)}bb${'d'.repeat(100)}${'c'.repeat((2 << 20) + 1)}`);
  for (let i = 0; i < (1 << 20) - 10; i++) writer.byte(49);
  writer.number(7);
  expect(Buffer.concat(writer.take(true)).toString().endsWith('117')).toBe(true);
});

test('many bytes are handed on without a copy', () => {
  const writer = new ByteWriter();
  writer.byte(97);
  const chunk = Buffer.alloc(1 << 16, 'b');
  writer.bytes(chunk);
  const [first, second] = writer.take();
  expect([first?.toString(), second?.buffer]).toEqual(['a', chunk.buffer]);
});

test('strings are decoded as JSON, and broken ones stand for themselves', () => {
  expect(decodeString(Buffer.from(String.raw`a\u00e9\n`))).toBe('aé\n');
  expect(decodeString(Buffer.from(String.raw`a\q`))).toBe(String.raw`a\q`);
});
