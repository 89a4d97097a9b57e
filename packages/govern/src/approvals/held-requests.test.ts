import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { open } from '@plimsoll/core';
import type { ApprovalRequest, Approved } from '@plimsoll/core/internal/gate/approval';
import { approval } from '@plimsoll/core';
import { approvalSlot, installHeldGate, needsApproval } from '@plimsoll/core/internal/gate/approval';
import { ApprovalRefusal } from '@plimsoll/core/internal/gate/approval-refusal';
import { HeldRig } from './held.fixture.ts';

const deep: ApprovalRequest = { name: 'researcher', depth: 5, scope: 'process/agent:planner' };

/** Waiting as a test sees it: undefined until it is over. */
function watch(promise: Promise<Approved>): {
  value: Approved | ApprovalRefusal | undefined;
  over: Promise<void>;
} {
  const seen: { value: Approved | ApprovalRefusal | undefined; over: Promise<void> } = {
    value: undefined,
    over: Promise.resolve(),
  };
  seen.over = promise.then(
    (value) => void (seen.value = value),
    (error: ApprovalRefusal) => void (seen.value = error),
  );
  return seen;
}

/** The three lines of a refusal. */
const textOf = (value: Approved | ApprovalRefusal | undefined): string =>
  value instanceof ApprovalRefusal ? value.toString() : 'no refusal';

const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await Promise.resolve();
};

describe('approval()', () => {
  test('lets everything go on while nobody governs', async () => {
    expect(await approval('delegation', deep)).toEqual({ state: 'ungoverned', id: null, by: null });
    expect(needsApproval('delegation', { depth: 99 })).toBe(false);
  });

  test('asks for nothing that the policy does not name', async () => {
    using rig = new HeldRig();
    expect(await approval('delegation', { ...deep, depth: 4 })).toMatchObject({ state: 'not-needed' });
    expect(await approval('operation', { name: 'export' })).toMatchObject({ state: 'not-needed' });
    expect(needsApproval('delegation', { depth: 4 })).toBe(false);
    expect(needsApproval('delegation', { depth: 5 })).toBe(true);
    expect(needsApproval('operation', { critical: true })).toBe(true);
    rig.setPolicy({ approvals: { rules: {}, delegation: undefined, operations: undefined } });
    expect(await approval('delegation', deep)).toMatchObject({ state: 'not-needed' });
    expect(await approval('operation', { name: 'export', critical: true })).toMatchObject({
      state: 'not-needed',
    });
  });

  test('observes nothing in observe, reports in shadow', async () => {
    using rig = new HeldRig({ mode: 'observe' });
    expect(await approval('delegation', deep)).toMatchObject({ state: 'not-needed' });
    rig.setPolicy({ mode: 'shadow' });
    expect(await approval('delegation', deep)).toMatchObject({ state: 'would-have' });
    expect(await approval('operation', { name: 'export', critical: true })).toMatchObject({
      state: 'would-have',
    });
    expect(rig.wouldHave).toMatchInlineSnapshot(`
      [
        "would have held delegation to "researcher" at depth 5",
        "would have held operation "export"",
      ]
    `);
    expect(rig.open()).toEqual([]);
  });

  test('refuses what it cannot judge, with what it accepts', async () => {
    const bad = [
      approval('delegation', { name: 'x' }),
      approval('delegation', { name: 'x', depth: Number.NaN }),
      approval('delegation', { name: '', depth: 5 }),
      approval('tool' as 'operation', { name: 'x' }),
      approval('operation', { name: 'x', bytes: -1 }),
      approval('operation', { name: 'x', waitMs: Number.POSITIVE_INFINITY }),
    ];
    for (const promise of bad) await expect(promise).rejects.toMatchObject({ code: 'PLM_APPROVAL_REQUEST' });
  });

  test('while the host is being loaded everything waits for it, and goes on when it does not come', async () => {
    const slot = approvalSlot();
    let done: () => void = () => undefined;
    slot.loading = new Promise((resolve) => (done = resolve));
    expect(needsApproval('delegation', { depth: 1 })).toBe(true);
    const shallow = watch(approval('delegation', { ...deep, depth: 2 }));
    const waiting = watch(approval('delegation', deep));
    await turns();
    expect([shallow.value, waiting.value]).toEqual([undefined, undefined]);
    const rig = new HeldRig();
    done();
    await turns();
    expect(shallow.value).toMatchObject({ state: 'not-needed' });
    expect(waiting.value).toBeUndefined();
    expect(rig.open()).toHaveLength(1);
    rig[Symbol.dispose]();
    await waiting.over;
    slot.loading = Promise.resolve();
    expect(await approval('delegation', deep)).toMatchObject({ state: 'ungoverned' });
    slot.loading = undefined;
  });

  test('one gate at a time, and only the newest takes itself away', () => {
    using rig = new HeldRig();
    const gate = { needs: () => false, hold: () => Promise.reject(new Error('unused')) };
    const uninstall = installHeldGate(gate);
    expect(needsApproval('delegation', { depth: 9 })).toBe(false);
    uninstall();
    uninstall();
    expect(needsApproval('delegation', { depth: 9 })).toBe(false);
    expect(rig.held.held.count).toBe(0);
  });
});

describe('what waits', () => {
  test('goes on when the owner approves, and the row says who asked for what', async () => {
    using rig = new HeldRig();
    const waiting = watch(approval('delegation', { ...deep, evidence: { task: 'survey' }, bytes: 2048 }));
    await turns();
    expect(waiting.value).toBeUndefined();
    expect(rig.held.held).toEqual({ count: 1, bytes: 2048 });
    expect(rig.open()[0]).toMatchObject({
      kind: 'delegation',
      action: 'delegation researcher',
      requestedBy: 'agent:planner',
      why: 'delegation to "researcher" at depth 5 needs an approval by the policy.',
      evidence: { depth: 5, bytes: 2048, level: 'normal', task: 'survey' },
      onExpiry: 'deny',
      approvers: ['owner'],
    });
    rig.decide('approve');
    await waiting.over;
    expect(waiting.value).toEqual({ state: 'approved', id: 't1', by: 'user:ada' });
    expect(rig.desk.row('t1')).toMatchObject({ state: 'approved', ranAt: rig.clock.now() });
    expect(rig.held.held).toEqual({ count: 0, bytes: 0 });
  });

  test('takes the scope and the agent of the code that asks', async () => {
    using rig = new HeldRig();
    using agent = open('agent', 'writer');
    const waiting = watch(agent.run(() => approval('delegation', { name: 'x', depth: 7 })));
    await turns();
    expect(rig.open()[0]).toMatchObject({ scope: 'process/agent:writer', requestedBy: 'agent:writer' });
    rig.decide('deny');
    await waiting.over;
  });

  test('is refused by a no, by silence, and by the end of governing, and each says whether to come back', async () => {
    using rig = new HeldRig();
    const denied = watch(approval('delegation', deep));
    await turns();
    rig.decide('deny');
    await denied.over;
    expect(textOf(denied.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_DENIED: delegation to "researcher" at depth 5 was denied by user:ada.
        at:  process/agent:planner
        fix: see "plimsoll approvals show t1" for the comment."
    `);
    expect(denied.value).toMatchObject({ retryable: false, retryAfterMs: 0, statusCode: 403, id: 't1' });
    expect((denied.value as ApprovalRefusal).headers).toEqual({ 'cache-control': 'no-store' });

    const silent = watch(approval('delegation', { ...deep, waitMs: 200_000 }));
    await turns();
    rig.clock.advance(120_000);
    await silent.over;
    expect(textOf(silent.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_EXPIRED: nobody decided about delegation to "researcher" at depth 5 within 2 m.
        at:  process/agent:planner
        fix: ask again when an approver is there; ticket t2 is closed."
    `);
    expect(silent.value).toMatchObject({ retryable: true, retryAfterMs: 12_500, statusCode: 503 });
    expect((silent.value as ApprovalRefusal).headers).toMatchObject({ 'retry-after': '13' });

    const lost = watch(approval('operation', { name: 'export', critical: true }));
    await turns();
    rig.desk.close();
    rig.held.close();
    await lost.over;
    expect(textOf(lost.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_LOST: operation "export" is lost: governing stopped before ticket t3 was decided.
        at:  process
        fix: ask again after the restart."
    `);
    expect(await approval('delegation', deep)).toMatchObject({ state: 'not-needed' });
  });

  test('a caller that waits no longer leaves the ticket, and the same request joins it or uses its approval', async () => {
    using rig = new HeldRig();
    const first = watch(approval('delegation', { ...deep, waitMs: 10_000 }));
    await turns();
    rig.clock.advance(10_000);
    await first.over;
    expect(textOf(first.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_PENDING: delegation to "researcher" at depth 5 is not decided after 10 s; the ticket stays open.
        at:  process/agent:planner
        fix: ask again later, or decide it: plimsoll approvals approve t1."
    `);
    expect(first.value).toMatchObject({ reason: 'PENDING', retryable: true, retryAfterMs: 3000, id: 't1' });
    expect(rig.open()).toHaveLength(1);
    const second = watch(approval('delegation', deep));
    await turns();
    expect(rig.open()).toHaveLength(1);
    rig.clock.advance(25_000);
    await second.over;
    rig.decide('approve', 't1');
    expect(rig.desk.row('t1')).toMatchObject({ state: 'approved', ranAt: null });
    expect(await approval('delegation', deep)).toEqual({ state: 'approved', id: 't1', by: 'user:ada' });
    expect(rig.desk.row('t1')?.ranAt).toBe(rig.clock.now());
    const third = watch(approval('delegation', deep));
    await turns();
    expect(third.value).toBeUndefined();
    expect(rig.open()).toMatchObject([{ id: 't2' }]);
  });

  test('an approval that nobody comes for is stale at its deadline, or when the policy changes', async () => {
    using rig = new HeldRig();
    const gone = new AbortController();
    for (const name of ['a', 'b']) {
      const waiting = watch(approval('delegation', { ...deep, name, signal: gone.signal }));
      await turns();
      if (name === 'b') gone.abort(new Error('the client went away'));
      await (name === 'b' ? waiting.over : turns());
    }
    rig.decide('approve', 't1');
    rig.decide('approve', 't2');
    rig.setPolicy({ revision: 99 });
    expect(['t1', 't2'].map((id) => rig.desk.row(id)?.state)).toEqual(['stale', 'stale']);
    const later = watch(approval('delegation', { ...deep, waitMs: 0 }));
    await turns();
    rig.clock.advance(1);
    await later.over;
    rig.decide('approve', 't3');
    rig.clock.advance(120_000);
    expect(rig.desk.row('t3')?.state).toBe('stale');
  });

  test('an abort ends the waiting, also one that came before', async () => {
    using rig = new HeldRig();
    const cancel = new AbortController();
    const waiting = watch(approval('delegation', { ...deep, signal: cancel.signal }));
    await turns();
    cancel.abort('client closed the request');
    await waiting.over;
    expect(textOf(waiting.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_ABORTED: waiting for the approval of delegation to "researcher" at depth 5 was aborted: client closed the request.
        at:  process/agent:planner
        fix: nothing; ticket t1 closes by itself."
    `);
    expect(rig.held.held.count).toBe(0);
    const late = watch(approval('delegation', { ...deep, signal: cancel.signal }));
    await late.over;
    expect(late.value).toMatchObject({ reason: 'ABORTED' });
    const other = new AbortController();
    const error = new Error('gone');
    const waits = watch(approval('delegation', { ...deep, signal: other.signal }));
    await turns();
    other.abort(error);
    await waits.over;
    expect(waits.value).toMatchObject({ reason: 'ABORTED', cause: error });
  });

  test('a signal that outlives the request keeps nothing of it', async () => {
    using rig = new HeldRig();
    const { signal } = new AbortController();
    for (const decision of ['approve', 'deny'] as const) {
      const waiting = watch(approval('delegation', { ...deep, signal }));
      await turns();
      expect(getEventListeners(signal, 'abort')).toHaveLength(1);
      rig.decide(decision);
      await waiting.over;
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
  });

  test('one approval lets one caller go on; the others wait on the next ticket', async () => {
    using rig = new HeldRig();
    const all = Array.from({ length: 3 }, () => watch(approval('delegation', deep)));
    await turns();
    expect(rig.open()).toHaveLength(1);
    rig.decide('approve');
    await turns();
    expect(all.map((each) => each.value !== undefined)).toEqual([true, false, false]);
    expect(rig.open()).toMatchObject([{ id: 't2' }]);
    rig.decide('approve');
    await turns();
    rig.decide('deny');
    await turns();
    expect(all.map((each) => (each.value instanceof Error ? each.value.code : each.value?.id))).toEqual([
      't1',
      't2',
      'PLM_APPROVAL_DENIED',
    ]);
  });

  test('the next in line is told when the desk has no place for another ticket', async () => {
    using rig = new HeldRig();
    const { operator } = rig.policy.approvals.rules;
    rig.setPolicy({
      revision: 8,
      approvals: {
        ...rig.policy.approvals,
        rules: { operator: { ...(operator as object), pendingMax: 1 } as never },
      },
    });
    const all = Array.from({ length: 2 }, () => watch(approval('delegation', deep)));
    await turns();
    rig.decide('approve');
    // Takes the only place before the second caller files again.
    rig.desk.request({
      approval: 'operator',
      kind: 'action',
      action: 'a',
      scope: 'process',
      args: {},
      why: '',
      evidence: {},
      requestedBy: 'x',
      policy: rig.policy,
      isStillValid: () => true,
      run: () => undefined,
    });
    await turns();
    expect(all[1]?.value).toMatchObject({ reason: 'FULL' });
    const third = watch(approval('delegation', { ...deep, name: 'other' }));
    await third.over;
    expect(textOf(third.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_FULL: delegation to "other" at depth 5 cannot wait: too many tickets of "operator" are open.
        at:  process/agent:planner
        fix: decide the open approvals: plimsoll approvals list."
    `);
  });

  test('is bounded in count and in bytes', async () => {
    using rig = new HeldRig({}, { most: 3, mostBytes: 10_000 });
    const waiting = [1, 2].map((n) => watch(approval('delegation', { ...deep, args: { n }, bytes: 4000 })));
    await turns();
    const big = watch(approval('delegation', { ...deep, args: { n: 3 }, bytes: 3000 }));
    await big.over;
    expect(textOf(big.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_FULL: delegation to "researcher" at depth 5 cannot wait: 2.9 KiB more than the 7.8 KiB that wait are above 9.8 KiB.
        at:  process/agent:planner
        fix: decide the open approvals: plimsoll approvals list."
    `);
    const small = watch(approval('delegation', { ...deep, args: { n: 4 } }));
    await turns();
    const fourth = watch(approval('delegation', { ...deep, args: { n: 5 } }));
    await fourth.over;
    expect(fourth.value).toMatchObject({
      message: expect.stringContaining('3 of 3 requests wait') as string,
    });
    expect(rig.held.held).toEqual({ count: 3, bytes: 8512 });
    rig.desk.close();
    rig.held.close();
    await Promise.all([...waiting, small].map((each) => each.over));
    expect(rig.held.held).toEqual({ count: 0, bytes: 0 });
    expect(rig.clock.waiting).toBe(0);
  });
});

describe('levels and policies', () => {
  test('an operation waits from critical on, and goes on without a human when the level falls', async () => {
    using rig = new HeldRig();
    rig.setLevel('critical');
    const waiting = watch(approval('operation', { name: 'load index', waitMs: 100_000 }));
    const always = watch(approval('operation', { name: 'export', critical: true, waitMs: 100_000 }));
    await turns();
    expect(rig.open()).toHaveLength(2);
    rig.setLevel('warning');
    await waiting.over;
    expect(waiting.value).toMatchObject({ state: 'not-needed', id: 't1' });
    expect(rig.desk.row('t1')?.state).toBe('withdrawn');
    expect(always.value).toBeUndefined();
  });

  test('at emergency nothing waits: what does is let go, what comes is refused', async () => {
    using rig = new HeldRig();
    rig.setLevel('critical');
    const waiting = watch(approval('operation', { name: 'load index' }));
    const other = watch(approval('delegation', deep));
    await turns();
    rig.setLevel('emergency');
    await Promise.all([waiting.over, other.over]);
    expect(waiting.value).toMatchObject({ reason: 'LEVEL', retryable: true });
    expect(other.value).toMatchObject({ reason: 'LEVEL', retryable: true });
    expect(rig.open()).toEqual([]);
    const late = watch(approval('delegation', deep));
    await late.over;
    expect(textOf(late.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_LEVEL: delegation to "researcher" at depth 5 cannot wait for an approval at emergency level.
        at:  process/agent:planner
        fix: ask again when memory has been freed."
    `);
  });

  test('another policy makes what waits stale', async () => {
    using rig = new HeldRig();
    const waiting = watch(approval('delegation', deep));
    await turns();
    rig.setPolicy({ sha256: 'b'.repeat(64) });
    await waiting.over;
    expect(textOf(waiting.value)).toMatchInlineSnapshot(`
      "PLM_APPROVAL_STALE: ticket t1 for delegation to "researcher" at depth 5 is stale: the policy changed meanwhile.
        at:  process/agent:planner
        fix: ask again under the policy that is in force now."
    `);
  });
});
