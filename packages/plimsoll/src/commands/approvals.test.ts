import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApprovalHost } from '../approvals/host-approvals.fixture.ts';
import { listText, showText } from '../approvals/approval-text.ts';
import type { ApprovalRow } from '@plimsoll/host/protocol/frame';
import { removeDescriptor } from '@plimsoll/host/protocol';
import { ownerName } from '@plimsoll/host/protocol';
import { TestIo } from '../io.fixture.ts';

let cwd: string;
let host: ApprovalHost;
let io: TestIo;

beforeEach(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'plimsoll-approvals-cli-'));
  host = await new ApprovalHost(join(cwd, '.plimsoll')).start();
  io = new TestIo(cwd);
  delete io.env['PLIMSOLL_TOKEN'];
});

afterEach(async () => {
  await host.stop();
  removeDescriptor(host.dir, process.pid);
});

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  io.out = '';
  io.err = '';
  const code = await io.plimsoll('approvals', ...args);
  return { code, out: io.out, err: io.err };
}

describe('plimsoll approvals', () => {
  test('lists what waits, also without a verb, and nothing when nothing does', async () => {
    expect(await run()).toEqual({ code: 0, out: 'No approvals.\n', err: '' });
    const id = host.ask();
    const { out } = await run();
    expect(out).toContain(id);
    expect(out).toContain('1 waits: plimsoll approvals approve ID, or deny ID');
    expect(JSON.parse((await run('list', '--json')).out)).toMatchObject([
      { id, state: 'open', pid: process.pid },
    ]);
  });

  test('approves by the beginning of an id, with a comment, once', async () => {
    const id = host.ask();
    const { code, out } = await run('approve', id.slice(0, 4), '--comment', 'known leak', '--key', 'k1');
    expect(code).toBe(0);
    expect(out).toContain(`approve by ${ownerName()}`);
    expect(out).toContain('over cli: known leak');
    host.approvals.tick();
    expect(host.ran).toEqual([ownerName()]);
    expect((await run('approve', id, '--key', 'k1')).out).toMatch(/^Decided before; nothing changed\./);
    const again = await run('deny', id);
    expect(again.code).toBe(1);
    expect(again.err).toContain('PLM_APPROVAL_DECIDED');
  });

  test('denies, and prints JSON', async () => {
    const id = host.ask();
    const { out } = await run('deny', id, '--json');
    expect(JSON.parse(out)).toMatchObject({ id, state: 'denied', replayed: false, pid: process.pid });
  });

  test('decides only what was seen', async () => {
    const id = host.ask();
    const { digest } = host.approvals.desk.row(id) as ApprovalRow;
    for (const wrong of ['ffffffff', digest.slice(0, 4), ''])
      expect((await run('approve', id, '--digest', wrong)).err).toContain('PLM_APPROVAL_DIGEST');
    expect(host.approvals.desk.row(id)?.state).toBe('open');
    expect((await run('approve', id, '--digest', digest.slice(0, 12).toUpperCase())).code).toBe(0);
  });

  test('an id that is not there, or that two begin with', async () => {
    host.ask();
    const unknown = await run('approve', 'zzzzzzzz');
    expect(unknown.code).toBe(1);
    expect(unknown.err).toMatchInlineSnapshot(`
      "PLM_APPROVAL_UNKNOWN: there is no approval "zzzzzzzz" here.
        at:  approvals
        fix: see "plimsoll approvals list" for the open ones.
      "
    `);
    expect((await run('show', 'zz')).code).toBe(1);
  });

  test('a token is shown once and lets somebody else decide', async () => {
    const made = await run('token', 'ada', '--group', 'sre');
    expect(made.out).toMatch(/^plm_[\w-]{43}\n$/);
    expect(made.err).toContain('it is shown once');
    const bob = JSON.parse((await run('token', 'bob', '--group', 'sre', 'night', '--json')).out) as {
      token: string;
      groups: string[];
    };
    expect(bob.groups).toEqual(['sre', 'night']);
    const id = host.ask({ approval: 'two' });
    expect((await run('approve', id)).err).toContain('PLM_APPROVAL_NOT_ALLOWED');
    writeFileSync(join(cwd, 'ada.token'), made.out, { mode: 0o600 });
    expect((await run('approve', id, '--token-file', 'ada.token')).out).toContain('approve by user:ada');
    expect((await run('approve', id, '--token-file', 'none')).err).toContain('PLM_APPROVAL_FILE');
    io.env['PLIMSOLL_TOKEN'] = `${bob.token}\n`;
    const { out } = await run('approve', id);
    expect(out).toContain('approve by user:bob');
    io.env['PLIMSOLL_TOKEN'] = 'plm_wrong';
    expect((await run('approve', id)).err).toContain('PLM_APPROVAL_TOKEN');
    const logs = [
      JSON.stringify(host.entries),
      io.err,
      readFileSync(join(host.dir, 'approvers.json'), 'utf8'),
    ];
    expect(logs.some((text) => text.includes(bob.token))).toBe(false);
  });

  test('history comes from the ledger, also when the process is gone', async () => {
    const open = host.ask({ args: { n: 1 } });
    const denied = host.ask({ args: { n: 2 } });
    await run('deny', denied);
    await host.ledger.flush();
    expect((await run('list', '--all')).out).toContain('1 waits');
    host.feed.close();
    removeDescriptor(host.dir, process.pid);
    expect((await run()).out).toBe('No governed process is running here; --all shows what the ledger has.\n');
    const rows = JSON.parse((await run('list', '--all', '--json')).out) as ApprovalRow[];
    expect(new Map(rows.map((row) => [row.id, row.state]))).toEqual(
      new Map([
        [open, 'lost'],
        [denied, 'denied'],
      ]),
    );
    expect((await run('show', denied)).out).toContain(`deny by ${ownerName()}`);
    expect((await run('list', '--all', '--since', '2999-01-01T00:00:00Z')).out).toBe('No approvals.\n');
    expect((await run('approve', open)).err).toContain('PLM_APPROVAL_UNKNOWN');
    expect((await run('list', '--dir', 'nowhere', '--all')).out).toBe('No approvals.\n');
  });

  test('a process that does not answer hides nothing of the others', async () => {
    host.ask();
    host.feed.answer('approvals.list', () => {
      throw new Error('broken');
    });
    expect((await run()).out).toBe('No approvals.\n');
  });
});

describe('as text', () => {
  const row: ApprovalRow = {
    id: '7f3a91c2',
    digest: 'ab'.repeat(32),
    kind: 'action',
    action: 'scope.stop',
    scope: 'process',
    why: 'process holds 340.0 MiB of 400.0 MiB (85 %).',
    evidence: {
      level: 'critical',
      usedBytes: 356_515_840,
      victims: 'process/agent:scout\u001b[31m',
      trend: null,
    },
    requestedBy: 'ladder.critical (plimsoll.yaml:30)',
    at: Date.UTC(2026, 10, 15, 10, 0, 0),
    deadlineAt: Date.UTC(2026, 10, 15, 10, 2, 0),
    onExpiry: 'skip',
    quorum: 2,
    approvers: ['group:sre', 'agent:captain'],
    votes: [
      {
        by: 'user:ada',
        decision: 'approve',
        at: Date.UTC(2026, 10, 15, 10, 0, 30),
        channel: 'http',
        comment: '',
      },
    ],
    state: 'open',
    decidedAt: null,
    ranAt: null,
  };
  const now = Date.UTC(2026, 10, 15, 10, 0, 45);

  test('one approval', () => {
    expect(showText(row, now)).toMatchInlineSnapshot(`
      "approval     7f3a91c2, open
      what         scope.stop (action) on process
      why          process holds 340.0 MiB of 400.0 MiB (85 %).
        level      critical
        usedBytes  340.0 MiB
        victims    process/agent:scout·[31m
        trend      -
      asked by     ladder.critical (plimsoll.yaml:30) at 2026-11-15 10:00:00Z
      no answer    1 of 2 agree, skip in 1 m 15 s
      may decide   group:sre, agent:captain, 2 of them
      vote         approve by user:ada at 2026-11-15 10:00:30Z over http
      ran          no
      digest       abababababababababababababababababababababababababababababababab
      "
    `);
  });

  test('the list', () => {
    const ran = {
      ...row,
      id: '11112222',
      state: 'approved' as const,
      decidedAt: now,
      ranAt: now,
      scope: `process/${'x:'.repeat(40)}`,
    };
    const expired = { ...row, id: '33334444', state: 'expired' as const, decidedAt: now, votes: [] };
    expect(listText([row, ran, expired], now, 160)).toMatchInlineSnapshot(`
      "id            state     asked                 what        scope                                             asked by                            then
      7f3a91c2      open      2026-11-15 10:00:00Z  scope.stop  process                                           ladder.critical (plimsoll.yaml:30)  1 of 2 agree, skip in 1 m 15 s
      11112222      approved  2026-11-15 10:00:00Z  scope.stop  …:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:x:  ladder.critical (plimsoll.yaml:30)  by user:ada, ran
      33334444      expired   2026-11-15 10:00:00Z  scope.stop  process                                           ladder.critical (plimsoll.yaml:30)

      1 waits: plimsoll approvals approve ID, or deny ID
      "
    `);
    expect(listText([expired], now, 160)).toContain('nothing waits');
    expect(listText([row, { ...row, id: '2' }], now, 160)).toContain('2 wait:');
  });
});
