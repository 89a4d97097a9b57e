import { describe, expect, test } from 'vitest';
import { policyOf } from '../level/governor.fixture.ts';
import { enforce, LadderRig, MiB } from './ladder.fixture.ts';

describe('one rung after the other', () => {
  test('the next rung runs only after a major GC showed that the last one freed too little', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink, cache.drop, replay.trim ]'));
    rig.gcEvery = 0;
    rig.live = 350 * MiB;
    rig.keeper('pool', 10 * MiB);
    rig.keeper('replay-buffer', 10 * MiB);
    rig.level('critical');
    await rig.run(5);
    expect(rig.story()).toEqual(['keepers.shrink running']);
    rig.majors++;
    await rig.run(2);
    expect(rig.story()).toEqual(['keepers.shrink running', 'keepers.shrink done 6.0', 'cache.drop running']);
    expect(rig.ladder.rows.map(({ outcome }) => outcome)).toEqual(['done', 'settling']);
    expect(rig.texts()[1]).toMatchInlineSnapshot(
      `"keepers.shrink done: made 2 keepers (1 pool, 1 replay-buffer) give up 6.0 MiB; live bytes fell by 6.0 MiB (1.7 %)."`,
    );
  });

  test('a collection before the end of an async action does not count as its effect', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink, cache.drop ]'));
    rig.gcEvery = 0;
    rig.live = 350 * MiB;
    let finish: (bytes: number) => void = () => undefined;
    rig.keeper('pool', 10 * MiB).answer = () => new Promise((resolve) => (finish = resolve));
    rig.level('critical');
    await rig.run(2);
    rig.majors++;
    finish(MiB);
    await rig.run(3);
    expect(rig.ladder.rows.map(({ outcome }) => outcome)).toEqual(['settling']);
    rig.majors++;
    await rig.run(1);
    expect(rig.ladder.rows[0]?.outcome).toBe('done');
  });

  test('without a major GC it goes on after settle.at-most, a third of it at emergency, and claims nothing', async () => {
    for (const [level, seconds] of [
      ['critical', 15],
      ['emergency', 5],
    ] as const) {
      using rig = new LadderRig(enforce('  warning: [ keepers.shrink, cache.drop ]'));
      rig.gcEvery = 0;
      rig.keeper('pool', MiB);
      rig.level(level);
      await rig.run(seconds);
      expect(rig.records).toHaveLength(1);
      await rig.run(3);
      expect(rig.records[1]).toMatchObject({ outcome: 'done', freedBytes: null });
      expect(rig.records[1]?.text).toContain(`no major GC came within ${seconds} s to show the effect`);
      expect(rig.records[2]).toMatchObject({ action: 'cache.drop' });
    }
  });

  test('a rung that freed enough is run again before one that hurts more, and nothing runs once the ratio is below exit', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink: { to: 60% }, cache.drop ]'));
    rig.live = 380 * MiB;
    rig.keeper('pool', 180 * MiB);
    rig.level('critical');
    await rig.run(30);
    expect(rig.story()).toEqual([
      'keepers.shrink running',
      'keepers.shrink done 72.0',
      'keepers.shrink running',
      'keepers.shrink done 43.2',
    ]);
    expect(rig.live / rig.limit).toBeLessThan(0.75);
  });

  test('rungs that free nothing do not wait for each other; the rungs of lower levels come first', async () => {
    using rig = new LadderRig(
      enforce(
        '  warning: [ notify, keepers.shrink ]\n  emergency: [ notify, admit.refuse, delegation.clamp: { depth: 2 } ]',
      ),
    );
    rig.level('emergency');
    await rig.run(1);
    expect(rig.story()).toEqual([
      'notify done',
      'keepers.shrink skipped',
      'notify done',
      'admit.refuse done',
      'delegation.clamp done',
    ]);
  });

  test('a rise begins again at the rungs that freed something, and passes over those that did not', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ cache.drop, session.park: { until: 10%, batch: 50 }, admit.throttle ]\n  emergency: [ admit.refuse ]',
      ),
    );
    rig.live = 340 * MiB;
    const cache = rig.keeper('cache', 10 * MiB);
    cache.answer = () => 0;
    const sessions = rig.keeper('session-cache', 300 * MiB);
    // A batch frees too little, so the ladder goes on; the level rises although 290 MiB could still be parked.
    sessions.answer = () => sessions.give(5 * MiB);
    rig.level('critical');
    await rig.run(8);
    expect(rig.admission.throttling).toBeDefined();
    expect([cache.asked.length, sessions.asked.length]).toEqual([1, 1]);
    rig.live = 390 * MiB;
    rig.level('emergency');
    await rig.run(2);
    expect([cache.asked.length, sessions.asked.length]).toEqual([1, 2]);
    expect(rig.admission.isRefusing).toBe(false);
    await rig.run(10);
    expect(rig.admission.isRefusing).toBe(true);
  });

  test('one sentence about nothing to do is told once for all scopes, then counted', async () => {
    using rig = new LadderRig(enforce('  warning: [ hint ]'));
    for (let i = 0; i < 20; i++) {
      rig.level('warning');
      await rig.run(2);
      rig.level('normal');
      await rig.run(1);
    }
    expect(rig.texts()).toEqual(['hint skipped: nothing subscribes to plimsoll:hint.']);
    expect(rig.ladder.counts.skipped).toBe(20);
  });

  test('a rise tells what its own rungs say', async () => {
    using rig = new LadderRig(
      enforce('  warning: [ notify ]\n  critical: [ notify ]\n  emergency: [ notify ]'),
    );
    rig.level('warning');
    await rig.run(3);
    rig.level('emergency');
    await rig.run(3);
    expect(rig.records.map(({ rule }) => rule)).toEqual([
      'ladder.warning (plimsoll.yaml:5)',
      'ladder.critical (plimsoll.yaml:6)',
      'ladder.emergency (plimsoll.yaml:7)',
    ]);
    rig.level('warning');
    await rig.run(1);
    rig.level('critical');
    await rig.run(1);
    expect(rig.records).toHaveLength(4);
  });

  test('while the level stands the list is run again after a rest', async () => {
    using rig = new LadderRig(
      enforce('  critical: [ notify, keepers.shrink, gc.request: { every: 60s } ]', 'settle: { again: 20s }'),
    );
    rig.live = 350 * MiB;
    const pool = rig.keeper('pool', 100 * MiB);
    pool.answer = () => 0;
    rig.level('critical');
    await rig.run(100);
    expect(pool.asked.length).toBeGreaterThanOrEqual(4);
    expect(pool.asked.length).toBeLessThanOrEqual(5);
    expect(rig.collections).toBe(2);
    expect(rig.records.filter(({ action }) => action === 'notify')).toHaveLength(1);
  });
});

describe('scopes', () => {
  test('have a ladder of their own, without the rungs that are about the process', async () => {
    using rig = new LadderRig(
      enforce('  warning: [ notify ]\n  critical: [ keepers.shrink, gc.request, admit.throttle, notify ]'),
    );
    const standing = { id: 7, usedBytes: 9 * MiB, limitBytes: 8 * MiB };
    rig.ladder.change(rig.changeOf('critical', 'normal', 'process/session:7'), standing);
    await rig.run(3);
    expect(rig.records.map(({ action, scope }) => `${action} ${scope}`)).toEqual([
      'notify process/session:7',
      'keepers.shrink process/session:7',
      'notify process/session:7',
    ]);
    expect(rig.collections).toBe(0);
  });

  test('that stay over their budget are told once', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink, scope.stop ]', 'settle: { again: 1s }'));
    const standing = { id: 7, usedBytes: 9 * MiB, limitBytes: 8 * MiB };
    rig.ladder.change(rig.changeOf('emergency', 'normal', 'process/session:7'), standing);
    await rig.run(400);
    const stuck = rig.texts().filter((text) => text.startsWith('stuck'));
    expect(stuck).toMatchInlineSnapshot(`
      [
        "stuck failed: every rung ran and process/session:7 still holds 9.0 MiB of 8.0 MiB (113 %); a human has to look at it.",
      ]
    `);
  });

  test('at most eight actions of scopes run at once, and none keeps the process waiting', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, scope.stop ]',
        'guards: { destructive: { rate: 1000/s, share-of-work: 100% } }',
      ),
    );
    let closing = 0;
    for (let i = 0; i < 20; i++) {
      const scope = rig.scope('session', String(i), 9 * MiB, { budget: 8 * MiB });
      scope.onClose = () => {
        closing++;
        return new Promise(() => undefined);
      };
      const standing = { id: scope.id, usedBytes: 9 * MiB, limitBytes: 8 * MiB };
      rig.ladder.change(rig.changeOf('critical', 'normal', scope.path), standing);
    }
    rig.tick();
    await rig.run(2);
    expect(rig.ladder.counts.inFlight).toBeLessThanOrEqual(8);
    // The first target blocks the others until it counts as leaked.
    expect(closing).toBe(1);
    rig.keeper('pool', MiB);
    rig.level('critical');
    await rig.run(2);
    expect(rig.records.some(({ scope, action }) => scope === 'process' && action === 'keepers.shrink')).toBe(
      true,
    );
  });

  test('a scope that closes ends its ladder; what was in flight is told', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink, scope.stop ]'));
    const scope = rig.scope('session', 'a', 9 * MiB, { budget: 8 * MiB });
    const standing = { id: scope.id, usedBytes: 9 * MiB, limitBytes: 8 * MiB };
    rig.ladder.change(rig.changeOf('critical', 'normal', scope.path), standing);
    await rig.run(3);
    expect(scope.closedFor).toBe('stopped: process/session:a is at level critical');
    rig.ladder.change(
      { ...rig.changeOf('normal', 'critical', scope.path), source: 'closed' },
      { ...standing, usedBytes: 0 },
    );
    expect(rig.records.at(-1)).toMatchObject({ action: 'scope.stop', outcome: 'done', freedBytes: 9 * MiB });
    expect(rig.records.at(-1)?.text).toMatchInlineSnapshot(
      `"stopped process/session:a (9.0 MiB, 1.1x its budget, 1 m of work, normal); the scope is gone."`,
    );
  });
});

describe('modes', () => {
  test('shadow reports what it would have done, with numbers and victims, and stops where that would have been enough', async () => {
    using rig = new LadderRig(
      `mode: shadow\nladder:
  warning: [ notify, hint, signal.fast, timeouts.scale ]
  critical:
    - keepers.shrink: { to: 50% }
    - cache.drop
    - replay.trim
    - conversation.compact: { keep-last: 40 }
    - gc.request
    - session.park
    - delegation.clamp: { depth: 2, fan-out: 3, concurrency: 8 }
    - admit.throttle: { only: sheddable }
  emergency:
    - evidence
    - admit.refuse: { except: [ tool ], retry-after: 1s..9s }
    - scope.stop: { max: 2 }
    - process.restart: { after: 30s }`,
    );
    rig.keeper('pool', 4 * MiB);
    rig.keeper('session-cache', 20 * MiB);
    rig.keeper('conversation-window', 2 * MiB);
    rig.scope('session', 'small', MiB);
    rig.scope('session', 'big', 120 * MiB, { idleMs: 30_000 });
    rig.scope('session', 'leased', 80 * MiB, { leases: 1 });
    rig.level('emergency');
    await rig.run(70);
    expect(rig.keepers.flatMap((keeper) => keeper.asked)).toEqual([]);
    expect(rig.admission.orders).toEqual([]);
    expect(rig.restarts).toEqual([]);
    expect(rig.texts()).toMatchInlineSnapshot(`
      [
        "notify would-have: would have raised an alert: process holds 390.0 MiB of 400.0 MiB (98 %) by heap, level emergency (was normal); rule limits.heap (plimsoll.yaml).",
        "hint would-have: would have published plimsoll:hint (pressure 97.5 %), but nothing subscribes.",
        "signal.fast would-have: would have read every 250 ms for 1 m.",
        "timeouts.scale would-have: would have scaled the idle timeouts of 3 keepers to 10 %.",
        "keepers.shrink would-have: would have made 1 keeper (1 pool) give up at most 2.0 MiB.",
        "cache.drop would-have: would have made 1 keeper (1 pool) drop at most 4.0 MiB.",
        "replay.trim would-have: would have found no keeper that could trim anything.",
        "conversation.compact would-have: would have made 1 keeper (1 conversation-window) compact at most 2.0 MiB.",
        "gc.request would-have: would have asked V8 for one full collection.",
        "session.park would-have: would have made 1 keeper (1 session-cache) park at most 20.0 MiB.",
        "delegation.clamp would-have: would have clamped delegations: depth to 2, fan-out to 3, concurrency to 8.",
        "admit.throttle would-have: would have refused 100 % of new sheddable work, following the pressure.",
        "evidence would-have: would have kept counters and allocation sites, and a heap snapshot if it fits.",
        "admit.refuse would-have: would have refused new work but tool, to come back in 1 s to 9 s.",
        "scope.stop would-have: would have stopped process/session:big (120.0 MiB, 30 s of work, normal).",
      ]
    `);
    expect(rig.records.find(({ action }) => action === 'scope.stop')).toMatchObject({
      victims: ['process/session:big'],
      releasedBytes: 120 * MiB,
    });
  });

  test('a rung may be in another mode than the policy; observe does nothing', async () => {
    using rig = new LadderRig(
      `mode: observe\nladder: { critical: [ keepers.shrink: { mode: shadow }, cache.drop: { mode: enforce }, replay.trim ] }`,
    );
    rig.live = 350 * MiB;
    rig.keeper('pool', MiB);
    rig.keeper('replay-buffer', MiB);
    rig.level('critical');
    await rig.run(5);
    expect(rig.story()).toEqual(['keepers.shrink would-have', 'cache.drop running', 'cache.drop done 1.0']);
  });
});

describe('another policy in the middle', () => {
  test('what is in flight ends under its own policy, the next rung comes from the new one', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink, cache.drop ]', 'revision: 1'));
    rig.gcEvery = 0;
    rig.live = 350 * MiB;
    let finish: (bytes: number) => void = () => undefined;
    rig.keeper('pool', 10 * MiB).answer = () => new Promise((resolve) => (finish = resolve));
    rig.level('critical');
    await rig.run(1);
    rig.ladder.setPolicy(policyOf(enforce('  critical: [ keepers.shrink, gc.request ]', 'revision: 2')));
    await rig.run(2);
    expect(rig.story()).toEqual(['keepers.shrink running']);
    finish(MiB);
    await rig.run(2);
    rig.majors++;
    await rig.run(2);
    expect(
      rig.records.map(({ action, outcome, policy }) => `${action} ${outcome} ${policy.revision}`),
    ).toEqual([
      'keepers.shrink running 1',
      'keepers.shrink done 1',
      'gc.request settling 2',
      'gc.request done 2',
    ]);
  });

  test('what is held stays in force as the new policy says it, or is let go of', async () => {
    const text = (refuse: string): string =>
      enforce(`  critical: [ keepers.shrink, admit.throttle ]\n  emergency: [ ${refuse} ]`);
    using rig = new LadderRig(text('admit.refuse'));
    rig.level('emergency');
    await rig.run(3);
    rig.ladder.setPolicy(policyOf(text('admit.refuse: { only: sheddable }')));
    expect(rig.admission.orders).toEqual(['throttle', 'refuse', 'refuse']);
    expect(rig.ladder.holding).toEqual(['admit.throttle', 'admit.refuse']);
    rig.ladder.setPolicy(policyOf(text('admit.refuse: { mode: shadow }')));
    expect(rig.admission.isRefusing).toBe(false);
    expect(rig.admission.throttling).toBe(1);
    rig.ladder.setPolicy(policyOf('mode: observe'));
    expect(rig.ladder.holding).toEqual([]);
    await rig.run(50);
    expect(rig.ladder.holding).toEqual([]);
  });
});
