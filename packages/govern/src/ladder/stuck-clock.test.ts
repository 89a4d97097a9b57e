import { describe, expect, test } from 'vitest';
import { enforce, LadderRig, MiB } from './ladder.fixture.ts';

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

  test('time below the exit line is taken off, so half of the time in emergency is none to end', async () => {
    using rig = new LadderRig(restart);
    rig.level('emergency');
    for (let i = 0; i < 10; i++) {
      rig.live = 390 * MiB;
      await rig.run(20);
      rig.live = 350 * MiB;
      await rig.run(20);
    }
    expect(rig.restarts).toEqual([]);
  });

  test('an emergency that falls and comes back within seconds goes on where it was', async () => {
    using rig = new LadderRig(restart);
    for (let i = 0; i < 4 && rig.restarts.length === 0; i++) {
      rig.level('emergency');
      rig.live = 390 * MiB;
      await rig.run(40);
      rig.level('critical');
      await rig.run(8);
    }
    expect(rig.restarts).toHaveLength(1);
  });

  test('refusing that only just holds the pressure below the line is stuck, too', async () => {
    using rig = new LadderRig(
      enforce(
        '  critical: [ keepers.shrink ]\n  emergency: [ admit.refuse, process.restart: { after: 60s } ]',
      ),
    );
    rig.level('emergency');
    await rig.run(5);
    expect(rig.admission.isRefusing).toBe(true);
    rig.live = 355 * MiB;
    await rig.run(120);
    expect(rig.restarts).toHaveLength(1);
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
