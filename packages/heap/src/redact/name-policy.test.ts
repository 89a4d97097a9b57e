import { expect, test } from 'vitest';
import {
  ephemeronWithoutNames,
  isStructuralEdge,
  isStructuralNode,
  quotesNames,
  traitsOf,
} from './name-policy.ts';

test.each([
  ['object', 'SessionRegistry', true],
  ['object', 'say "hi"\nto them', false],
  ['code', 'file:///app/src/server.ts', true],
  ['code', 'data:text/javascript,secret()', false],
  ['closure', 'get size', true],
  ['string', 'hello', false],
  ['string', 'abort', true],
  ['regexp', '^[a-z]+$', false],
  ['concatenated string', '(concatenated string)', true],
  ['number', 'heap number', true],
  ['number', '3.14', false],
  ['symbol', '<symbol kEvents>', true],
  ['symbol', 'user-12345678', false],
  ['string', '<serial:8>', true],
])('a node of type %s named %j is structure: %s', (type, name, expected) => {
  expect(isStructuralNode(type, traitsOf(name))).toBe(expected);
});

test.each([
  ['a field of a class', 'property', 'sessions', false, false, true],
  ['an id on a class', 'property', 'user_12345', false, false, false],
  ['a key of a dictionary', 'property', 'alice', true, false, false],
  ['a key that code mentions', 'property', 'alice', true, true, true],
  ['a header that code mentions', 'property', 'content-type', true, true, true],
  ['text that code mentions', 'property', 'a "quoted" text', true, true, false],
  ['a symbol', 'property', '<symbol clients>', true, false, true],
  ['a name of the language', 'property', 'constructor', true, false, true],
  ['a variable', 'context', 'gcPersistentSignals', true, false, true],
  ['an edge of V8', 'internal', 'feedback_cell', true, false, true],
])('%s', (_what, type, name, plainOwner, inCode, expected) => {
  expect(isStructuralEdge(type, traitsOf(name), plainOwner, inCode)).toBe(expected);
});

test('names the caller declares count as structure', () => {
  expect(isStructuralEdge('property', traitsOf('tenant-7', new Set(['tenant-7'])), true, false)).toBe(true);
});

test('the name of a WeakMap edge loses the names it quotes and keeps the ids', () => {
  const name =
    '49 / part of key (secret (x) @1267503) -> value (my text @1270633) pair in WeakMap (table @1213085)';
  expect(quotesNames(traitsOf(name))).toBe(true);
  const plain = ephemeronWithoutNames(name);
  expect(plain).toBe('49 / part of key (_ @1267503) -> value (_ @1270633) pair in WeakMap (table @1213085)');
  expect(ephemeronWithoutNames(plain)).toBe(plain);
  expect(ephemeronWithoutNames('part of key without ids pair in WeakMap')).toBe(
    '0 / part of key (_ @0) -> value (_ @0) pair in WeakMap (table @0)',
  );
});
