import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ActionRecord } from '../actions/action.ts';
import { MiB, Rig, policyOf, noGrace, sessions, warnings } from './governor.fixture.ts';
import type { LevelChange } from './level-change.ts';
import { limitPolicyOf } from './limit-policy.ts';
import type { Undo } from './governor.fixture.ts';

afterEach(() => vi.restoreAllMocks());

/** Collects the messages of a channel until it goes out of scope. */
function listen(name: string, messages: unknown[]): Undo {
  const listener = (message: unknown): void => void messages.push(message);
  subscribe(name, listener);
  return { [Symbol.dispose]: () => void unsubscribe(name, listener) };
}

describe('the process', () => {
  test('a leak raises warning, critical, emergency, and recovery lowers them again', () => {
    using rig = new Rig(noGrace);
    const published: LevelChange[] = [];
    using _channel = listen('plimsoll:level', published);
    rig.run(200, (i) => (rig.liveBytes = (150 + 1.3 * i) * MiB));
    rig.liveBytes = 20 * MiB;
    rig.run(70);
    expect(rig.story()).toEqual([
      'process normal > warning (heap)',
      'process warning > critical (heap)',
      'process critical > emergency (heap)',
      'process emergency > normal (heap)',
    ]);
    expect(published).toEqual(rig.changes);
    expect(rig.changes[0]).toMatchObject({
      ratio: expect.closeTo(0.696, 2),
      limitBytes: 400 * MiB,
      rule: 'limits.heap (plimsoll.yaml)',
      mode: 'observe',
      policy: { revision: 0 },
    });
    expect(rig.changes[0]?.at).toBe(Date.UTC(2026, 0, 1) + 100_000);
  });

  test('is calm below every line, and neither while a level begins nor while it is raised', () => {
    using rig = new Rig(noGrace);
    rig.liveBytes = 100 * MiB;
    rig.run(3);
    expect(rig.governor.isCalm).toBe(true);
    rig.liveBytes = 285 * MiB;
    rig.run(1);
    expect([rig.governor.level, rig.governor.isCalm]).toEqual(['normal', false]);
    rig.run(40);
    rig.liveBytes = 100 * MiB;
    rig.run(1);
    expect([rig.governor.level, rig.governor.isCalm]).toEqual(['warning', false]);
    rig.run(70);
    expect([rig.governor.level, rig.governor.isCalm]).toEqual(['normal', true]);
  });

  test('each source recovers on its own: a calm heap does not lower a level that the container holds', () => {
    using rig = new Rig(noGrace);
    const both = (heap: number, cgroup: number): void => {
      rig.override = {
        pressures: [
          { source: 'heap', used: heap * MiB, limit: 400 * MiB },
          { source: 'cgroup', used: cgroup * MiB, limit: 600 * MiB },
        ],
      };
    };
    both(340, 500);
    rig.run(15);
    expect(rig.governor.level).toBe('critical');
    both(40, 500);
    rig.run(120);
    expect(rig.governor.level).toBe('critical');
    expect(rig.governor.raised()[0]).toMatchObject({ source: 'cgroup', rule: 'the control group' });
    both(40, 100);
    rig.run(70);
    expect(rig.governor.level).toBe('normal');
    expect(rig.changes).toHaveLength(2);
  });

  test('raw use counts only at the emergency line and without a major GC for a minute', () => {
    using rig = new Rig(noGrace);
    rig.override = { heapUsed: 398 * MiB, floorAgeMs: 30_000 };
    rig.run(30);
    expect(rig.governor.level).toBe('normal');
    rig.override = { heapUsed: 398 * MiB, floorAgeMs: 70_000 };
    rig.run(5);
    expect(rig.governor.level).toBe('emergency');
  });

  test('before the first major GC the used heap counts as an upper bound, and a look at the collector is asked for', () => {
    let looks = 0;
    using rig = new Rig(noGrace, { look: () => looks++ });
    rig.withoutFloor = true;
    rig.liveBytes = 200 * MiB;
    rig.run(40);
    expect([rig.governor.level, looks]).toEqual(['normal', 0]);
    rig.liveBytes = 250 * MiB;
    rig.run(40);
    expect(rig.story()).toEqual(['process normal > warning (heap)']);
    expect(looks).toBe(40);
    // The look found that most of it was garbage.
    rig.withoutFloor = false;
    rig.override = { heapUsed: 250 * MiB, floor: 20 * MiB };
    rig.liveBytes = 20 * MiB;
    rig.run(70);
    expect([rig.governor.level, looks]).toEqual(['normal', 40]);
  });

  test('a floor above the limit is an emergency at the first reading, in the first minute as well', () => {
    using rig = new Rig('');
    rig.liveBytes = 480 * MiB;
    rig.run(1);
    expect(rig.story()).toEqual(['process normal > emergency (heap)']);
  });

  test('a collector that thrashes lifts the level by one, a calm one does not', () => {
    using rig = new Rig(noGrace);
    const heap = { source: 'heap' as const, used: 330 * MiB, limit: 400 * MiB };
    rig.override = { floor: 330 * MiB, pressures: [heap] };
    rig.run(15);
    expect(rig.governor.level).toBe('critical');
    rig.override = { floor: 330 * MiB, pressures: [{ ...heap, strained: true }] };
    rig.run(1);
    expect(rig.governor.level).toBe('emergency');
    // In a heap that is half empty collector load is no sign of the end.
    using roomy = new Rig(noGrace);
    roomy.override = { pressures: [{ ...heap, used: 100 * MiB, strained: true }] };
    roomy.run(15);
    expect(roomy.governor.level).toBe('normal');
  });

  test('a control group that thrashes lifts the level by one', () => {
    using rig = new Rig(noGrace);
    rig.override = { pressures: [{ source: 'cgroup', used: 330 * MiB, limit: 400 * MiB, strained: true }] };
    rig.run(15);
    expect(rig.story().at(-1)).toBe('process warning > emergency (cgroup)');
  });

  test('the forecast leaves room for the next table of a growing Map', () => {
    const run = (requestBytes: number): Rig => {
      const rig = new Rig(noGrace);
      rig.run(20, (i) => {
        rig.liveBytes = (100 + i) * MiB;
        rig.majors = i;
        rig.override = {
          pressures: [{ source: 'heap', used: rig.liveBytes, limit: 400 * MiB, requestBytes }],
        };
      });
      return rig;
    };
    using plain = run(0);
    expect(plain.governor.level).toBe('normal');
    using map = run(235 * MiB);
    expect(map.story()).toEqual(['process normal > warning (heap)']);
  });

  test('three rising floors that reach the limit within a minute lift the level', () => {
    using rig = new Rig(noGrace);
    rig.run(12, (i) => {
      rig.liveBytes = (100 + 6 * i) * MiB;
      rig.majors = i;
    });
    expect(rig.story()).toEqual(['process normal > warning (heap)']);
    expect(rig.changes[0]?.timeToLimitMs).toBeLessThan(60_000);
    expect(rig.governor.timeToLimitMs).toBeLessThan(60_000);
  });

  test('in the first minute only an emergency rises', () => {
    using rig = new Rig('');
    rig.liveBytes = 350 * MiB;
    expect(rig.governor.intervalMs).toBe(1000);
    rig.run(59);
    // Above the critical line the next reading comes soon, although the level waits.
    expect([rig.governor.level, rig.governor.intervalMs]).toEqual(['normal', 250]);
    rig.run(3);
    expect(rig.governor.level).toBe('critical');
    expect(rig.governor.intervalMs).toBe(250);
  });

  test('caps of the policy are sources too: rss, native, and the global budget with its reserve', () => {
    const policy = policyOf(
      `${noGrace}\nlimits: { rss: { max: 100MiB }, native: { max: 64MiB }, heap: { usable: 70% } }\nbudgets: { global: { max: 300MiB, reserve: 50MiB } }`,
    );
    expect(limitPolicyOf(policy)).toEqual({ heapRatio: 0.7, nativeBytes: 64 * MiB, processBytes: 250 * MiB });
    using rig = new Rig(policy);
    rig.override = { rss: 99 * MiB };
    rig.run(4);
    expect(rig.changes[0]).toMatchObject({ source: 'rss', limitBytes: 100 * MiB, level: 'emergency' });
    rig.override = {
      rss: 0,
      pressures: [
        { source: 'policy', used: 249 * MiB, limit: 250 * MiB },
        { source: 'native', used: 63 * MiB, limit: 64 * MiB },
        { source: 'heap', used: 200 * MiB, limit: 400 * MiB },
      ],
    };
    rig.run(4);
    expect(rig.governor.raised()[0]).toMatchObject({
      source: 'policy',
      rule: 'budgets.global (plimsoll.yaml:4)',
    });
  });

  test('a global percentage scales every limit', () => {
    using rig = new Rig(`${noGrace}\nbudgets: { global: { max: 50%, reserve: 20MiB } }`);
    rig.liveBytes = 179 * MiB;
    rig.run(4);
    expect(rig.changes[0]).toMatchObject({ level: 'emergency', limitBytes: 180 * MiB });
  });

  test('a limit that a new policy drops takes its level along', () => {
    using rig = new Rig(`${noGrace}\nlimits: { rss: { max: 100MiB } }`);
    rig.override = { rss: 99 * MiB };
    rig.run(4);
    rig.governor.setPolicy(policyOf(noGrace));
    rig.run(1);
    expect(rig.story().at(-1)).toBe('process emergency > normal (heap)');
  });
});

describe('policy swap', () => {
  test('keeps levels, applies new limits, and ends levels of scopes without a budget', () => {
    using rig = new Rig(sessions);
    const a = rig.open('session', 'a');
    const b = rig.open('session', 'vip-b');
    a.account.held = 9 * MiB;
    b.account.held = 20 * MiB;
    rig.run(5);
    rig.changes.length = 0;
    rig.governor.setPolicy(
      policyOf(`${noGrace}\nrevision: 2\nbudgets: { sessions: { "vip-*": { max: 100MiB } } }`),
    );
    expect(rig.story()).toEqual(['process/session:a emergency > normal (no-budget)']);
    expect(rig.governor.raised()).toMatchObject([{ scope: 'process/session:vip-b', limitBytes: 100 * MiB }]);
    rig.run(70);
    expect(rig.changes.at(-1)).toMatchObject({
      scope: 'process/session:vip-b',
      level: 'normal',
      policy: { revision: 2 },
    });
    rig.governor.setPolicy(rig.governor.policy);
  });

  test('a listener may swap the policy in the middle of a walk', () => {
    using rig = new Rig(sessions);
    const next = policyOf(`${sessions}\nrevision: 9`);
    const all = Array.from({ length: 20 }, (_, i) => rig.open('session', String(i)));
    for (const scope of all) scope.account.held = 9 * MiB;
    rig.run(4);
    rig.governor.onLevel(() => rig.governor.setPolicy(next));
    for (const scope of all.slice(0, 10)) {
      scope.account.closed = true;
      rig.scopes.delete(scope);
    }
    rig.run(3);
    expect(rig.governor.policy.revision).toBe(9);
    expect(rig.governor.raised()).toHaveLength(10);
    expect(rig.changes.filter(({ source }) => source === 'closed')).toHaveLength(10);
    expect(rig.governor.counts).toMatchObject({ budgeted: 10, watched: 10 });
  });
});

describe('the ladder', () => {
  const ladder = (mode: string): string =>
    `${noGrace}\nmode: ${mode}\nladder:\n  warning: [ notify ]\n  critical: [ notify: { mode: enforce } ]`;

  test('enforce acts, with the rungs of every level a rise reaches', () => {
    const actions: ActionRecord[] = [];
    using _channel = listen('plimsoll:action', actions);
    using rig = new Rig(ladder('enforce'));
    rig.liveBytes = 399 * MiB;
    rig.run(4);
    expect(actions.map(({ action, outcome, rule }) => `${action} ${outcome} ${rule}`)).toEqual([
      'notify done ladder.warning (plimsoll.yaml:5)',
      'notify done ladder.critical (plimsoll.yaml:6)',
    ]);
    expect(actions[0]?.text).toMatchInlineSnapshot(
      `"process holds 399.0 MiB of 400.0 MiB (100 %) by heap, level emergency (was normal); rule limits.heap (plimsoll.yaml)."`,
    );
    rig.liveBytes = MiB;
    rig.run(70);
    expect(actions).toHaveLength(2);
  });

  test('shadow says what it would have done; a rung may have its own mode', () => {
    const actions: ActionRecord[] = [];
    using _channel = listen('plimsoll:action', actions);
    using rig = new Rig(ladder('shadow'));
    rig.liveBytes = 350 * MiB;
    rig.run(12);
    expect(actions.map(({ outcome, mode, text }) => `${outcome} ${mode}: ${text}`)).toMatchInlineSnapshot(`
      [
        "would-have shadow: would have raised an alert: process holds 350.0 MiB of 400.0 MiB (88 %) by heap, level critical (was normal); rule limits.heap (plimsoll.yaml).",
        "done enforce: process holds 350.0 MiB of 400.0 MiB (88 %) by heap, level critical (was normal); rule limits.heap (plimsoll.yaml).",
      ]
    `);
  });

  test('observe runs nothing but a rung that enforces for itself', () => {
    const actions: ActionRecord[] = [];
    using _channel = listen('plimsoll:action', actions);
    using rig = new Rig(ladder('observe'));
    rig.run(12, (i) => {
      rig.liveBytes = (150 + 9 * i) * MiB;
      rig.majors = i;
    });
    expect(actions).toEqual([]);
    expect(rig.changes).toHaveLength(1);
    rig.liveBytes = 350 * MiB;
    rig.run(15);
    expect(actions.map(({ mode }) => mode)).toEqual(['enforce']);
  });

  test('an action that throws is recorded as failed and harms nobody', () => {
    const warned: string[] = [];
    using _warnings = warnings(warned);
    const actions: ActionRecord[] = [];
    using _channel = listen('plimsoll:action', actions);
    const policy = policyOf(ladder('enforce'));
    const rung = { ...(policy.ladder.warning[0] as (typeof policy.ladder.warning)[0]), action: 'gone' };
    using rig = new Rig({ ...policy, ladder: { ...policy.ladder, warning: [rung] } });
    rig.liveBytes = 399 * MiB;
    rig.run(4);
    expect(actions.map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
    expect(warned).toEqual(['PLM_GOVERN_ACTION']);
  });
});

describe('never hurts the host', () => {
  test('a listener that throws does not keep others from hearing', () => {
    const warned: string[] = [];
    using _warnings = warnings(warned);
    using rig = new Rig(noGrace);
    const heard: string[] = [];
    rig.governor.onLevel(() => {
      throw new Error('mine');
    });
    const stop = rig.governor.onLevel(({ level }) => heard.push(level));
    rig.liveBytes = 399 * MiB;
    rig.run(4);
    expect(heard).toEqual(['emergency']);
    expect(warned).toEqual(['PLM_GOVERN_LISTENER']);
    stop();
    rig.liveBytes = MiB;
    rig.run(70);
    expect(heard).toEqual(['emergency']);
  });

  test('without readings levels are held, the mode is observe and a warning is given once', () => {
    const warned: string[] = [];
    using _warnings = warnings(warned);
    using rig = new Rig(`${noGrace}\nmode: enforce`);
    rig.governor.start();
    rig.governor.start();
    rig.liveBytes = 399 * MiB;
    rig.run(4);
    expect([rig.governor.mode, rig.governor.stale]).toEqual(['enforce', false]);
    rig.clock.advance(40_000);
    expect([rig.governor.mode, rig.governor.stale, rig.governor.level]).toEqual([
      'observe',
      true,
      'emergency',
    ]);
    expect(warned).toEqual(['PLM_GOVERN_STALE']);
    rig.run(1);
    expect([rig.governor.mode, rig.governor.level]).toEqual(['enforce', 'emergency']);
  });

  test('a jump of the wall clock and a stalled loop raise nothing', () => {
    using rig = new Rig(noGrace);
    rig.liveBytes = 399 * MiB;
    rig.run(1);
    rig.clock.jump(-3_600_000);
    rig.clock.stall(30_000);
    rig.override = { lateMs: 29_000 };
    rig.run(1);
    expect(rig.changes).toEqual([]);
    rig.override = {};
    rig.run(2);
    expect(rig.story()).toEqual(['process normal > emergency (heap)']);
  });

  test('a reading without any limit is taken', () => {
    using rig = new Rig(sessions);
    rig.open('session', '1');
    rig.override = { pressures: [] };
    rig.run(3);
    expect(rig.changes).toEqual([]);
  });
});
