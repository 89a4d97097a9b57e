import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScopeBytes } from './scope-bytes.ts';

let asked: number[];
let bytes: ScopeBytes;
let scopes: Scope[];

beforeEach(() => {
  asked = [];
  scopes = [];
  bytes = new ScopeBytes(roster, {
    bytesOf: ({ id }) => {
      asked.push(id);
      return undefined;
    },
  });
});

afterEach(async () => {
  bytes.stop();
  await Promise.all(scopes.map((scope) => scope.close()));
});

function make(count: number, charge = 10): void {
  for (let i = 0; i < count; i++) {
    const scope = open('session', String(i));
    if (charge > 0) scope.charge(charge);
    scopes.push(scope);
  }
}

function pathsOf(count: number): readonly string[] {
  return bytes.heaviest(count).map(({ path }) => path);
}

test('a refresh looks at what changed, not at what is open', () => {
  make(2000);
  bytes.refresh();
  expect(asked).toHaveLength(2000);
  asked = [];
  bytes.refresh();
  expect(asked).toEqual([]);
  scopes[7]?.charge(1);
  scopes[9]?.credit(2);
  bytes.refresh();
  expect(asked).toEqual([scopes[7]?.id, scopes[9]?.id]);
  expect(bytes.ofKind('session')).toBe(2000 * 10 - 1);
});

test('the heaviest follow growth, shrinking and closing', async () => {
  make(2000);
  bytes.refresh();
  scopes.forEach((scope, i) => scope.charge(i));
  bytes.refresh();
  expect(pathsOf(2)).toEqual(['process/session:1999', 'process/session:1998']);
  scopes[3]?.charge(10_000);
  scopes[1999]?.credit(2009);
  await scopes[1998]?.close();
  bytes.refresh();
  expect(pathsOf(2)).toEqual(['process/session:3', 'process/session:1997']);
  for (let i = 1000; i < 2000; i++) scopes[i]?.credit(scopes[i]?.account.own ?? 0);
  scopes[3]?.credit(10_000);
  bytes.refresh();
  expect(pathsOf(200).slice(0, 2)).toEqual(['process/session:999', 'process/session:998']);
});

test('scopes that hold nothing fill the list', () => {
  make(5, 0);
  scopes[2]?.charge(1);
  bytes.refresh();
  expect(pathsOf(10)).toEqual([2, 0, 1, 3, 4].map((i) => `process/session:${i}`));
  expect(pathsOf(2)).toEqual(['process/session:2', 'process/session:0']);
});

test('what closes is taken off its parents and its kind', async () => {
  const agent = open('agent', 'a');
  const inner = open('session', 'inner', { parent: agent });
  scopes.push(agent);
  inner.charge(100);
  agent.charge(5);
  bytes.refresh();
  expect([bytes.of(agent), bytes.ofKind('agent'), bytes.ofKind('session')]).toEqual([105, 105, 100]);
  await inner.close();
  bytes.refresh();
  expect([bytes.of(agent), bytes.ofKind('agent'), bytes.ofKind('session')]).toEqual([5, 5, 0]);
  expect(bytes.peakOf(agent)).toBe(105);
  await agent.close();
  bytes.refresh();
  expect([bytes.of(agent), bytes.ofKind('agent'), bytes.chargedBytes]).toEqual([0, 0, 0]);
});

test('after more changes than are listed every scope is looked at', () => {
  make(10);
  bytes.refresh();
  for (let i = 0; i < 100_001; i++) open('tool', String(i)).charge(1);
  scopes[0]?.charge(90);
  bytes.refresh();
  expect([bytes.of(scopes[0] as Scope), bytes.ofKind('tool')]).toEqual([100, 100_001]);
  for (const { account, kind } of roster.records()) if (kind === 'tool') account.credit(1);
  bytes.refresh();
  expect(bytes.ofKind('tool')).toBe(0);
  for (const scope of roster.open) if (scope.kind === 'tool') void scope.close();
});

test('a second follower starts from what is there, and the first may come back', () => {
  make(3);
  bytes.refresh();
  const other = new ScopeBytes(roster, { bytesOf: () => undefined });
  other.refresh();
  scopes[0]?.charge(5);
  bytes.refresh();
  expect(bytes.of(scopes[0] as Scope)).toBe(15);
  expect(bytes.ofKind('session')).toBe(35);
  other.stop();
});

test('bytes that nobody measured are unknown, and measured ones have an age and a spread', () => {
  make(1, 0);
  const [scope] = scopes as [Scope];
  let walked = false;
  const measured = new ScopeBytes(roster, {
    bytesOf: () =>
      walked
        ? {
            bytes: 1000,
            low: 900,
            high: 1300,
            visible: 1000,
            unseen: 0,
            unknown: 0,
            external: 0,
            at: 5,
            measuredAt: 5,
            objects: 3,
            truncated: false,
            ropes: 0,
            opened: 0,
          }
        : undefined,
  });
  measured.refresh();
  expect(measured.measuredAt(scope, 7)).toBeNull();
  expect(measured.spreadOf(scope)).toBeNull();
  walked = true;
  scope.charge(1);
  measured.refresh();
  expect(measured.measuredAt(scope, 7)).toBe(5);
  expect(measured.spreadOf(scope)).toEqual({ low: 900, high: 1300 });
  measured.stop();
});

test('a scope that closes with nothing in it leaves the heaviest', async () => {
  make(3);
  scopes[0]?.credit(10);
  bytes.refresh();
  scopes[1]?.credit(10);
  bytes.refresh();
  expect(pathsOf(3)).toHaveLength(3);
  await scopes[1]?.close();
  bytes.refresh();
  expect(pathsOf(3)).toEqual(['process/session:2', 'process/session:0']);
});
