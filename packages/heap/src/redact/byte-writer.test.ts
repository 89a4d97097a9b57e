import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWriter } from './byte-writer.ts';
import { decodeString } from './rewriter.ts';

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
  writer.bytes(Buffer.alloc((1 << 20) - 1, 'a'));
  expect(writer.take()).toEqual([]);
  writer.byte(98);
  writer.byte(98);
  writer.text('c'.repeat(2 << 20));
  const blocks = writer.take(true);
  expect(Buffer.concat(blocks).length).toBe((1 << 20) - 1 + 2 + (2 << 20));
  for (let i = 0; i < (1 << 20) - 10; i++) writer.byte(49);
  writer.number(7);
  expect(Buffer.concat(writer.take(true)).toString().endsWith('117')).toBe(true);
});

test('strings are decoded as JSON, and broken ones stand for themselves', () => {
  expect(decodeString(Buffer.from(String.raw`a\u00e9\n`))).toBe('aé\n');
  expect(decodeString(Buffer.from(String.raw`a\q`))).toBe(String.raw`a\q`);
});
