import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha1 } from './sha1.ts';

test('the digits are those of node:crypto', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300 }), (text) => {
      expect(sha1(text)).toBe(createHash('sha1').update(text).digest('hex'));
    }),
  );
});
