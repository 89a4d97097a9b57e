import { afterEach, describe, expect, test, vi } from 'vitest';
import { open } from '@plimsoll/core';
import { roster } from '@plimsoll/core/internal/scope/index';
import { MiB, Rig, TestScope, policyOf, noGrace, sessions, warnings } from './governor.fixture.ts';
import { collectUntil } from '../../../core/src/scope/collect.fixture.ts';
import { BudgetedScopes } from './budgeted-scopes.ts';
import { Governor } from './governor.ts';

afterEach(() => vi.restoreAllMocks());

describe('scopes', () => {
  test('each scope has its own level against the most specific rule', () => {
    using rig = new Rig(sessions);
    const plain = rig.open('session', '42');
    const vip = rig.open('session', 'vip-1');
    const tool = rig.open('tool', 'search');
    for (const scope of [plain, vip, tool]) scope.account.held = 7 * MiB;
    rig.run(40);
    expect(rig.story()).toEqual(['process/session:42 normal > critical (account)']);
    expect(rig.changes[0]).toMatchObject({
      usedBytes: 7 * MiB,
      limitBytes: 8 * MiB,
      ratio: 0.875,
      rule: 'sessions "*" (plimsoll.yaml:3)',
    });
    expect(rig.governor.counts).toEqual({ budgeted: 2, watched: 2, unwatched: 0 });
  });

  test('the level of a scope is answered by its path and by kind and name, the highest of equals', () => {
    using rig = new Rig(sessions);
    const first = rig.open('session', '42');
    const second = rig.open('session', '43');
    first.account.held = 7 * MiB;
    second.account.held = 9 * MiB;
    rig.run(40);
    const { governor } = rig;
    expect(governor.levelOf('process/session:42')).toBe('critical');
    expect(governor.levelOf('session:43')).toBe('emergency');
    expect(governor.levelOf('session:4')).toBe('normal');
    expect(governor.levelOf('process')).toBe('normal');
  });

  test('a machine is made at half of the warning line and dropped when the scope is calm again', () => {
    using rig = new Rig(sessions);
    const scope = rig.open('session', '42');
    scope.account.held = 2.3 * MiB;
    rig.run(1);
    expect(rig.governor.counts.watched).toBe(0);
    scope.account.held = 2.5 * MiB;
    rig.run(1);
    expect(rig.governor.counts.watched).toBe(1);
    scope.account.held = 1 * MiB;
    rig.run(1);
    expect(rig.governor.counts.watched).toBe(0);
  });

  test('closing ends the level and says so', () => {
    using rig = new Rig(sessions);
    const scope = rig.open('session', '42');
    scope.account.held = 9 * MiB;
    rig.run(5);
    scope.account.closed = true;
    scope.account.held = 0;
    rig.run(1);
    expect(rig.story()).toEqual([
      'process/session:42 normal > emergency (account)',
      'process/session:42 emergency > normal (closed)',
    ]);
    expect(rig.governor.counts).toEqual({ budgeted: 0, watched: 0, unwatched: 0 });
    expect(rig.governor.raised()).toEqual([]);
  });

  test('a child may tighten, never loosen: rules around it and budgets given in code both count', () => {
    using rig = new Rig(
      `${noGrace}\nbudgets: { agents: { "*": { max: 4MiB } }, sessions: { "*": { max: 8MiB } }, stages: { "*": { max: 50% } } }`,
    );
    const agent = rig.open('agent', 'planner');
    const inside = rig.open('session', 'a', { parent: agent });
    const outside = rig.open('session', 'b');
    const tight = rig.open('session', 'c', { budget: 2 * MiB });
    const loose = rig.open('session', 'd', { budget: 64 * MiB });
    const deep = rig.open('stage', 'rag', { parent: tight });
    const coded = rig.open('thing', 'x', { budget: MiB });
    for (const scope of [inside, outside, tight, loose, deep, coded]) scope.account.held = 100 * MiB;
    rig.run(4);
    const limits = Object.fromEntries(
      rig.changes.map(({ scope, limitBytes, rule }) => [scope, `${limitBytes / MiB} ${rule}`]),
    );
    expect(limits).toMatchInlineSnapshot(`
      {
        "process/agent:planner/session:a": "4 sessions "*" (plimsoll.yaml:3), lowered by an outer scope",
        "process/session:b": "8 sessions "*" (plimsoll.yaml:3)",
        "process/session:c": "2 open("session", ..., { budget })",
        "process/session:c/stage:rag": "2 stages "*" (plimsoll.yaml:3), lowered by an outer scope",
        "process/session:d": "8 sessions "*" (plimsoll.yaml:3)",
        "process/thing:x": "1 open("thing", ..., { budget })",
      }
    `);
  });

  test('percentages follow the true limit', () => {
    using rig = new Rig(`${noGrace}\nbudgets: { sessions: { "*": { max: 10% } } }`);
    const scope = rig.open('session', '42');
    scope.account.held = 39 * MiB;
    rig.run(4);
    expect(rig.changes[0]).toMatchObject({ limitBytes: 40 * MiB });
    rig.limitBytes = 4000 * MiB;
    rig.run(70);
    expect(rig.changes.at(-1)).toMatchObject({ level: 'normal', limitBytes: 400 * MiB });
  });

  test('exempt scopes and everything inside them have no level', () => {
    using rig = new Rig(
      `${noGrace}\nbudgets: { services: { "*": { max: 1MiB } }, sessions: { "*": { max: 1MiB } } }\nexempt: { scopes: [ "service:bill*" ] }`,
    );
    const billing = rig.open('service', 'billing');
    const inside = rig.open('session', 'a', { parent: billing });
    const other = rig.open('service', 'search');
    for (const scope of [billing, inside, other]) scope.account.held = 2 * MiB;
    rig.run(4);
    expect(rig.story()).toEqual(['process/service:search normal > emergency (account)']);
  });

  test('with too many near their budget the fullest keep their levels', () => {
    const warned: string[] = [];
    using _warnings = warnings(warned);
    using rig = new Rig(sessions, { maxWatched: 3 });
    const all = Array.from({ length: 6 }, (_, i) => rig.open('session', String(i)));
    all.forEach((scope, i) => (scope.account.held = (3 + i * 0.2) * MiB));
    rig.run(1);
    expect(rig.governor.counts).toEqual({ budgeted: 6, watched: 3, unwatched: 0 });
    rig.run(1);
    expect(rig.governor.counts).toMatchObject({ watched: 3, unwatched: 3 });
    expect(warned).toEqual(['PLM_GOVERN_CROWDED']);
    for (const scope of all) scope.account.held = 9 * MiB;
    rig.run(4);
    expect(new Set(rig.changes.map(({ scope }) => scope))).toEqual(
      new Set(['process/session:3', 'process/session:4', 'process/session:5']),
    );
  });

  test('more scopes than a tick looks at take several ticks', () => {
    using rig = new Rig(sessions, { maxScopesPerTick: 10 });
    const all = Array.from({ length: 35 }, (_, i) => rig.open('session', String(i)));
    for (const scope of all) scope.account.held = 9 * MiB;
    rig.run(1);
    expect(rig.governor.counts.watched).toBe(10);
    rig.run(3);
    expect(rig.governor.counts.watched).toBe(35);
  });

  test('while no bytes change no scope is looked at, and all are looked at after a change', () => {
    let changes = 1;
    const asked: number[] = [];
    using rig = new Rig(sessions, {
      maxScopesPerTick: 10,
      changes: () => changes,
      bytesOf: ({ id, account }) => {
        asked.push(id);
        return account.held;
      },
    });
    const all = Array.from({ length: 35 }, (_, i) => rig.open('session', String(i)));
    rig.run(4);
    expect(new Set(asked)).toEqual(new Set(all.map(({ id }) => id)));
    asked.length = 0;
    rig.run(10);
    expect(asked).toEqual([]);
    for (const scope of all) scope.account.held = 9 * MiB;
    changes++;
    rig.run(4);
    expect(rig.governor.counts.watched).toBe(35);
    const late = rig.open('session', 'late');
    late.account.held = 9 * MiB;
    rig.run(4);
    expect(rig.governor.counts.watched).toBe(36);
  });

  test('closed scopes leave although no bytes change', () => {
    using rig = new Rig(sessions, { changes: () => 1 });
    const all = Array.from({ length: 100 }, (_, i) => rig.open('session', String(i)));
    rig.run(2);
    for (const scope of all) scope.account.closed = true;
    rig.run(2);
    expect(rig.governor.counts.budgeted).toBe(0);
  });

  test('scopes that come and go between two ticks do not pile up', () => {
    using rig = new Rig(sessions);
    for (let i = 0; i < 50_000; i++) {
      const scope = new TestScope('session', 'x');
      rig.governor.opened(scope);
      scope.account.closed = true;
    }
    expect(rig.governor.counts.budgeted).toBeLessThanOrEqual(4096);
    rig.run(1);
    expect(rig.governor.counts.budgeted).toBe(0);
  });

  test('rows of scopes that closed without a tick in between are swept', () => {
    using rig = new Rig(sessions);
    const wave = (): TestScope[] => Array.from({ length: 3000 }, () => rig.open('session', 'x'));
    const first = wave();
    first.forEach((scope) => (scope.account.held = 9 * MiB));
    rig.run(1);
    for (const scope of first) scope.account.closed = true;
    wave();
    expect(rig.governor.counts).toMatchObject({ budgeted: 3000, watched: 0 });
  });

  test('bytes that cannot be told hold the level', () => {
    const warned: string[] = [];
    using _warnings = warnings(warned);
    let broken = false;
    using rig = new Rig(sessions, {
      bytesOf: ({ account }) => {
        if (broken) throw new Error('census stopped');
        return account.held;
      },
    });
    const scope = rig.open('session', '42');
    rig.open('session', '43');
    scope.account.held = 9 * MiB;
    rig.run(4);
    broken = true;
    rig.run(100);
    expect(rig.governor.raised()).toMatchObject([{ scope: 'process/session:42', level: 'emergency' }]);
    expect(warned).toEqual(['PLM_GOVERN_SCOPE_BYTES']);
  });

  test('raised() lists the process first, then scopes by level and fullness', () => {
    using rig = new Rig(sessions);
    const bytes = [6.9, 9, 8];
    bytes.forEach((held, i) => (rig.open('session', String(i)).account.held = held * MiB));
    rig.liveBytes = 350 * MiB;
    rig.run(12);
    expect(rig.governor.raised().map(({ scope, level }) => `${scope} ${level}`)).toEqual([
      'process critical',
      'process/session:1 emergency',
      'process/session:2 emergency',
      'process/session:0 critical',
    ]);
  });
});

test('real scopes of the process are followed from the channel and from the roster', async () => {
  const before = open('session', 'early');
  using governor = new Governor({ policy: policyOf(sessions), scopes: () => roster.open });
  const heard: string[] = [];
  governor.onLevel(({ scope, level }) => heard.push(`${scope} ${level}`));
  governor.start();
  const later = open('session', 'late');
  const other = open('tool', 'x');
  expect(governor.counts.budgeted).toBe(2);
  for (const scope of [before, later, other]) scope.charge(2 * MiB);
  expect(governor.counts.watched).toBe(0);
  before.charge(7 * MiB);
  later.charge(7 * MiB);
  const reading = { heapUsed: 0, floor: 0, majors: 1, rss: 0, pressures: [], lateMs: 0 };
  governor.tick({ at: 1, ...reading });
  expect(governor.counts.watched).toBe(2);
  await before.close();
  await Promise.all([later.close(), other.close()]);
  governor.tick({ at: 2, ...reading });
  expect(governor.counts).toEqual({ budgeted: 0, watched: 0, unwatched: 0 });
  governor.stop();
  await open('session', 'after').close();
  expect(governor.counts.budgeted).toBe(0);
  expect(heard).toEqual([]);
});

test('a budget set after the scope opened counts from the next tick on', async () => {
  using rig = new Rig('levels: { warning: { enter: 60%, exit: 55%, for: 0s, keep: 0s } }', {
    scopes: () => roster.open,
  });
  rig.governor.start();
  const scope = open('session', 'later');
  scope.charge(8 * MiB);
  rig.run(120);
  expect(rig.changes).toEqual([]);
  scope.budget = 10 * MiB;
  rig.run(2);
  expect(rig.changes.at(-1)).toMatchObject({ scope: scope.path, level: 'warning', limitBytes: 10 * MiB });
  scope.budget = 100 * MiB;
  rig.run(2);
  expect(rig.changes.at(-1)).toMatchObject({ scope: scope.path, level: 'normal' });
  scope.budget = 9 * MiB;
  rig.run(2);
  scope.budget = undefined;
  expect(rig.changes.at(-1)).toMatchObject({ scope: scope.path, level: 'normal', source: 'no-budget' });
  scope.budget = 9 * MiB;
  await scope.close();
});

test('a scope that no rule is about is not kept until the next walk', async () => {
  const scopes = new BudgetedScopes(policyOf(sessions), () => undefined);
  const add = (kind: string, budget?: number): WeakRef<TestScope> => {
    const scope = new TestScope(kind, 'x', budget === undefined ? {} : { budget });
    scopes.add(scope);
    return new WeakRef(scope);
  };
  const refs = [add('stage'), add('tool')];
  await collectUntil(() => refs.every((ref) => ref.deref() === undefined));
  expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined]);
  add('session');
  add('stage', MiB);
  expect(scopes.size).toBe(2);
});
