import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { registerKeeper } from '@plimsoll/core/keeper';
import { actionNames, actions } from '../policy/actions.ts';
import type { ActionName, OptionsOf } from '../policy/actions.ts';
import { runnerOf } from './action-runners.ts';
import type { ActionContext, ActionEffect, ActionPlan } from './action.ts';
import { policyOf } from '../level/governor.fixture.ts';
import { MiB, TestAdmission, TestKeeper, TestLeverScope } from '../ladder/ladder.fixture.ts';
import { StopGuard } from './stop-guard.ts';
import type { Levers } from './levers.ts';
import type { Hint } from './hint.ts';

const policy = policyOf('exempt: { scopes: [ "service:billing" ] }');

function contextOf<Name extends ActionName>(
  options: OptionsOf<Name>,
  levers: Levers,
  more: Partial<ActionContext> = {},
): ActionContext {
  return {
    scope: 'process',
    level: 'critical',
    change: {
      scope: 'process',
      level: 'critical',
      from: 'warning',
      ratio: 0.875,
      usedBytes: 350 * MiB,
      limitBytes: 400 * MiB,
      source: 'heap',
      rule: 'limits.heap (plimsoll.yaml)',
      at: 5,
      mode: 'enforce',
      policy: { revision: 1, sha256: 'x' },
    },
    usedBytes: 350 * MiB,
    limitBytes: 400 * MiB,
    options,
    policy,
    levers,
    guard: new StopGuard(policy.guards.destructive),
    nowMs: 0,
    timeoutMs: 1000,
    signal: new AbortController().signal,
    ...more,
  };
}

async function run<Name extends ActionName>(
  name: Name,
  options: OptionsOf<Name>,
  levers: Levers = {},
  more: Partial<ActionContext> = {},
): Promise<ActionEffect> {
  return runnerOf(name)?.run(contextOf(options, levers, more)) as ActionEffect | Promise<ActionEffect>;
}

function plan<Name extends ActionName>(
  name: Name,
  options: OptionsOf<Name>,
  levers: Levers = {},
  more: Partial<ActionContext> = {},
): ActionPlan {
  return runnerOf(name)?.plan(contextOf(options, levers, more)) as ActionPlan;
}

test('every action of the policy has a runner; holds can be let go of, and nothing else can', () => {
  for (const name of actionNames) {
    const runner = runnerOf(name);
    expect(runner, name).toBeDefined();
    expect(runner?.release !== undefined, name).toBe(actions[name].nature === 'holds');
  }
  expect(runnerOf('toString')).toBeUndefined();
});

test('without its lever an action is skipped and says so', async () => {
  const texts: string[] = [];
  for (const name of actionNames) {
    const options = name === 'delegation.clamp' ? { depth: 1 } : {};
    const effect = await run(name, options as never, { keepers: () => [] });
    if (effect.isSkipped === true) texts.push(`${name}: ${effect.text}`);
    expect(effect.releasedBytes).toBe(0);
  }
  expect(texts).toMatchInlineSnapshot(`
    [
      "signal.fast: this process takes no readings.",
      "hint: nothing subscribes to plimsoll:hint.",
      "timeouts.scale: no keeper has an idle timeout that scales.",
      "keepers.shrink: found no keeper that could give up anything.",
      "cache.drop: found no keeper that could drop anything.",
      "replay.trim: found no keeper that could trim anything.",
      "conversation.compact: found no keeper that could compact anything.",
      "gc.request: this process cannot ask for a collection.",
      "session.park: found no keeper that could park anything.",
      "delegation.clamp: nothing asks the shed points in this process.",
      "admit.throttle: nothing asks the shed points in this process.",
      "admit.refuse: nothing asks the shed points in this process.",
      "evidence: this process cannot keep evidence.",
      "scope.quarantine: nothing in this process lets work in or not.",
      "scope.stop: stops no scope: no scope holds 2 % of what is used.",
      "process.restart: this process may not end itself.",
    ]
  `);
});

describe('keepers', () => {
  test('shrink: each of its kind gives up the share; others are not asked', async () => {
    const [pool, cache, session] = ['pool', 'cache', 'session-cache'].map(
      (kind) => new TestKeeper(kind, 10 * MiB),
    );
    const keepers = [pool, cache, session, new TestKeeper('pool', 0)] as TestKeeper[];
    const effect = await run('keepers.shrink', { to: 0.6 }, { keepers: () => keepers });
    expect(effect).toEqual({
      text: 'made 2 keepers (1 pool, 1 cache) give up 8.0 MiB',
      releasedBytes: 8 * MiB,
    });
    expect(session?.asked).toEqual([]);
    await run('keepers.shrink', { kinds: ['session-cache'] }, { keepers: () => keepers });
    expect(session?.asked).toEqual([{ bytes: 3 * MiB + 1, reason: 'pressure' }]);
  });

  test('drop: all of it; trim: replay buffers; compact: so many turns stay', async () => {
    const keepers = ['pool', 'replay-buffer', 'conversation-window', 'conversation'].map(
      (kind) => new TestKeeper(kind, 8 * MiB),
    );
    const levers = { keepers: () => keepers };
    expect((await run('cache.drop', {}, levers)).text).toBe('made 1 keeper (1 pool) drop 8.0 MiB');
    expect((await run('replay.trim', {}, levers)).releasedBytes).toBe(6 * MiB);
    await run('conversation.compact', { 'keep-last': 40 }, levers);
    expect(keepers[2]?.asked).toEqual([{ bytes: 8 * MiB, reason: 'pressure', keepLast: 40 }]);
    expect(keepers[3]?.asked).toHaveLength(1);
    await run('conversation.compact', {}, { keepers: () => [new TestKeeper('conversation', MiB)] });
  });

  test('park: down to the target, each cache in proportion, in its order and batch', async () => {
    const keepers = [new TestKeeper('session-cache', 30 * MiB), new TestKeeper('parker', 10 * MiB)];
    const levers = { keepers: () => keepers };
    const effect = await run('session.park', { until: 0.85, batch: 7 }, levers);
    // 350 - 0.85 x 400 = 10 MiB.
    expect(effect.releasedBytes).toBe(10 * MiB);
    expect(keepers.map(({ asked }) => asked)).toEqual([
      [{ bytes: 7.5 * MiB, reason: 'pressure', order: 'idle-x-size', atMost: 7 }],
      [{ bytes: 2.5 * MiB, reason: 'pressure', order: 'idle-x-size', atMost: 7 }],
    ]);
    expect(await run('session.park', { until: 0.9 }, levers)).toMatchObject({
      isSkipped: true,
      text: 'is below 90 % already.',
    });
    expect(plan('session.park', {}, levers)).toMatchObject({ projectedBytes: 30 * MiB });
    const unsized = new TestKeeper('session-cache', 0);
    unsized.answer = () => 0;
    expect(plan('session.park', {}, { keepers: () => [unsized] }).text).toContain('of unknown size');
    await run('session.park', { batch: 7 }, { keepers: () => [unsized] });
    expect(unsized.asked).toMatchObject([{ bytes: 70 * MiB, atMost: 7 }]);
    expect(plan('session.park', { until: 0.9 }, levers).text).toBe(
      'would have found no keeper that could park anything.',
    );
  });

  test('for one scope only its own keepers are asked, and never those of an exempt one', async () => {
    const mine = new TestKeeper('pool', 10 * MiB);
    const inside = new TestKeeper('pool', 10 * MiB);
    const other = new TestKeeper('pool', 10 * MiB);
    const exempt = new TestKeeper('pool', 10 * MiB);
    const removes = [
      registerKeeper(mine, 'process/agent:a'),
      registerKeeper(inside, 'process/agent:a/session:1'),
      registerKeeper(other, 'process/agent:ab'),
      registerKeeper(exempt, 'process/service:billing'),
    ];
    await run('cache.drop', {}, {}, { scope: 'process/agent:a' });
    expect([mine, inside, other, exempt].map(({ bytes }) => bytes / MiB)).toEqual([0, 0, 10, 10]);
    await run('cache.drop', {});
    expect([other, exempt].map(({ bytes }) => bytes / MiB)).toEqual([0, 10]);
    for (const remove of removes) remove();
  });

  test('timeouts follow the pressure and come back', () => {
    const keeper = new TestKeeper('session-cache', MiB);
    const silent: TestKeeper = Object.assign(new TestKeeper('pool', MiB), { scaleIdle: undefined });
    const runner = runnerOf('timeouts.scale');
    const levers = { keepers: () => [keeper, silent] };
    void runner?.run(contextOf<'timeouts.scale'>({}, levers));
    // 87.5 % of the limit, between 55 % and 95 %.
    expect(keeper.scale).toBeCloseTo(0.1875);
    runner?.follow?.(contextOf<'timeouts.scale'>({ floor: 0.3 }, levers));
    expect(keeper.scale).toBe(0.3);
    runner?.follow?.(contextOf<'timeouts.scale'>({}, levers, { usedBytes: 10 * MiB }));
    expect(keeper.scale).toBe(1);
    runner?.release?.(levers);
    expect(plan('timeouts.scale', {}, levers).text).toBe(
      'would have scaled the idle timeouts of 1 keepers to 18.7 %.',
    );
  });
});

describe('shed points', () => {
  test('throttle by the pressure, refuse with exceptions, clamp what is given', async () => {
    class Told extends TestAdmission {
      readonly told: unknown[] = [];
      override throttle(order: { readonly ratio: number }): void {
        this.told.push(order);
      }
      override refuse(...orders: unknown[]): void {
        this.told.push(...orders);
      }
      override clamp(...orders: unknown[]): void {
        this.told.push(...orders);
      }
    }
    const admission = new Told();
    const levers = { admission };
    await run('admit.throttle', { scaled: { min: 0.8, max: 0.9 }, only: 'sheddable' }, levers);
    await run('admit.throttle', { 'retry-after': { min: 1, max: 2 } }, levers, { usedBytes: 0 });
    await run('admit.refuse', { except: ['tool'], only: 'normal' }, levers);
    await run('delegation.clamp', { depth: 2, 'fan-out': 3, concurrency: 4 }, levers);
    await run('delegation.clamp', { concurrency: 4 }, levers);
    expect(admission.told).toMatchInlineSnapshot(`
      [
        {
          "only": "sheddable",
          "ratio": 0.7499999999999997,
          "reason": "memory is at level critical",
        },
        {
          "ratio": 0,
          "reason": "memory is at level critical",
          "retryAfterMs": {
            "max": 2,
            "min": 1,
          },
        },
        {
          "except": [
            "tool",
          ],
          "only": "normal",
          "reason": "memory is at level critical",
          "retryAfterMs": {
            "max": 20000,
            "min": 5000,
          },
        },
        {
          "concurrency": 4,
          "depth": 2,
          "fanOut": 3,
          "reason": "memory is at level critical",
        },
        {
          "concurrency": 4,
          "reason": "memory is at level critical",
        },
      ]
    `);
    for (const name of ['admit.throttle', 'admit.refuse', 'delegation.clamp'])
      runnerOf(name)?.release?.(levers);
    expect(admission.orders).toEqual(['release throttle', 'release refuse', 'release clamp']);
    for (const name of ['admit.throttle', 'admit.refuse', 'delegation.clamp']) runnerOf(name)?.release?.({});
  });
});

describe('what is told and asked', () => {
  test('a hint reaches those who listen', async () => {
    const heard: Hint[] = [];
    const listener = (hint: unknown): void => void heard.push(hint as Hint);
    expect(plan('hint', {}).text).toContain('nothing subscribes');
    subscribe('plimsoll:hint', listener);
    const effect = await run('hint', {});
    expect(plan('hint', {}).text).toBe('would have published plimsoll:hint (pressure 87.5 %).');
    unsubscribe('plimsoll:hint', listener);
    expect(effect.text).toBe('published plimsoll:hint (pressure 87.5 %).');
    expect(heard).toEqual([
      {
        at: 5,
        scope: 'process',
        level: 'critical',
        ratio: 0.875,
        usedBytes: 350 * MiB,
        limitBytes: 400 * MiB,
      },
    ]);
  });

  test('readings come faster, a collection is asked for, evidence is kept', async () => {
    const asked: unknown[] = [];
    const levers: Levers = {
      hurry: (ms) => asked.push(ms),
      gc: () => asked.push('gc'),
      evidence: ({ signal: _, ...request }) => {
        asked.push(request);
        return Promise.resolve({ text: 'kept it in x.json.', files: ['x.json'] });
      },
    };
    expect((await run('signal.fast', {}, levers)).text).toBe('reads every 250 ms for 1 m.');
    expect((await run('gc.request', {}, levers)).text).toMatch(
      /^asked V8 for one full collection, which took/,
    );
    expect((await run('evidence', { snapshot: 'never' }, levers)).text).toBe('kept it in x.json.');
    expect(asked).toEqual([60_000, 'gc', { scope: 'process', timeoutMs: 1000, snapshot: 'never' }]);
    expect(plan('evidence', { snapshot: 'never' }).text).toBe(
      'would have kept counters and allocation sites.',
    );
    expect(runnerOf('gc.request')?.cooldownMs?.({ every: 5000 })).toBe(5000);
    expect(runnerOf('evidence')?.cooldownMs?.({})).toBe(600_000);
  });

  test('an alert says the numbers, and the forecast when that raised the level', async () => {
    const context = contextOf<'notify'>({}, {});
    const change = { ...context.change, timeToLimitMs: 45_000 };
    expect((await run('notify', {}, {}, { change })).text).toMatchInlineSnapshot(
      `"process holds 350.0 MiB of 400.0 MiB (88 %) by heap, level critical (was warning), at this growth the limit is reached in 45 s; rule limits.heap (plimsoll.yaml)."`,
    );
  });

  test('a restart says why; one that is refused is skipped', async () => {
    const asked: unknown[] = [];
    const levers: Levers = {
      restart: (request) => {
        asked.push(request);
        return { state: 'draining' };
      },
    };
    expect((await run('process.restart', {}, levers)).text).toMatchInlineSnapshot(
      `"drains for up to 30 s and ends the process: it holds 350.0 MiB of 400.0 MiB (88 %) at level critical and no rung of the ladder freed enough."`,
    );
    expect(asked).toMatchObject([{ drainMs: 30_000, jitterMs: 60_000, atMost: { count: 3 } }]);
    const refused = await run(
      'process.restart',
      {},
      { restart: () => ({ state: 'refused', why: 'too young' }) },
    );
    expect(refused).toMatchObject({ isSkipped: true, text: 'may not restart: too young.' });
    expect(plan('process.restart', { drain: 5000 })).toEqual({
      text: 'would have drained for up to 5 s and ended the process: it holds 350.0 MiB of 400.0 MiB (88 %) at level critical and no rung of the ladder freed enough.',
      projectedBytes: 350 * MiB,
    });
  });
});

describe('stopping scopes', () => {
  const session = (name: string, mib: number, more: Partial<TestLeverScope> = {}): TestLeverScope =>
    new TestLeverScope('session', name, mib * MiB, { budget: MiB, ...more });

  test('closes up to max of them and says who and why', async () => {
    const scopes = [
      session('a', 50),
      session('b', 30),
      ...Array.from({ length: 30 }, (_, i) => session(`s${i}`, 1)),
    ];
    const effect = await run('scope.stop', { max: 2 }, { scopes: () => scopes });
    expect(effect.releasedBytes).toBe(80 * MiB);
    expect(effect.text).toMatchInlineSnapshot(
      `"stopped process/session:a (50.0 MiB, 50.0x its budget, 1 m of work, normal); process/session:b (30.0 MiB, 30.0x its budget, 1 m of work, normal)"`,
    );
    expect(scopes.map(({ closedFor }) => closedFor).slice(0, 3)).toEqual([
      'stopped: process is at level critical',
      'stopped: process is at level critical',
      undefined,
    ]);
  });

  test('nobody is hit when nobody may be, and it says why', async () => {
    const levers = (scopes: TestLeverScope[], unattributed?: number): Levers => ({
      scopes: () => scopes,
      unattributedBytes: () => unattributed,
    });
    const service = new TestLeverScope('service', 'db', 90 * MiB);
    const spared = await run('scope.stop', {}, levers([session('a', 50, { leases: 1 }), service], 200 * MiB));
    expect(spared).toMatchObject({ isSkipped: true });
    expect(spared.text).toMatchInlineSnapshot(
      `"stops no scope: spared 1 in use, 1 of a kind that is not stopped; 200.0 MiB are in no scope, so stops cannot free them."`,
    );
    expect(plan('scope.stop', {}, levers([])).text).toMatchInlineSnapshot(
      `"would have found no scope to stop: no scope holds 2 % of what is used."`,
    );
    expect(plan('scope.stop', {}, levers([session('a', 50)], 200 * MiB))).toMatchObject({
      victims: ['process/session:a'],
      text: expect.stringContaining('200.0 MiB are in no scope'),
    });
  });

  test('one that does not close in time is told; the guard waits for it', async () => {
    const slow = session('slow', 100);
    slow.onClose = () => new Promise(() => undefined);
    const guard = new StopGuard(policy.guards.destructive);
    const controller = new AbortController();
    const stopping = run('scope.stop', {}, { scopes: () => [slow] }, { guard, signal: controller.signal });
    controller.abort();
    expect((await stopping).text).toContain('(not all of them gone in time)');
    const again = await run('scope.stop', {}, { scopes: () => [session('b', 90)] }, { guard });
    expect(again.text).toBe('stops no scope: process/session:slow was stopped and is not gone yet.');
  });
});
