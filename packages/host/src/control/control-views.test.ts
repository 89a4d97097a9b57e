import { open } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { recordOf } from '@plimsoll/core/internal/scope/scope';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { builtInPolicy } from '@plimsoll/govern/internal/policy/built-in';
import { parsePolicy } from '@plimsoll/govern/internal/policy/parse';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Level } from '../protocol/frame.ts';
import { policyOps } from './view-ops.ts';
import { ScopeWatches, scopeOps } from './scopes.ts';
import type { ScopeView } from './scopes.ts';
import type { ScopePage } from '../protocol/answers.ts';

let scopes: Scope[];
let bytes: Map<number, number>;
let raised: { scope: string; level: Level }[];
let policy = builtInPolicy;
let watches: ScopeWatches;
let view: ScopeView;

beforeEach(() => {
  scopes = [];
  bytes = new Map();
  raised = [];
  policy = builtInPolicy;
  view = {
    bytes: {
      get open() {
        return scopes.map((scope) => recordOf(scope) as ScopeRecord);
      },
      of: (scope) => bytes.get((scope as ScopeRecord).id) ?? 0,
      peakOf: (scope) => bytes.get((scope as ScopeRecord).id) ?? 0,
      knownBy: () => 'account',
      measuredAt: (_, now) => now,
      spreadOf: () => null,
    },
    raised: () => raised,
    policy: () => policy,
    limitBytes: () => 1000,
  };
  watches = new ScopeWatches(view);
});

afterEach(async () => {
  watches[Symbol.dispose]();
  vi.useRealTimers();
  await Promise.all(scopes.map((scope) => scope.close()));
});

function make(count: number, kind = 'session'): void {
  for (let i = 0; i < count; i++) {
    const scope = open(kind, String(scopes.length));
    bytes.set(scope.id, 10);
    scopes = [...scopes, scope];
  }
}

/** Asks until the round is over. */
function round(name = 'w', fresh = false): { pages: number; rows: string[]; gone: string[]; full: boolean } {
  const answer = scopeOps(watches)['scopes'] as (args: object) => ScopePage;
  const first = answer({ watch: name, fresh });
  const pages = [first];
  while (pages.at(-1)?.done === false) pages.push(answer({ watch: name }));
  return {
    pages: pages.length,
    rows: pages.flatMap((page) => page.rows.map((row) => row.path)),
    gone: pages.flatMap((page) => page.gone),
    full: first.full,
  };
}

test('the first round has every scope, later ones what changed and what closed', async () => {
  make(3);
  expect(round()).toEqual({
    pages: 1,
    rows: ['process/session:0', 'process/session:1', 'process/session:2'],
    gone: [],
    full: true,
  });
  expect(round()).toEqual({ pages: 1, rows: [], gone: [], full: false });
  bytes.set(scopes[1]?.id as number, 99);
  expect(round().rows).toEqual(['process/session:1']);
  raised = [{ scope: 'process/session:2', level: 'critical' }];
  expect(round().rows).toEqual(['process/session:2']);
  scopes[0]?.lease();
  expect(round().rows).toEqual(['process/session:0']);
  await scopes[1]?.close();
  expect(round()).toMatchObject({ rows: [], gone: ['process/session:1'] });
  scopes = scopes.filter((scope) => scope.state === 'open');
  expect(round()).toMatchObject({ rows: [], gone: [] });
  expect(round('w', true)).toMatchObject({ rows: ['process/session:0', 'process/session:2'], full: true });
});

test('a scope that only ages is not repeated, one that was used is', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  make(2);
  round();
  vi.advanceTimersByTime(5000);
  expect(round().rows).toEqual([]);
  scopes[1]?.touch();
  expect(round().rows).toEqual(['process/session:1']);
});

test('ten thousand scopes come in pages of at most five hundred rows and none is lost', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date'] });
  make(10_000);
  const { pages, rows } = round();
  expect(pages).toBeGreaterThanOrEqual(20);
  expect(new Set(rows).size).toBe(10_000);
  expect(round().rows).toEqual([]);
});

test('a new policy gives new budgets, the budget of the code stays', () => {
  make(1, 'agent');
  const own = open('agent', 'own', { budget: 77 });
  scopes = [...scopes, own];
  const page = watches.page('w', true);
  expect(page.rows.map((row) => row.budgetBytes)).toEqual([null, 77]);
  policy = parsePolicy('apiVersion: plimsoll/v1\nbudgets: { agents: { "*": { max: 40% } } }\n', 'p.yaml');
  expect(watches.page('w', false).rows.map((row) => row.budgetBytes)).toEqual([400, 77]);
});

test('two scopes of one path: it is gone when both are', async () => {
  scopes = [open('session', 'twin'), open('session', 'twin')];
  round();
  await scopes[0]?.close();
  expect(round().gone).toEqual([]);
  await scopes[1]?.close();
  expect(round().gone).toEqual(['process/session:twin']);
});

test('watches are few and forgotten when nobody asks', () => {
  vi.useFakeTimers({ toFake: ['performance', 'Date', 'setTimeout', 'clearTimeout'] });
  make(1);
  for (const name of ['a', 'b', 'c', 'd', 'e']) round(name);
  expect(watches.size).toBe(4);
  expect(round('a').full).toBe(true);
  vi.advanceTimersByTime(9000);
  round('e');
  vi.advanceTimersByTime(2000);
  expect(watches.size).toBe(1);
  vi.advanceTimersByTime(20_000);
  expect(watches.size).toBe(0);
});

test('a round whose list was collected begins again and loses nothing', () => {
  make(1200);
  const first = watches.page('w', true);
  expect(first.done).toBe(false);
  scopes = [...scopes];
  globalThis.gc?.();
  const rest = round();
  expect(new Set([...first.rows.map((row) => row.path), ...rest.rows]).size).toBe(1200);
});

test('the policy in force and the reasons of a scope can be asked for', () => {
  const ops = policyOps(view);
  policy = parsePolicy(
    'apiVersion: plimsoll/v1\nrevision: 7\nbudgets:\n  sessions: { "*": { max: 50%, idle: 5m } }\n  agents: { "a*": { priority: critical } }\n',
    'p.yaml',
  );
  expect(ops['policy']?.({})).toMatchObject({
    file: 'p.yaml',
    mode: 'observe',
    revision: 7,
    budgets: [
      { section: 'global', glob: '*', place: 'built-in' },
      { section: 'agents', glob: 'a*', max: null, maxBytes: null, priority: 'critical', place: 'p.yaml:5' },
      {
        section: 'sessions',
        max: '50 % of the true limit',
        maxBytes: 500,
        idleMs: 300_000,
        place: 'p.yaml:4',
      },
    ],
  });
  expect(ops['explain']?.({ scope: 'process/session:4' })).toMatchObject({ path: 'process/session:4' });
  expect(() => ops['explain']?.({})).toThrow('there is no scope path in it');
});
