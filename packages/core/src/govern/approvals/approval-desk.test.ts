import { collectUntil } from '../../scope/collect.fixture.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { DeskRig, policyWith, ruleOf } from './desk.fixture.ts';

const codeOf = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a ticket', () => {
  test('is a row that every channel can show', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    expect(rig.row(id)).toMatchInlineSnapshot(`
      {
        "action": "scope.stop",
        "approvers": [
          "group:sre",
        ],
        "at": 1767225600000,
        "deadlineAt": 1767225720000,
        "decidedAt": null,
        "digest": "5beaaeaeb14bd72b002015c7dddee3ea2ab9afbeadee7d99fe1b22aa4ff6dd66",
        "evidence": {
          "usedBytes": 356515840,
          "victim": "process/session:7",
        },
        "id": "t1",
        "kind": "action",
        "onExpiry": "skip",
        "quorum": 1,
        "ranAt": null,
        "requestedBy": "ladder.critical (plimsoll.yaml:30)",
        "scope": "process",
        "state": "open",
        "votes": [],
        "why": "process holds 340.0 MiB of 400.0 MiB (85 %).",
      }
    `);
  });

  test('is approved by one of its approvers and runs once, at the next tick', () => {
    using rig = new DeskRig();
    const { id, state } = rig.ask();
    expect(state).toBe('open');
    const { row, replayed } = rig.decide(id, { comment: 'session 7 is a test' });
    expect(replayed).toBe(false);
    expect(row).toMatchObject({ state: 'approved', ranAt: null });
    expect(row.votes).toEqual([
      {
        by: 'user:ada',
        decision: 'approve',
        at: rig.clock.now(),
        channel: 'cli',
        comment: 'session 7 is a test',
      },
    ]);
    expect(rig.ran).toEqual([]);
    rig.desk.tick();
    rig.desk.tick();
    expect(rig.ran).toEqual(['user:ada']);
    expect(rig.row(id).ranAt).toBe(rig.clock.now());
    expect(rig.changes.map((each) => [each.state, each.ranAt !== null])).toEqual([
      ['open', false],
      ['approved', false],
      ['approved', true],
    ]);
  });

  test('goes out on the channel plimsoll:approval at every change', () => {
    using rig = new DeskRig();
    const heard: unknown[] = [];
    const onRow = (row: unknown): void => void heard.push(row);
    subscribe('plimsoll:approval', onRow);
    rig.decide(rig.ask().id);
    rig.desk.tick();
    unsubscribe('plimsoll:approval', onRow);
    expect(heard).toEqual(rig.changes);
  });

  test('is denied by one no, also after a yes of the same approver', () => {
    using rig = new DeskRig(ruleOf({ quorum: 3 }));
    const { id } = rig.ask();
    rig.decide(id);
    rig.decide(id, { decision: 'deny' });
    rig.desk.tick();
    expect(rig.row(id)).toMatchObject({ state: 'denied', ranAt: null });
    expect(rig.ran).toEqual([]);
  });

  test('needs as many different approvers as its quorum, however they spell their names', () => {
    using rig = new DeskRig(ruleOf({ quorum: 2 }));
    const { id } = rig.ask();
    expect(rig.decide(id).row.state).toBe('open');
    expect(rig.decide(id, { by: 'User:ADA ' })).toMatchObject({ replayed: true });
    expect(rig.decide(id, { by: 'user:ａda' })).toMatchObject({ replayed: true });
    expect(rig.row(id).state).toBe('open');
    expect(rig.decide(id, { by: 'user:bob' }).row.state).toBe('approved');
    rig.desk.tick();
    expect(rig.ran).toEqual(['user:ada, user:bob']);
  });

  test('expires at its deadline without a reading, and what no answer means is in its rule', () => {
    using rig = new DeskRig(
      ruleOf(),
      ruleOf({ name: 'no', onExpiry: 'deny' }),
      ruleOf({ name: 'yes', onExpiry: 'proceed' }),
    );
    const ids = [
      rig.ask(),
      rig.ask({ approval: 'no', args: { n: 1 } }),
      rig.ask({ approval: 'yes', args: { n: 2 } }),
    ];
    rig.clock.advance(119_999);
    expect(rig.desk.open).toBe(3);
    rig.clock.advance(1);
    expect(ids.map(({ id }) => rig.row(id).state)).toEqual(['expired', 'expired', 'expired']);
    rig.desk.tick();
    expect(rig.ran).toEqual(['deadline']);
    expect(codeOf(() => rig.decide(ids[0]?.id as string))).toBe('PLM_APPROVAL_DECIDED');
  });

  test('a vote after the deadline does not count although no timer has fired yet', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    rig.clock.stall(0);
    rig.clock.costMs = 120_001;
    expect(codeOf(() => rig.decide(id))).toBe('PLM_APPROVAL_DECIDED');
    rig.clock.costMs = 0;
    expect(rig.row(id).state).toBe('expired');
  });

  test('neither opens nor ends by a jump of the wall clock', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    rig.clock.jump(86_400_000);
    rig.desk.tick();
    expect(rig.row(id).state).toBe('open');
    rig.clock.jump(-2 * 86_400_000);
    rig.clock.advance(120_000);
    expect(rig.row(id).state).toBe('expired');
  });

  test('the same digest joins it; other arguments, another scope or another action do not', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    expect(rig.ask()).toEqual({ id, state: 'open' });
    expect(rig.ask({ args: { victim: 'process/session:8' } }).id).not.toBe(id);
    expect(rig.ask({ scope: 'process/agent:a' }).id).not.toBe(id);
    expect(rig.ask({ action: 'process.restart' }).id).not.toBe(id);
    expect(rig.desk.counts).toMatchObject({ requested: 4, joined: 1, open: 4 });
    rig.decide(id);
    expect(rig.ask()).toEqual({ id, state: 'approved' });
    rig.desk.tick();
    expect(rig.ask().id).not.toBe(id);
  });

  test('what cannot be written as JSON has a digest that nothing joins', () => {
    using rig = new DeskRig();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    expect(rig.ask({ args: circle }).id).not.toBe(rig.ask({ args: circle }).id);
    expect(rig.ask({ args: { big: 10n } }).id).toBe(rig.ask({ args: { big: 10n } }).id);
    expect(rig.ask({ args: { a: 1, b: [2] } }).id).toBe(rig.ask({ args: { b: [2], a: 1 } }).id);
  });

  test('long and hostile texts are cut and cannot speak to a terminal', () => {
    using rig = new DeskRig();
    const { id } = rig.ask({
      why: `red \u001b[31m${'x'.repeat(1000)}`,
      evidence: Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`key ${i}`, 'y'.repeat(1000)])),
    });
    rig.decide(id, { comment: `ok\u0007${'z'.repeat(2000)}` });
    const row = rig.row(id);
    expect(row.why).toMatch(/^red {2}\[31mx+…$/);
    expect(Object.keys(row.evidence)).toHaveLength(16);
    expect(row.votes[0]?.comment).toMatch(/^ok z+…$/);
    expect(JSON.stringify(row).length).toBeLessThan(10_000);
  });
});

describe('who may decide', () => {
  test('only those the rule names, by name, by group or as the owner', () => {
    using rig = new DeskRig(ruleOf({ by: ['owner', 'agent:captain', 'group:sre'] }));
    const { id } = rig.ask();
    const groups: string[] = [];
    expect(codeOf(() => rig.decide(id, { by: 'user:eve', groups }))).toBe('PLM_APPROVAL_NOT_ALLOWED');
    expect(codeOf(() => rig.decide(id, { by: 'owner', groups }))).toBe('PLM_APPROVAL_NOT_ALLOWED');
    expect(codeOf(() => rig.decide(id, { by: 'group:sre', groups: ['owner'] }))).not.toBe('none');
    expect(rig.decide(id, { by: 'Agent:Captain', groups }).row.state).toBe('approved');
    const own = rig.ask({ args: {} });
    expect(rig.decide(own.id, { by: 'user:root', groups, isOwner: true }).row.state).toBe('approved');
  });

  test('never who asked, nor whoever owns a scope around it', () => {
    using rig = new DeskRig();
    const scope = 'process/agent:planner/session:1';
    const { id } = rig.ask({ scope, level: undefined, requestedBy: 'agent:scout' });
    for (const by of ['agent:scout', 'AGENT:Scout', 'agent:planner'])
      expect(codeOf(() => rig.decide(id, { by }))).toBe('PLM_APPROVAL_SELF');
    for (const by of ['agent:scout'])
      expect(codeOf(() => rig.decide(id, { by, decision: 'deny' }))).toBe('PLM_APPROVAL_SELF');
    expect(rig.decide(id).row.state).toBe('approved');
    const long = rig.ask({ requestedBy: `${'process/x:'.repeat(90)}/agent:deep`, args: {} });
    expect(codeOf(() => rig.decide(long.id, { by: 'agent:deep' }))).toBe('PLM_APPROVAL_SELF');
  });

  test('a digest that was not seen, an id that is not there', () => {
    using rig = new DeskRig();
    const { id } = rig.ask();
    expect(codeOf(() => rig.decide(id, { digest: 'f'.repeat(64) }))).toBe('PLM_APPROVAL_DIGEST');
    expect(codeOf(() => rig.decide('nope', { digest: 'f'.repeat(64) }))).toBe('PLM_APPROVAL_UNKNOWN');
    expect(rig.row(id)).toMatchObject({ state: 'open', votes: [] });
  });

  test('a key repeats its own decision and nothing else', () => {
    using rig = new DeskRig(ruleOf({ quorum: 2 }));
    const first = rig.ask();
    const other = rig.ask({ args: {} });
    expect(rig.decide(first.id, { key: 'k1' }).replayed).toBe(false);
    expect(rig.decide(first.id, { key: 'k1' })).toMatchObject({ replayed: true, row: { state: 'open' } });
    expect(codeOf(() => rig.decide(first.id, { key: 'k1', decision: 'deny' }))).toBe('PLM_APPROVAL_KEY');
    expect(codeOf(() => rig.decide(first.id, { key: 'k1', by: 'user:bob' }))).toBe('PLM_APPROVAL_KEY');
    expect(codeOf(() => rig.decide(other.id, { key: 'k1' }))).toBe('PLM_APPROVAL_KEY');
    rig.decide(first.id, { key: 'k2', by: 'user:bob' });
    rig.desk.tick();
    expect(rig.decide(first.id, { key: 'k2', by: 'user:bob' })).toMatchObject({
      replayed: true,
      row: { state: 'approved' },
    });
    expect(codeOf(() => rig.decide(first.id, { key: 'k3', by: 'user:bob' }))).toBe('PLM_APPROVAL_DECIDED');
    expect(rig.ran).toHaveLength(1);
  });
});

describe('what was approved and is not so any more', () => {
  test('a level that fell withdraws it, and one that fell after the approval makes it stale', () => {
    using rig = new DeskRig();
    const open = rig.ask();
    const approved = rig.ask({ args: {} });
    const other = rig.ask({ scope: 'process/agent:a', args: {} });
    rig.decide(approved.id);
    rig.level('process', 'warning');
    expect(rig.row(open.id).state).toBe('withdrawn');
    expect(rig.row(other.id).state).toBe('open');
    rig.desk.tick();
    expect(rig.row(approved.id)).toMatchObject({ state: 'stale', ranAt: null });
    expect(rig.ran).toEqual([]);
    rig.desk.withdraw(other.id);
    rig.desk.withdraw(other.id);
    expect(rig.row(other.id).state).toBe('withdrawn');
  });

  test('a victim that is gone, or a check that throws, makes it stale', () => {
    using rig = new DeskRig();
    let isThere = true;
    const gone = rig.ask({ isStillValid: () => isThere });
    const broken = rig.ask({
      args: {},
      isStillValid: () => {
        throw new Error('no');
      },
    });
    rig.decide(gone.id);
    rig.decide(broken.id);
    isThere = false;
    rig.desk.tick();
    expect([gone, broken].map(({ id }) => rig.row(id).state)).toEqual(['stale', 'stale']);
    expect(rig.ran).toEqual([]);
  });

  test('another policy makes open and approved ones stale, and refuses requests of the old one', () => {
    using rig = new DeskRig();
    const open = rig.ask();
    const approved = rig.ask({ args: {} });
    rig.decide(approved.id);
    rig.desk.setPolicy(policyWith([ruleOf()], { revision: 8 }));
    rig.desk.tick();
    expect([open, approved].map(({ id }) => rig.row(id).state)).toEqual(['stale', 'stale']);
    expect(rig.ask()).toEqual({ id: '', state: 'stale' });
    expect(rig.ran).toEqual([]);
  });

  test('an entry that is not there, or a desk that is closed, takes nothing', () => {
    using rig = new DeskRig();
    expect(rig.ask({ approval: 'nope' })).toEqual({ id: '', state: 'stale' });
    expect(rig.ask({ approval: 'constructor' })).toEqual({ id: '', state: 'stale' });
    rig.desk.close();
    expect(rig.ask()).toEqual({ id: '', state: 'stale' });
  });

  test('the end of governing loses what has not run', () => {
    using rig = new DeskRig();
    const open = rig.ask();
    const approved = rig.ask({ args: {} });
    rig.decide(approved.id);
    rig.desk.close();
    rig.desk.close();
    rig.desk.tick();
    expect([open, approved].map(({ id }) => rig.row(id).state)).toEqual(['lost', 'lost']);
    expect(rig.ran).toEqual([]);
    expect(rig.clock.waiting).toBe(0);
  });
});

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
      `"the policy let "scope.stop" run at emergency level without a human; was that right?"`,
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

describe('bounds', () => {
  test('a flood is refused, counted and told in one row per ten seconds', () => {
    using rig = new DeskRig(ruleOf({ pendingMax: 4 }), ruleOf({ name: 'other' }));
    const states = Array.from({ length: 1000 }, (_, n) => rig.ask({ args: { n } }).state);
    expect(states.filter((state) => state === 'open')).toHaveLength(4);
    expect(rig.desk.counts).toMatchObject({ 'refused-full': 996, open: 4 });
    expect(rig.changes.filter((row) => row.state === 'refused-full')).toHaveLength(1);
    expect(rig.ask({ approval: 'other', args: {} }).state).toBe('open');
    rig.clock.advance(10_000);
    rig.ask({ args: { n: 'again' } });
    expect(rig.changes.at(-1)).toMatchObject({
      state: 'refused-full',
      evidence: { open: 4, 'refused before': 995 },
    });
  });

  test('all entries together are bounded, and so is what is remembered', () => {
    const rules = Array.from({ length: 3 }, (_, i) => ruleOf({ name: `r${i}`, pendingMax: 1000 }));
    using rig = new DeskRig(...rules);
    for (let n = 0; n < 3000; n++) rig.ask({ approval: `r${n % 3}`, args: { n } });
    expect(rig.desk.open).toBe(1024);
    for (const row of rig.desk.rows(2000))
      if (row.state === 'open') rig.decide(row.id, { decision: 'deny', key: row.id });
    expect(rig.desk.rows(5000)).toHaveLength(256);
    expect(rig.clock.waiting).toBe(0);
  });

  test('open ones come first, soonest deadline first, then the newest decided', () => {
    using rig = new DeskRig(ruleOf(), ruleOf({ name: 'quick', ttlMs: 5000 }));
    const slow = rig.ask();
    const quick = rig.ask({ approval: 'quick', args: {} });
    const first = rig.ask({ args: { n: 1 } });
    const second = rig.ask({ args: { n: 2 } });
    rig.decide(first.id);
    rig.decide(second.id);
    expect(rig.desk.rows().map((row) => row.id)).toEqual([quick.id, slow.id, second.id, first.id]);
    expect(rig.desk.rows(1)).toHaveLength(1);
  });

  test('what runs, listens or is refused may throw; the desk goes on', () => {
    using rig = new DeskRig();
    rig.isDeaf = true;
    const { id } = rig.ask({
      run: () => {
        throw new Error('run');
      },
    });
    const refused = rig.ask({
      args: {},
      onRefused: () => {
        throw new Error('refused');
      },
    });
    rig.decide(id);
    rig.decide(refused.id, { decision: 'deny' });
    rig.desk.tick();
    expect(rig.row(id)).toMatchObject({ state: 'approved', ranAt: rig.clock.now() });
    expect(rig.row(refused.id).state).toBe('denied');
  });

  test('approvals that nobody takes are bounded too', () => {
    using rig = new DeskRig(ruleOf({ pendingMax: 1000 }));
    const ids = Array.from(
      { length: 70 },
      (_, n) => rig.ask({ args: { n }, runs: 'decision', run: () => false }).id,
    );
    for (const id of ids) rig.decide(id);
    expect(ids.filter((id) => rig.row(id).state === 'approved')).toHaveLength(64);
    expect(ids.filter((id) => rig.row(id).state === 'stale')).toHaveLength(6);
    rig.clock.advance(120_000);
    expect(rig.desk.counts).toMatchObject({ stale: 70, ran: 0 });
  });

  test('a ticket that is over holds nothing of what it was about', async () => {
    using rig = new DeskRig(ruleOf({ breakGlass: 'emergency' }));
    const refs: WeakRef<object>[] = [];
    const about = (n: number): string => {
      const victim = { history: Array.from({ length: 1000 }, () => n) };
      refs.push(new WeakRef(victim));
      return rig.ask({
        args: { n, victim },
        isStillValid: () => victim.history.length > 0,
        run: () => void victim.history.length,
        onRefused: () => void victim.history.length,
      }).id;
    };
    rig.decide(about(1));
    rig.decide(about(2), { decision: 'deny' });
    rig.desk.withdraw(about(3));
    about(4);
    rig.clock.advance(120_000);
    about(5);
    rig.level('process', 'emergency');
    rig.desk.tick();
    expect(
      rig.desk
        .rows()
        .map((row) => row.state)
        .sort(),
    ).toEqual(['approved', 'denied', 'expired', 'open', 'overridden', 'withdrawn']);
    expect(await collectUntil(() => refs.every((ref) => ref.deref() === undefined))).toBe(true);
  });

  test('a desk of the process has its own clock and ids', async () => {
    const { ApprovalDesk } = await import('./approval-desk.ts');
    using desk = new ApprovalDesk({ policy: policyWith([ruleOf()]) });
    using rig = new DeskRig();
    rig.ask();
    const { id } = desk.request({
      approval: 'ops',
      kind: 'action',
      action: 'a',
      scope: 'process',
      args: {},
      why: '',
      evidence: {},
      requestedBy: 'x',
      policy: { revision: 7, sha256: 'a'.repeat(64) },
      isStillValid: () => true,
      run: () => undefined,
    });
    expect(id).toMatch(/^[0-9a-f]{8}$/);
    expect(desk.row(id)?.at).toBeLessThanOrEqual(Date.now());
  });
});
