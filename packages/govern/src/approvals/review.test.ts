import { describe, expect, test } from 'vitest';
import { DeskRig, policyWith, ruleOf, codeOf } from './desk.fixture.ts';

describe('emergency', () => {
  test('the policy lets it run where the rule says so, and people review it with a comment', () => {
    using rig = new DeskRig(ruleOf({ breakGlass: 'emergency' }), ruleOf({ name: 'human' }));
    const broken = rig.ask();
    const scoped = rig.ask({ scope: 'process/agent:a', args: { n: 2 }, level: undefined });
    const human = rig.ask({ approval: 'human', args: { n: 1 } });
    rig.level('process', 'emergency');
    rig.desk.tick();
    expect(rig.ran).toEqual(['policy', 'policy']);
    expect([broken, scoped, human].map(({ id }) => rig.row(id).state)).toEqual([
      'overridden',
      'overridden',
      'open',
    ]);
    const review = rig.desk.rows().find((row) => row.evidence['reviews'] === broken.id);
    expect(review).toMatchObject({ kind: 'review', state: 'open', action: 'scope.stop' });
    expect(review?.why).toMatchInlineSnapshot(
      `"the policy let "scope.stop" run at emergency level without a person; was that right?"`,
    );
    const id = review?.id as string;
    expect(codeOf(() => rig.decide(id))).toBe('PLM_APPROVAL_COMMENT');
    expect(rig.decide(id, { decision: 'deny', comment: 'it was the wrong one' }).row.state).toBe('denied');
    rig.desk.tick();
    expect(rig.ran).toHaveLength(2);
    rig.desk.setPolicy(policyWith([], { revision: 9 }));
    expect(
      rig.desk
        .rows()
        .filter((row) => row.state === 'open')
        .map((row) => row.kind),
    ).toEqual(['review']);
  });

  test('a ticket filed there is overridden at once, and still looked at once more', () => {
    using rig = new DeskRig(ruleOf({ breakGlass: 'emergency' }));
    rig.levels.set('process', 'emergency');
    expect(rig.ask().state).toBe('overridden');
    expect(rig.ask({ args: {}, isStillValid: () => false }).state).toBe('overridden');
    rig.desk.tick();
    expect(rig.ran).toEqual(['policy']);
    expect(rig.desk.counts).toMatchObject({ overridden: 2, stale: 1, ran: 1 });
  });

  test('reviews are bounded and never fill the place of what is asked now', () => {
    using rig = new DeskRig(ruleOf({ breakGlass: 'emergency', pendingMax: 2 }));
    rig.levels.set('process', 'emergency');
    for (let n = 0; n < 100; n++) {
      expect(rig.ask({ args: { n } }).state).toBe('overridden');
      rig.desk.tick();
    }
    expect(rig.ran).toHaveLength(100);
    expect(rig.desk.open).toBe(32);
  });
});
