import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { approval } from '@plimsoll/core';
import { LedgerReader } from '@plimsoll/ledger';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { approvalEntry, approvalRows } from '../../protocol/approval-entry.ts';
import { addApprover, approverFile, ownerName } from '../../protocol/approver-file.ts';
import { ApprovalHost } from '../../../../plimsoll/src/approvals/host-approvals.fixture.ts';
import { lostApprovals } from './lost-approvals.ts';
import { ask } from '../../protocol/control.ts';
import { socketPath } from '../../protocol/descriptor.ts';
import type { ApprovalRow } from '../../protocol/frame.ts';

let host: ApprovalHost;

beforeEach(async () => {
  host = await new ApprovalHost().start();
});

afterEach(() => host.stop());

const socket = (): string => socketPath(host.dir, process.pid);
const rows = (): Promise<readonly ApprovalRow[]> => ask(socket(), 'approvals.list');

function decide(row: ApprovalRow, more: object = {}): Promise<ApprovalRow & { replayed: boolean }> {
  const { id, digest } = row;
  return ask(socket(), 'approvals.decide', { id, digest, decision: 'approve', ...more });
}

async function first(): Promise<ApprovalRow> {
  return (await rows())[0] as ApprovalRow;
}

describe('over the socket', () => {
  test('the owner lists and decides, and what was approved runs at the next tick', async () => {
    const id = host.ask();
    expect(await first()).toMatchObject({ id, state: 'open' });
    expect(await decide(await first(), { channel: 'cli', comment: 'known', key: 'k' })).toMatchObject({
      state: 'approved',
      replayed: false,
      votes: [{ by: ownerName(), channel: 'cli', comment: 'known' }],
    });
    expect(await decide(await first(), { key: 'k' })).toMatchObject({ replayed: true });
    host.approvals.tick();
    expect(host.ran).toEqual([ownerName()]);
    expect(await ask(socket(), 'approvals.list', { most: 1 })).toHaveLength(1);
    expect(await ask(socket(), 'approvals.list', { most: 'all' })).toHaveLength(1);
  });

  test('somebody else needs a token, which is checked here; a name alone is a claim', async () => {
    host.ask({ approval: 'two' });
    const row = await first();
    await expect(decide(row)).rejects.toMatchObject({ code: 'PLM_APPROVAL_NOT_ALLOWED' });
    const claim = { by: 'user:ada', groups: ['sre'], isOwner: true };
    await expect(decide(row, claim)).rejects.toMatchObject({ code: 'PLM_APPROVAL_TOKEN' });
    await expect(decide(row, { ...claim, token: 'plm_wrong' })).rejects.toMatchObject({
      code: 'PLM_APPROVAL_TOKEN',
    });
    const file = approverFile(host.dir, {});
    const ada = addApprover(file, 'ada', ['sre']);
    const eve = addApprover(file, 'eve', ['dev']);
    const bob = addApprover(file, 'bob', ['sre']);
    await expect(decide(row, { token: eve })).rejects.toMatchObject({ code: 'PLM_APPROVAL_NOT_ALLOWED' });
    expect(await decide(row, { token: ada })).toMatchObject({ state: 'open' });
    expect(await decide(row, { token: ada })).toMatchObject({ state: 'open', replayed: true });
    expect(await decide(row, { token: bob, by: ownerName() })).toMatchObject({
      state: 'approved',
      votes: [{ by: 'user:ada' }, { by: 'user:bob' }],
    });
    expect(JSON.stringify(host.entries)).not.toContain('plm_');
  });

  test('the owner’s server decides for somebody to whom it gave a role, in their name', async () => {
    host.ask();
    const row = await first();
    await expect(decide(row, { for: 'group:sre' })).rejects.toMatchObject({
      code: 'PLM_CONTROL_BAD_REQUEST',
    });
    expect(await decide(row, { for: 'user:ann', channel: 'dashboard' })).toMatchObject({
      state: 'approved',
      votes: [{ by: 'user:ann', channel: 'dashboard' }],
    });
  });

  test('a digest that was not seen, or a request without one, changes nothing', async () => {
    host.ask();
    const row = await first();
    const cases: readonly object[] = [
      { digest: '0'.repeat(64) },
      { digest: undefined },
      { decision: 'perhaps' },
      { id: 7 },
      { comment: 'x'.repeat(5000) },
      { id: 'ffffffff' },
    ];
    const codes: string[] = [];
    for (const change of cases)
      codes.push(
        await decide(row, change).then(
          () => 'accepted',
          (error: { code: string }) => error.code,
        ),
      );
    expect(codes).toEqual([
      'PLM_APPROVAL_DIGEST',
      'PLM_CONTROL_BAD_REQUEST',
      'PLM_CONTROL_BAD_REQUEST',
      'PLM_CONTROL_BAD_REQUEST',
      'PLM_CONTROL_BAD_REQUEST',
      'PLM_APPROVAL_UNKNOWN',
    ]);
    expect(await first()).toMatchObject({ state: 'open', votes: [] });
  });
});

describe('in the ledger', () => {
  test('every change is an entry, and a vote is told once', async () => {
    host.ask();
    await decide(await first(), { comment: 'known', channel: 'cli' });
    host.approvals.tick();
    expect(host.entries.map(({ body }) => [body?.['state'], body?.['by'], body?.['ranAt'] !== null])).toEqual(
      [
        ['open', undefined, false],
        ['approved', ownerName(), false],
        ['approved', undefined, true],
      ],
    );
    await host.ledger.flush();
    const reader = new LedgerReader(host.ledger.dir);
    const [stored] = approvalRows(reader.audit({ kinds: ['approval'] }));
    reader.close();
    expect(stored).toEqual({ ...host.approvals.rows()[0], run: host.ledger.run });
  });

  test('the frame has them, open ones first, and how many there were', () => {
    host.ask();
    const second = host.ask({ args: { n: 2 } });
    host.approvals.levelChanged({ scope: 'process', level: 'normal' });
    const third = host.ask({ args: { n: 3 }, level: undefined });
    expect(host.approvals.rows().map((row) => row.state)).toEqual(['open', 'withdrawn', 'withdrawn']);
    expect(
      host.approvals
        .rows()
        .map((row) => row.id)
        .slice(0, 2),
    ).toEqual([third, second]);
    expect(host.approvals.count).toBe(3);
  });

  test('another policy makes them stale', () => {
    host.ask();
    host.policy = { ...host.policy, revision: 5 };
    host.approvals.setPolicy(host.policy);
    expect(host.entries.at(-1)?.body).toMatchObject({ state: 'stale' });
  });

  test('shadow says what it would have held, one entry for a flood', async () => {
    host.policy = { ...host.policy, mode: 'shadow' };
    for (let n = 0; n < 50; n++) await approval('delegation', { name: 'deep', depth: 9 });
    expect(host.entries).toHaveLength(1);
    expect(host.entries[0]).toMatchObject({
      kind: 'action',
      body: { action: 'approval.hold', outcome: 'would-have' },
    });
    expect(host.entries[0]?.body?.['text']).toMatchInlineSnapshot(
      `"would have held delegation to "deep" at depth 9"`,
    );
  });

  test('a ledger that is dead or full of nonsense stops no approval', async () => {
    await host.ledger.close();
    const id = host.ask();
    await decide(await first());
    host.approvals.tick();
    expect(host.ran).toHaveLength(1);
    expect(host.approvals.desk.row(id)?.ranAt).not.toBeNull();
    expect(approvalRows([{ run: 1, scope: 'x', body: { id: 7 } } as never])).toEqual([]);
    expect(lostApprovals('/nowhere/at/all', 1, Date.now())).toEqual([]);
  });
});

describe('after a restart', () => {
  test('what was open is lost and denied, once, and what waited is told', async () => {
    const open = host.ask();
    const waiting = approval('delegation', { name: 'deep', depth: 6 });
    await Promise.resolve();
    const done = host.ask({ args: { n: 1 } });
    await decide((await rows()).find((row) => row.id === done) as ApprovalRow, { decision: 'deny' });
    // The process dies without a word: nothing is closed.
    await host.ledger.flush();
    const next = await new ApprovalHost(host.dir).start();
    const lost = next.entries.filter(({ body }) => body?.['state'] === 'lost');
    expect(lost.map(({ body }) => body?.['id'])).toEqual(expect.arrayContaining([open]));
    expect(lost).toHaveLength(2);
    await next.stop();
    const third = await new ApprovalHost(host.dir).start();
    expect(third.entries).toEqual([]);
    await third.stop();
    host.approvals.close();
    await expect(waiting).rejects.toMatchObject({ code: 'PLM_APPROVAL_LOST', retryable: true });
  });

  test('tickets of a process that still runs are left alone', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const other = new ApprovalHost(host.dir);
    await other.ledger.audit({ kind: 'start', body: { pid: child.pid as number } });
    other.ask();
    await other.ledger.flush();
    expect(lostApprovals(host.ledger.dir, host.ledger.run, Date.now())).toEqual([]);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(lostApprovals(host.ledger.dir, host.ledger.run, Date.now())).toHaveLength(1);
    await other.stop();
  });

  test('one that was approved and never ran is lost too, one that ran is not', async () => {
    const row = host.approvals.desk.row(host.ask()) as ApprovalRow;
    const now = Date.now();
    for (const change of [
      { id: 'a', state: 'approved', ranAt: null },
      { id: 'b', state: 'approved', ranAt: now },
      { id: 'c', state: 'expired', onExpiry: 'proceed', ranAt: null },
      { id: 'd', state: 'expired', onExpiry: 'skip', ranAt: null },
      { id: 'e', state: 'approved', kind: 'review', ranAt: null },
    ] as const)
      await host.ledger.audit(approvalEntry({ ...row, ...change }, false, now));
    await host.ledger.flush();
    const lost = lostApprovals(host.ledger.dir, host.ledger.run + 1, now);
    expect(lost.map(({ id }) => id)).toEqual([row.id, 'a', 'c']);
    expect(lost.every(({ state }) => state === 'lost')).toBe(true);
  });
});
