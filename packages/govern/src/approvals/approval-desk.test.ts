import { collectUntil } from '../../../core/src/scope/collect.fixture.ts';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, expect, test } from 'vitest';
import { DeskRig, policyWith, ruleOf, codeOf } from './desk.fixture.ts';

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
