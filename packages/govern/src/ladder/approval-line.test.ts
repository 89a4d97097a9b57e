import { describe, expect, test } from 'vitest';
import { policyOf } from '../level/governor.fixture.ts';
import { enforce, LadderRig, MiB } from './ladder.fixture.ts';

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
      'scope.stop skipped: needs the approval "operator", and this process takes no tickets.',
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
      'scope.stop skipped: would have found no scope to stop: no scope holds 2 % of what is used.',
    );
  });
});
