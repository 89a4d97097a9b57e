import { describe, expect, it } from 'vitest';
import { grownCapacity } from '../../meter/arrays.ts';
import { step } from '../../meter/layout.ts';
import { TextWalk } from './text-walk.ts';

function bytesOf(value: unknown): number {
  const walk = new TextWalk(4096, () => true);
  walk.value(value);
  while (step(walk, () => true));
  return walk.bytes;
}

describe('what sessions mostly hold', () => {
  it('charges short words in lists, which are data, and not in properties, which are constants', () => {
    expect(bytesOf(['horse', 'mouse']) - bytesOf([1, 2])).toBe(48);
    expect(bytesOf({ a: 'horse', b: 'mouse' })).toBe(bytesOf({ a: 1, b: 2 }));
    expect(bytesOf(['ab', 'x'])).toBe(bytesOf([1, 2]));
  });

  it.each([
    ['/products/SKU-1234', true],
    ['user 17 asked for this', true],
    ['4f1c9a7e2b8d4f1c9a7e2b8d', false],
    ['2026-11-16T15:00:00.000Z', false],
    ['a sentence without numbers', false],
    [`read ${'many words '.repeat(6)}17`, false],
  ])('%s has half a joint: %s', (text, isJoined) => {
    const plain = 'x'.repeat(text.length);
    expect(bytesOf(text) - bytesOf(plain)).toBe(isJoined ? 16 : 0);
  });

  it('gives a list in a map the room that push leaves', () => {
    const one = bytesOf(new Map([['key', [1]]]));
    const none = bytesOf(new Map([['key', []]]));
    expect(one - none).toBe(16 + 8 * grownCapacity(1));
  });
});
