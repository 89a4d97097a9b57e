import { channel } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { FakeClock } from '@plimsoll/core/internal/sense/fake-clock';
import { Rig, policyOf } from '../level/governor.fixture.ts';
import type { Levers } from '../actions/levers.ts';
import { enforce, LadderRig, MiB, TestAdmission, TestKeeper, turn } from './ladder.fixture.ts';

const never = (): Promise<number> => new Promise(() => undefined);

describe('an action that goes wrong', () => {
  test('one that throws or rejects counts as failed and the ladder goes on', async () => {
    using rig = new LadderRig(
      enforce('  critical: [ keepers.shrink, gc.request, evidence, admit.throttle, scope.stop ]'),
      {
        gc: () => {
          throw new Error('no gc here');
        },
        evidence: () => Promise.reject(new Error('disk full')),
      },
    );
    rig.keeper('pool', MiB).answer = () => {
      throw new Error('mine');
    };
    rig.level('critical');
    await rig.run(5);
    expect(rig.texts().filter((text) => text.includes('failed'))).toMatchInlineSnapshot(`
      [
        "keepers.shrink failed: the action "keepers.shrink" failed: Error: every keeper failed, first pool "pool 0": Error: mine.",
        "gc.request failed: the action "gc.request" failed: Error: no gc here.",
        "evidence failed: the action "evidence" failed: Error: disk full.",
      ]
    `);
    expect(rig.admission.throttling).toBeDefined();
    expect(rig.ladder.counts).toMatchObject({ failed: 3, inFlight: 0 });
  });

  test('one that hangs is given up after its time, and not begun again before it ends', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ evidence: { timeout: 3s, cooldown: 0ms }, cache.drop ]',
        'settle: { again: 1s }',
      ),
      { evidence: never as unknown as NonNullable<Levers['evidence']> },
    );
    rig.keeper('pool', MiB);
    rig.level('critical');
    await rig.run(3);
    expect(rig.story()).toEqual(['evidence running']);
    await rig.run(20);
    expect(rig.texts()).toContain(
      'evidence failed: the action "evidence" failed: it did not end within 3 s.',
    );
    expect(rig.records.filter(({ action }) => action === 'evidence')).toHaveLength(2);
    expect(rig.records.some(({ action }) => action === 'cache.drop')).toBe(true);
    rig.level('normal');
    rig.level('critical');
    await rig.run(10);
    expect(rig.records.filter(({ action }) => action === 'evidence')).toHaveLength(2);
  });

  test('an answer after it was given up only ends the hanging', async () => {
    let finish: (value: { text: string; files: string[] }) => void = () => undefined;
    using rig = new LadderRig(
      enforce(
        '  critical: [ evidence: { timeout: 3s, cooldown: 0ms }, keepers.shrink ]',
        'settle: { again: 1s }',
      ),
      { evidence: () => new Promise((resolve) => (finish = resolve)) },
    );
    rig.level('critical');
    await rig.run(8);
    const before = rig.records.filter(({ action }) => action === 'evidence');
    finish({ text: 'late', files: [] });
    await turn();
    expect(rig.records.filter(({ action }) => action === 'evidence')).toEqual(before);
    await rig.run(5);
    expect(rig.records.filter(({ action }) => action === 'evidence').length).toBeGreaterThan(2);
  });

  test('one keeper that hangs does not void what the others gave', async () => {
    using rig = new LadderRig(enforce('  critical: [ keepers.shrink: { to: 50%, timeout: 2s } ]'));
    rig.live = 350 * MiB;
    rig.keeper('pool', 10 * MiB);
    rig.keeper('cache', 10 * MiB).answer = never;
    rig.keeper('cache', 10 * MiB).answer = () => Promise.reject(new Error('mine'));
    rig.keeper('cache', 10 * MiB).answer = () => Number.NaN;
    rig.level('critical');
    await rig.run(6);
    expect(rig.records.at(-1)?.text).toMatchInlineSnapshot(
      `"made 4 keepers (1 pool, 3 cache) give up 5.0 MiB (1 failed, first cache "cache 2": Error: mine; 1 did not answer in time); live bytes fell by 5.0 MiB (1.4 %)."`,
    );
  });

  test('a keeper whose bytes cannot be told holds nothing; a scope that cannot be closed counts as leaked', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, scope.stop: { timeout: 1s } ]',
        'settle: { again: 1s }\nguards: { destructive: { share-of-work: 100% } }',
      ),
    );
    const keeper = rig.keeper('pool', MiB);
    Object.defineProperty(keeper, 'bytes', {
      get: () => {
        throw new Error('mine');
      },
    });
    const scope = rig.scope('session', 'a', 200 * MiB);
    scope.onClose = () => Promise.reject(new Error('mine'));
    rig.level('critical');
    await rig.run(20);
    expect(keeper.asked).toEqual([]);
    expect(scope.closedFor).toBeDefined();
    rig.scope('session', 'b', 200 * MiB);
    await rig.run(5);
    expect(rig.texts().at(-1)).toContain('process/session:a was stopped and is not gone yet');
    await rig.run(20);
    expect(rig.ladder.counts.leaked).toBe(1);
    expect(rig.scopes[1]?.closedFor).toBeDefined();
  });

  test('levers that throw while something is held or let go of harm nobody', async () => {
    class Broken extends TestAdmission {
      override throttle(): void {
        throw new Error('mine');
      }
      override release(): void {
        throw new Error('mine');
      }
    }
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, delegation.clamp: { depth: 1 }, admit.throttle, timeouts.scale ]',
      ),
      { admission: new Broken() },
    );
    rig.keepers.push(
      Object.assign(new TestKeeper('session-cache', MiB), {
        scaleIdle: () => {
          throw new Error('mine');
        },
      }),
    );
    rig.level('critical');
    await rig.run(3);
    rig.level('normal');
    expect(rig.ladder.holding).toEqual([]);
  });
});

describe('in the governor', () => {
  const text = enforce(
    '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse, process.restart: { after: 60s } ]',
    'signal: { grace: 0s, stale: 15s }',
  );
  const levers = (): { admission: TestAdmission; restarts: number; levers: Levers } => {
    const made = { admission: new TestAdmission(), restarts: 0 };
    const all: Levers = {
      keepers: () => [],
      admission: made.admission,
      restart: () => {
        made.restarts++;
        return { state: 'draining' };
      },
    };
    return Object.assign(made, { levers: all });
  };

  test('nothing acts while readings are missing, and what was blocked does not count as time', () => {
    const made = levers();
    using rig = new Rig(text, made);
    rig.liveBytes = 399 * MiB;
    rig.run(10);
    expect(made.admission.isRefusing).toBe(true);
    rig.clock.advance(600_000);
    expect(rig.governor.stale).toBe(true);
    expect(made.restarts).toBe(0);
    rig.run(5);
    expect(made.restarts).toBe(0);
    rig.run(70);
    expect(made.restarts).toBe(1);
  });

  test('a jump of the wall clock changes nothing', () => {
    const made = levers();
    using rig = new Rig(text, made);
    rig.liveBytes = 399 * MiB;
    rig.run(10);
    rig.clock.jump(-86_400_000);
    rig.run(10);
    rig.clock.jump(2 * 86_400_000);
    rig.run(10);
    expect(made.restarts).toBe(0);
    expect(made.admission.orders).toEqual(['refuse']);
  });

  test('levels that fall let go; stopping the governor too', () => {
    const made = levers();
    using rig = new Rig(text, made);
    rig.liveBytes = 399 * MiB;
    rig.run(10);
    rig.liveBytes = 10 * MiB;
    rig.run(130);
    expect(made.admission.orders).toEqual(['refuse', 'release refuse']);
    rig.liveBytes = 399 * MiB;
    rig.run(10);
    rig.governor.stop();
    expect(made.admission.isRefusing).toBe(false);
    rig.ladder.tick({ majors: 1 }, 0, 1000);
    rig.ladder.setPolicy(policyOf(text));
    rig.ladder.change({} as never, { id: 0, usedBytes: 1, limitBytes: 1 });
    rig.ladder.stop();
  });

  test('a scope over its budget is governed on its own, also after a reload', () => {
    const scoped = enforce(
      '  warning: [ notify ]\n  critical: [ notify ]',
      'signal: { grace: 0s }\nbudgets: { sessions: { "*": { max: 8MiB } } }',
    );
    using rig = new Rig(scoped);
    const session = rig.open('session', 'a');
    session.account.held = 5.5 * MiB;
    rig.run(35);
    expect(rig.ladder.rows.map(({ scope }) => scope)).toEqual(['process/session:a']);
    rig.governor.setPolicy(policyOf(scoped));
    session.account.held = 7 * MiB;
    rig.run(15);
    expect(rig.ladder.rows.map(({ level }) => level)).toEqual(['warning', 'critical']);
    session.account.closed = true;
    rig.run(2);
  });

  test('a subscriber is told of every record; nobody has to listen', () => {
    const heard: unknown[] = [];
    const listener = (record: unknown): void => void heard.push(record);
    channel('plimsoll:action').subscribe(listener);
    using rig = new Rig(enforce('  emergency: [ notify ]', 'signal: { grace: 0s }'));
    rig.liveBytes = 399 * MiB;
    rig.run(5);
    channel('plimsoll:action').unsubscribe(listener);
    expect(heard).toHaveLength(1);
    expect(rig.ladder.rows).toEqual(heard);
    expect(new FakeClock().waiting).toBe(0);
  });
});
