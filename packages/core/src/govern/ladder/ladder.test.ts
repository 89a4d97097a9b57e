import { describe, expect, test } from 'vitest';
import { policyOf } from '../governor.fixture.ts';
import { LadderRig, MiB } from './ladder.fixture.ts';

const enforce = (ladder: string, more = ''): string => `mode: enforce\n${more}\nladder:\n${ladder}`;

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

  test('a rise goes on where the lower level ended', async () => {
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

describe('what is held', () => {
  const holds = enforce(
    '  warning: [ timeouts.scale ]\n  critical:\n    - keepers.shrink\n    - delegation.clamp: { fan-out: 2 }\n    - admit.throttle\n  emergency: [ admit.refuse ]',
  );

  test('is let go of when its level falls, each at its own', async () => {
    using rig = new LadderRig(holds);
    const cache = rig.keeper('session-cache', MiB);
    rig.level('emergency');
    await rig.run(5);
    expect(rig.ladder.holding).toEqual([
      'timeouts.scale',
      'delegation.clamp',
      'admit.throttle',
      'admit.refuse',
    ]);
    expect(rig.admission).toMatchObject({ isRefusing: true, isClamped: true, throttling: 1 });
    expect(cache.scale).toBe(0.1);
    rig.level('critical');
    expect(rig.admission).toMatchObject({ isRefusing: false, isClamped: true });
    rig.live = 340 * MiB;
    await rig.run(1);
    expect(rig.admission.throttling).toBeCloseTo(1 / 3);
    expect(cache.scale).toBeCloseTo(0.25);
    rig.level('normal');
    expect(rig.ladder.holding).toEqual([]);
    expect(rig.admission).toMatchObject({ isRefusing: false, isClamped: false, throttling: undefined });
    expect(cache.scale).toBe(1);
    expect(rig.texts().filter((text) => text.startsWith('ladder.release'))).toMatchInlineSnapshot(`
      [
        "ladder.release done: let go of admit.refuse after 4 s: level fell to critical.",
        "ladder.release done: let go of timeouts.scale after 5 s: level fell to normal.",
        "ladder.release done: let go of delegation.clamp after 5 s: level fell to normal.",
        "ladder.release done: let go of admit.throttle after 5 s: level fell to normal.",
      ]
    `);
  });

  test('a refusal is paired with the rungs that free: they run again while it holds', async () => {
    using rig = new LadderRig(
      enforce('  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse ]', 'settle: { again: 10s }'),
    );
    const pool = rig.keeper('pool', 100 * MiB);
    pool.answer = () => 0;
    rig.level('emergency');
    await rig.run(60);
    expect(rig.admission.isRefusing).toBe(true);
    expect(rig.admission.orders).toEqual(['refuse']);
    expect(pool.asked.length).toBeGreaterThan(3);
  });

  test('a level that falls while a rung runs leaves nothing in force', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse ]'));
    rig.level('emergency');
    await rig.run(3);
    expect(rig.admission.isRefusing).toBe(true);
    rig.ladder.stop();
    expect(rig.admission.isRefusing).toBe(false);
  });

  test('a level that falls and rises again while an action runs begins no second one', async () => {
    using rig = new LadderRig(enforce('  warning: [ keepers.shrink, cache.drop ]'));
    rig.live = 350 * MiB;
    let finish: (bytes: number) => void = () => undefined;
    rig.keeper('pool', MiB).answer = () => new Promise((resolve) => (finish = resolve));
    rig.level('warning');
    await rig.run(2);
    rig.level('normal');
    await rig.run(2);
    rig.level('critical');
    await rig.run(2);
    expect(rig.story()).toEqual(['keepers.shrink running']);
    finish(MiB);
    await rig.run(5);
    // The new episode begins its own round, once the old action is over.
    expect(rig.story()).toEqual([
      'keepers.shrink running',
      'keepers.shrink done 0.0',
      'keepers.shrink running',
    ]);
    rig.level('normal');
    finish(MiB);
    await rig.run(2);
    expect(rig.ladder.counts.inFlight).toBe(0);
    expect(rig.records.at(-1)).toMatchObject({ outcome: 'done', freedBytes: null });
  });

  test('two rungs of one action: the lower one is in force again when the higher one ends', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, admit.refuse: { only: sheddable } ]\n  emergency: [ admit.refuse ]',
      ),
    );
    rig.level('emergency');
    await rig.run(3);
    expect(rig.admission.orders).toEqual(['refuse', 'refuse']);
    rig.level('critical');
    expect(rig.admission.orders).toEqual(['refuse', 'refuse', 'release refuse', 'refuse']);
    expect(rig.admission.isRefusing).toBe(true);
    rig.level('normal');
    expect(rig.admission.isRefusing).toBe(false);
  });

  test('refusing that does not help ends by itself', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse, admit.throttle ]',
        'guards: { self-disable: { shed-share: 50%, for: 60s } }',
      ),
    );
    rig.level('emergency');
    await rig.run(100, () => {
      rig.admission.admitted += 10;
      if (rig.admission.isRefusing) rig.admission.refused += 90;
    });
    expect(rig.admission.isRefusing).toBe(false);
    expect(rig.records.find(({ action }) => action === 'self-disable')?.text).toMatchInlineSnapshot(
      `"refused 90 % of the work for 1 m and the pressure did not fall; refuses nothing until the level is normal or the policy changes."`,
    );
    await rig.run(100);
    expect(rig.admission.isRefusing).toBe(false);
    rig.level('normal');
    rig.level('emergency');
    await rig.run(5);
    expect(rig.admission.isRefusing).toBe(true);
  });

  test('refusing goes on while pressure falls, or while most of the work is let in', async () => {
    const text = enforce(
      '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse ]',
      'guards: { self-disable: { shed-share: 50%, for: 30s } }',
    );
    using falling = new LadderRig(text);
    falling.level('emergency');
    await falling.run(100, () => {
      falling.admission.refused += 90;
      falling.live -= 0.3 * MiB;
    });
    expect(falling.admission.isRefusing).toBe(true);
    using little = new LadderRig(text);
    little.level('emergency');
    await little.run(100, () => {
      little.admission.refused += 40;
      little.admission.admitted += 60;
    });
    expect(little.admission.isRefusing).toBe(true);
  });
});

describe('the way out of stuck', () => {
  const restart = enforce(
    '  critical: [ keepers.shrink ]\n  emergency: [ process.restart: { after: 60s, drain: 5s, jitter: 1s, at-most: 2/h } ]',
  );

  test('an emergency that stands although every rung ran is restarted, once', async () => {
    using rig = new LadderRig(restart);
    rig.keeper('pool', MiB);
    rig.level('emergency');
    await rig.run(59);
    expect(rig.restarts).toEqual([]);
    await rig.run(200);
    expect(rig.restarts).toMatchInlineSnapshot(`
      [
        {
          "atMost": {
            "count": 2,
            "perMs": 3600000,
          },
          "drainMs": 5000,
          "jitterMs": 1000,
          "level": "emergency",
          "reason": "it holds 389.5 MiB of 400.0 MiB (97 %) at level emergency and no rung of the ladder freed enough",
          "scope": "process",
        },
      ]
    `);
    expect(rig.story().at(-1)).toBe('process.restart done');
  });

  test('time during which the loop was blocked does not count', async () => {
    using rig = new LadderRig(restart);
    rig.level('emergency');
    await rig.run(10);
    rig.clock.stall(600_000);
    rig.tick(1000);
    expect(rig.restarts).toEqual([]);
  });

  test('below the exit line there is no emergency to end', async () => {
    using rig = new LadderRig(restart);
    rig.level('emergency');
    await rig.run(50);
    rig.live = 350 * MiB;
    await rig.run(1);
    rig.live = 390 * MiB;
    await rig.run(50);
    expect(rig.restarts).toEqual([]);
  });

  test('rungs that always free something cannot put it off for ever', async () => {
    using rig = new LadderRig(restart);
    const pool = rig.keeper('pool', 1000 * MiB);
    rig.level('emergency');
    await rig.run(200, () => {
      pool.bytes = 1000 * MiB;
      rig.live = 390 * MiB;
    });
    expect(rig.restarts).toHaveLength(1);
  });

  test('refusing most of the work for minutes without relief is stuck too, below emergency', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, admit.throttle ]\n  emergency: [ process.restart: { after: 60s } ]',
        'guards: { self-disable: { for: 2m } }',
      ),
    );
    rig.live = 370 * MiB;
    rig.level('critical');
    await rig.run(110, () => {
      rig.admission.refused += 90;
      rig.admission.admitted += 10;
    });
    expect(rig.restarts).toEqual([]);
    await rig.run(30, () => {
      rig.admission.refused += 90;
      rig.admission.admitted += 10;
    });
    expect(rig.restarts).toMatchObject([{ level: 'critical' }]);
  });

  test('a restart that is refused is told, and tried again', async () => {
    using rig = new LadderRig(restart);
    rig.restartAnswer = { state: 'refused', why: '2 restarts in the last hour' };
    rig.level('emergency');
    await rig.run(200);
    expect(rig.restarts.length).toBeGreaterThan(1);
    expect(
      rig
        .texts()
        .filter((text) => /stuck|restart/.test(text))
        .slice(0, 2),
    ).toMatchInlineSnapshot(`
      [
        "process.restart skipped: may not restart: 2 restarts in the last hour.",
        "stuck failed: every rung ran and process still holds 390.0 MiB of 400.0 MiB (98 %); it could not be restarted, so a human has to end it.",
      ]
    `);
  });

  test('a policy without a restart says that a human has to act', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink ]\n  emergency: [ notify ]'));
    rig.level('emergency');
    await rig.run(400);
    const stuck = rig.texts().filter((text) => text.startsWith('stuck'));
    expect(stuck).toHaveLength(2);
    expect(stuck[0]).toMatchInlineSnapshot(
      `"stuck failed: every rung ran and process still holds 390.0 MiB of 400.0 MiB (98 %); the policy has no process.restart, so a human has to end it."`,
    );
  });

  test('a ladder that only tells is never stuck', async () => {
    using rig = new LadderRig(enforce('  emergency: [ notify ]'));
    rig.level('emergency');
    await rig.run(400);
    expect(rig.story()).toEqual(['notify done']);
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
        "hint would-have: would have told nobody, for nobody listens, that the pressure is 97.5 %.",
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

describe('approvals', () => {
  const asked = enforce(
    '  critical:\n    - keepers.shrink\n    - scope.stop: { approval: operator }\n    - admit.throttle',
    'settle: { again: 5s }',
  );

  test('a rung that needs one files a ticket and the ladder goes on', async () => {
    using rig = new LadderRig(asked);
    rig.live = 350 * MiB;
    rig.scope('session', 'big', 120 * MiB);
    rig.level('critical');
    await rig.run(3);
    expect(rig.story()).toEqual(['keepers.shrink skipped', 'scope.stop waiting', 'admit.throttle done']);
    const [ticket] = rig.tickets;
    expect(ticket).toMatchObject({
      approval: 'operator',
      action: 'scope.stop',
      level: 'critical',
      args: { victims: ['process/session:big'] },
      requestedBy: 'ladder.critical (plimsoll.yaml:7)',
    });
    expect(ticket?.evidence).toMatchInlineSnapshot(`
      {
        "level": "critical",
        "limitBytes": 419430400,
        "projectedBytes": 125829120,
        "usedBytes": 367001600,
        "victims": "process/session:big",
      }
    `);
    await rig.run(30);
    expect(rig.tickets).toHaveLength(1);
  });

  test('what was approved hits the approved and nobody else, once, in turn', async () => {
    using rig = new LadderRig(asked);
    rig.live = 350 * MiB;
    const big = rig.scope('session', 'big', 120 * MiB);
    rig.level('critical');
    await rig.run(3);
    const bigger = rig.scope('session', 'bigger', 150 * MiB);
    rig.live += 150 * MiB;
    expect(rig.tickets[0]?.isStillValid()).toBe(true);
    rig.tickets[0]?.run('user:ann');
    expect(big.closedFor).toBeUndefined();
    await rig.run(5);
    expect(big.closedFor).toBeDefined();
    expect(bigger.closedFor).toBeUndefined();
    const waiting = rig.records.find(({ outcome }) => outcome === 'waiting');
    expect(rig.records.filter(({ id }) => id === waiting?.id).map(({ outcome }) => outcome)).toEqual([
      'waiting',
      'running',
      'done',
    ]);
  });

  test('a ticket is not valid any more when the level, the pressure, the victim or the policy has gone', async () => {
    const fresh = async (): Promise<LadderRig> => {
      const rig = new LadderRig(asked);
      rig.live = 350 * MiB;
      rig.scope('session', 'big', 120 * MiB);
      rig.level('critical');
      await rig.run(3);
      return rig;
    };
    const valid = (rig: LadderRig): boolean | undefined => rig.tickets[0]?.isStillValid();
    using level = await fresh();
    expect(valid(level)).toBe(true);
    level.level('warning');
    expect(valid(level)).toBe(false);
    using pressure = await fresh();
    pressure.live = 100 * MiB;
    expect(valid(pressure)).toBe(false);
    using victim = await fresh();
    victim.scopes = [];
    expect(valid(victim)).toBe(false);
    using policy = await fresh();
    policy.ladder.setPolicy(policyOf(asked));
    expect(valid(policy)).toBe(false);
    policy.tickets[0]?.run('user:ann');
    expect(policy.records.at(-1)).toMatchObject({ outcome: 'skipped', text: 'approved too late.' });
    using stopped = await fresh();
    stopped.ladder.stop();
    expect(valid(stopped)).toBe(false);
  });

  test('a refused ticket is told, and the rung may ask again later', async () => {
    using rig = new LadderRig(asked);
    rig.live = 350 * MiB;
    rig.scope('session', 'big', 120 * MiB);
    rig.level('critical');
    await rig.run(3);
    rig.tickets[0]?.onRefused?.('denied');
    expect(rig.records.at(-1)).toMatchObject({ outcome: 'skipped', text: 'approval "operator": denied.' });
    await rig.run(10);
    expect(rig.tickets).toHaveLength(2);
  });

  test('approved while pressure falls: it does not run', async () => {
    using rig = new LadderRig(asked);
    rig.live = 350 * MiB;
    const big = rig.scope('session', 'big', 120 * MiB);
    rig.level('critical');
    await rig.run(3);
    rig.tickets[0]?.run('user:ann');
    rig.live = 100 * MiB;
    await rig.run(2);
    expect(big.closedFor).toBeUndefined();
    expect(rig.records.at(-1)?.text).toBe('approved, but the pressure has fallen.');
  });

  test('with nobody to take tickets, a full desk, or nobody to hit, the rung is skipped', async () => {
    using none = new LadderRig(asked, { approvals: undefined });
    none.scope('session', 'big', 120 * MiB);
    none.level('critical');
    await none.run(3);
    expect(none.texts()).toContain(
      'scope.stop skipped: needs the approval "operator", and nobody takes tickets in this process.',
    );
    using full = new LadderRig(asked, { approvals: { request: () => ({ id: 'x', state: 'refused-full' }) } });
    full.scope('session', 'big', 120 * MiB);
    full.level('critical');
    await full.run(3);
    expect(full.texts().find((text) => text.startsWith('scope.stop'))).toContain('"operator": refused-full.');
    using nobody = new LadderRig(asked);
    nobody.level('critical');
    await nobody.run(3);
    expect(nobody.texts()).toContain(
      'scope.stop skipped: would have found nobody to stop: no scope holds 2 % of what is used.',
    );
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
