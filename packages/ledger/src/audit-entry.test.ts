import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson, chainHash, genesis } from './audit-entry.ts';

test('canonical JSON does not depend on the order in which keys were set', () => {
  expect(canonicalJson({ b: 1, a: { d: [1, { z: 1, y: undefined }], c: 2n } })).toBe(
    '{"a":{"c":"2","d":[1,{"z":1}]},"b":1}',
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const turned = Object.fromEntries(Object.entries(value).toReversed());
      expect(canonicalJson(turned)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('every field of a row is part of its hash', () => {
  const row = { seq: 1, run: 2, n: 3, at: 4, kind: 'level', scope: 'process', body: '{}' };
  const hash = chainHash(genesis, row);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  const others = [
    { ...row, seq: 2 },
    { ...row, run: 3 },
    { ...row, n: 4 },
    { ...row, at: 5 },
    { ...row, kind: 'leve' },
    { ...row, scope: 'lprocess' },
    { ...row, body: '{"a":1}' },
  ];
  expect(
    new Set([hash, chainHash(hash, row), ...others.map((other) => chainHash(genesis, other))]).size,
  ).toBe(9);
});
