import { describe, expect, test } from 'vitest';
import { enforce, LadderRig, MiB } from './ladder.fixture.ts';

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
        "ladder.release done: ended admit.refuse after 4 s: level fell to critical.",
        "ladder.release done: ended timeouts.scale after 5 s: level fell to normal.",
        "ladder.release done: ended delegation.clamp after 5 s: level fell to normal.",
        "ladder.release done: ended admit.throttle after 5 s: level fell to normal.",
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

  test('refusing that does not help ends by itself below emergency, and begins again there', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink, admit.refuse, admit.throttle ]',
        'guards: { self-disable: { shed-share: 50%, for: 60s } }',
      ),
    );
    rig.level('critical');
    await rig.run(100, () => {
      rig.admission.admitted += 10;
      if (rig.admission.isRefusing) rig.admission.refused += 90;
    });
    expect(rig.admission.isRefusing).toBe(false);
    expect(rig.records.find(({ action }) => action === 'self-disable')?.text).toMatchInlineSnapshot(
      `"refused 90 % of the work for 1 m and the pressure did not fall; refuses nothing until the level is normal or emergency, or the policy changes."`,
    );
    await rig.run(100);
    expect(rig.admission.isRefusing).toBe(false);
    rig.level('emergency');
    await rig.run(5);
    expect(rig.admission.isRefusing).toBe(true);
  });

  test('an emergency is never left without its refusal, however little that helps', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse ]',
        'guards: { self-disable: { shed-share: 50%, for: 60s } }',
      ),
    );
    rig.level('emergency');
    await rig.run(600, () => {
      rig.admission.refused += 90;
    });
    expect(rig.admission.isRefusing).toBe(true);
    expect(rig.texts().find((text) => text.startsWith('stuck'))).toContain('no process.restart');
  });

  test('refusing goes on while pressure falls, or while most of the work is let in', async () => {
    const text = enforce(
      '  critical: [ keepers.shrink, admit.refuse ]',
      'guards: { self-disable: { shed-share: 50%, for: 30s } }',
    );
    using falling = new LadderRig(text);
    falling.level('critical');
    await falling.run(100, () => {
      falling.admission.refused += 90;
      falling.live -= 0.3 * MiB;
    });
    expect(falling.admission.isRefusing).toBe(true);
    using little = new LadderRig(text);
    little.level('critical');
    await little.run(100, () => {
      little.admission.refused += 40;
      little.admission.admitted += 60;
    });
    expect(little.admission.isRefusing).toBe(true);
  });
});
