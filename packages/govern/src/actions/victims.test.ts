import { describe, expect, test } from 'vitest';
import { builtInPolicy } from '../policy/built-in.ts';
import type { Policy } from '../policy/policy.ts';
import { policyOf } from '../level/governor.fixture.ts';
import { MiB, TestLeverScope } from '../ladder/ladder.fixture.ts';
import { StopGuard } from './stop-guard.ts';
import type { VictimChoice, VictimRules } from './victims.ts';
import { chooseVictims } from './victims.ts';

const session = (name: string, bytes: number, more: Partial<TestLeverScope> = {}): TestLeverScope =>
  new TestLeverScope('session', name, bytes * MiB, more);

function choose(
  scopes: readonly TestLeverScope[],
  rules: Partial<VictimRules> = {},
  policy: Policy = builtInPolicy,
  path = 'process',
): VictimChoice {
  return chooseVictims(scopes, { path, usedBytes: 400 * MiB }, policy, 400 * MiB, {
    pick: 'least-waste',
    atLeastRatio: 0.02,
    ...rules,
  });
}

const names = ({ victims }: VictimChoice): string[] => victims.map(({ scope }) => scope.name);

describe('who is stopped', () => {
  test('the one that frees the most for the least work lost', () => {
    const scopes = [
      session('old', 100, { ageMs: 3_600_000 }),
      session('young', 80, { ageMs: 40_000 }),
      session('idle', 80, { ageMs: 3_600_000, idleMs: 3_590_000 }),
      ...Array.from({ length: 20 }, (_, i) => session(`small ${i}`, 1)),
    ];
    expect(names(choose(scopes))).toEqual(['idle', 'young', 'old']);
    expect(names(choose(scopes, { pick: 'largest' }))).toEqual(['old', 'young', 'idle']);
  });

  test('a newcomer is not free prey: half a minute of work counts at least', () => {
    const [victim] = choose([session('new', 100, { ageMs: 10 })]).victims;
    expect(victim).toMatchObject({ workLostMs: 30_000, overRatio: 1, ofKind: 1 });
  });

  test('one that counts as idle by its rule loses little work, however long it worked before', () => {
    const policy = policyOf('budgets: { sessions: { "*": { idle: 10m } } }');
    const worked = { ageMs: 7_200_000, idleMs: 900_000 };
    expect(choose([session('idle', 90, worked)], {}, policy).victims[0]?.workLostMs).toBe(30_000);
    expect(choose([session('idle', 90, worked)]).victims[0]?.workLostMs).toBe(6_300_000);
  });

  test('being over its budget weighs, by the rule or by its code', () => {
    const policy = policyOf('budgets: { sessions: { "*": { max: 40MiB } } }');
    const scopes = [session('a', 80), session('b', 60, { budget: 10 * MiB })];
    expect(choose(scopes, {}, policy).victims.map(({ scope, overRatio }) => [scope.name, overRatio])).toEqual(
      [
        ['b', 6],
        ['a', 2],
      ],
    );
  });

  test('priority comes first: sheddable before normal before critical', () => {
    const policy = policyOf(
      'budgets: { sessions: { "*": { max: 1MiB }, c: { priority: critical }, s: { priority: sheddable } } }',
    );
    expect(names(choose([session('c', 100), session('n', 80), session('s', 20)], {}, policy))).toEqual([
      's',
      'n',
      'c',
    ]);
  });

  test('never who is leased, exempt or of a kind that is not stopped', () => {
    const policy = policyOf('exempt: { scopes: [ "session:vip" ] }');
    const vip = session('vip', 50);
    const service = new TestLeverScope('service', 'db', 90 * MiB);
    const scopes = [
      session('leased', 100, { leases: 1 }),
      vip,
      new TestLeverScope('run', 'inside', 40 * MiB, { parent: vip }),
      service,
    ];
    const choice = choose(scopes, {}, policy);
    expect(choice).toEqual({
      victims: [],
      spared: { leased: 1, exempt: 2, kind: 1, 'like its class': 0 },
    });
    expect(names(choose([service], { kinds: ['service'] }))).toEqual(['db']);
  });

  test('when all grow alike, stopping one helps nobody; twice the others is an outlier', () => {
    const alike = [session('a', 50), session('b', 50), session('c', 60)];
    expect(choose(alike)).toMatchObject({ victims: [], spared: { 'like its class': 3 } });
    expect(names(choose([session('a', 50), session('b', 50), session('c', 100)]))).toEqual(['c']);
  });

  test('who holds little is not worth it; live heap in no scope is nobody', () => {
    expect(choose([session('tiny', 7)])).toMatchObject({ victims: [] });
    expect(names(choose([session('tiny', 7)], { atLeastRatio: 0.01 }))).toEqual(['tiny']);
    expect(choose([new TestLeverScope('unattributed', 'unattributed', 300 * MiB)])).toMatchObject({
      victims: [],
      spared: { kind: 0 },
    });
  });

  test('of a scope and one inside it only one is stopped, and the outer one loses the work of all', () => {
    const agent = new TestLeverScope('agent', 'a', 100 * MiB, { ageMs: 1000 });
    const inner = session('inner', 90, { parent: agent, ageMs: 600_000, budget: MiB });
    const [victim, ...others] = choose([agent, inner]).victims;
    expect(others).toEqual([]);
    expect(victim?.scope.name).toBe('inner');
    const busy = new TestLeverScope('agent', 'busy', 200 * MiB, { ageMs: 1000 });
    const children = Array.from({ length: 10 }, (_, i) =>
      session(`s${i}`, 5, { parent: busy, ageMs: 90_000 }),
    );
    expect(choose([busy, ...children]).victims[0]).toMatchObject({ workLostMs: 901_000 });
  });

  test('for one scope: itself and what is inside it', () => {
    const [a, b] = [session('a', 100), session('b', 200)];
    const run = new TestLeverScope('run', 'r', 90 * MiB, { parent: a, ageMs: 1000 });
    expect(names(choose([a, b, run], {}, builtInPolicy, a.path))).toEqual(['r']);
    expect(names(choose([a, b], {}, builtInPolicy, a.path))).toEqual([]);
    a.budget = MiB;
    expect(names(choose([a, b], {}, builtInPolicy, a.path))).toEqual(['a']);
  });
});

describe('the guard of destruction', () => {
  const rules = { rate: { count: 3, perMs: 60_000 }, shareOfWorkRatio: 0.1 };

  test('allows so many in any stretch of time', () => {
    const guard = new StopGuard({ ...rules, shareOfWorkRatio: 1 });
    for (let i = 0; i < 3; i++) {
      expect(guard.refuses(i * 1000, 'session', 100)).toBeUndefined();
      guard.take(i * 1000, 'session', 's')();
    }
    expect(guard.refuses(59_999, 'session', 100)).toBe('guards.destructive.rate allows 3/m');
    expect(guard.refuses(60_000, 'session', 100)).toBeUndefined();
    guard.take(60_000, 'session', 's')();
    expect(guard.refuses(60_999, 'session', 100)).toBeDefined();
    expect(guard.counts.held).toBe(2);
  });

  test('allows a share of each kind, and one always', () => {
    const guard = new StopGuard(rules);
    guard.take(0, 'session', 's')();
    expect(guard.refuses(0, 'session', 9)).toBe(
      'guards.destructive.share-of-work allows 1 of 10 of kind session',
    );
    expect(guard.refuses(0, 'session', 19)).toBeUndefined();
    expect(guard.refuses(0, 'run', 1)).toBeUndefined();
    guard.setRules({ rate: { count: 1, perMs: 1500 }, shareOfWorkRatio: 1 });
    expect(guard.refuses(0, 'run', 1)).toBe('guards.destructive.rate allows 1 per 2 s');
  });

  test('one target until it is gone or counts as leaked', () => {
    const guard = new StopGuard(rules);
    const gone = guard.take(0, 'session', 'process/session:a');
    expect(guard.blockedBy(29_000)).toBe('process/session:a was stopped and is not gone yet');
    gone();
    expect(guard.blockedBy(29_000)).toBeUndefined();
    guard.take(30_000, 'session', 'process/session:b');
    expect(guard.blockedBy(59_999)).toBeDefined();
    expect(guard.blockedBy(60_000)).toBeUndefined();
    expect(guard.counts.leaked).toBe(1);
  });
});
