import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LedgerReader } from '@plimsoll/ledger';
import { describe, expect, test, vi } from 'vitest';
import { Site } from './plimsoll.ts';
import type { Running } from './plimsoll.ts';

/** A program whose agents delegate five levels deep, and say whether the fifth one ran. */
const delegating = `
import { DelegationBreaker } from '@plimsoll/keep';
const breaker = new DelegationBreaker({ total: 100 });
const dive = (depth) => breaker.run({ agent: 'agent ' + depth }, () => (depth < 5 ? dive(depth + 1) : 'bottom'));
// At once, before the host is loaded, and with nothing else that keeps the process alive.
console.log('diving');
try {
  console.log('reached the ' + (await dive(1)));
} catch (error) {
  console.log('refused: ' + error.code + ' because ' + error.cause?.code + ', retryable ' + error.cause?.retryable);
}
`;

/** A program with ten sessions, one of which holds most of the memory and is of no use. It holds what it charges: an account is never more than the live heap. It holds its sessions, too: one that nothing refers to is closed after a garbage collection. */
const hoarding = `
import { open } from '@plimsoll/core';
globalThis.held = Array.from({ length: 60 }, () => Array.from({ length: 125_000 }, (_, i) => i + 0.5));
const sessions = (globalThis.sessions = Array.from({ length: 10 }, (_, i) => open('session', String(i))));
for (const session of sessions) session.charge(100_000);
sessions[7].charge(60_000_000);
sessions[7].signal.addEventListener('abort', () => {
  console.log('session 7 was stopped');
  setTimeout(() => process.exit(0), 300);
});
setInterval(() => undefined, 1000);
console.log('hoarding');
`;

const ladder = `
apiVersion: plimsoll/v1
revision: 3
mode: enforce
levels:
  warning: { enter: 30%, exit: 25%, for: 0s, keep: 1s }
  critical: { enter: 40%, exit: 35%, for: 0s, keep: 1s }
  emergency: { enter: 100%, exit: 99%, for: 1h, keep: 1s }
signal: { sample: 200ms, fast: 100ms, grace: 0s, stale: 10s }
settle: { wait: time, at-most: 1s, again: 2s }
budgets: { agents: { "*": { max: 100MiB } }, sessions: { "*": { max: 64MiB } } }
ladder:
  warning: [ keepers.shrink ]
  critical:
    - scope.stop: { approval: ops }
approvals:
  ops: { by: [ "group:sre" ], ttl: 30m, on-expiry: skip }
`;

const enforce = 'apiVersion: plimsoll/v1\nmode: enforce\n';

interface Row {
  readonly id: string;
  readonly state: string;
  readonly action: string;
  readonly digest: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** The programs with their policies, and what a person asks about them. */
class ApprovalSite extends Site {
  constructor() {
    super({ 'dive.mjs': delegating, 'hoard.mjs': hoarding, 'enforce.yaml': enforce, 'ladder.yaml': ladder });
  }

  start(policy: string, file: string, ...more: readonly string[]): Running {
    const target = [process.execPath, '--conditions=plimsoll-source', file];
    return this.plimsoll(['run', '--policy', policy, ...more, '--', ...target]);
  }

  async approvals(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.plimsoll(['approvals', ...args]).ended;
    return code === 0 ? stdout : stderr;
  }

  /** Decides with a token of its own. */
  async decide(decision: string, id: string, token: string): Promise<number | null> {
    return (await this.plimsoll(['approvals', decision, id], { PLIMSOLL_TOKEN: token }).ended).code;
  }

  /** The first ticket that is open, as another process sees it. The ledger is looked at first, because that costs no process. */
  async openTicket(): Promise<Row> {
    await vi.waitFor(() => expect(this.#waiting()).toBeGreaterThan(0));
    return vi.waitFor(async () => {
      const rows = JSON.parse(await this.approvals('list', '--json')) as readonly Row[];
      const found = rows.find((row) => row.state === 'open');
      expect(found).toBeDefined();
      return found as Row;
    });
  }

  /** How many tickets have been filed and nothing has been heard of since. */
  #waiting(): number {
    const last = new Map(this.entries().map((body) => [body['id'], body['state']]));
    return [...last.values()].filter((state) => state === 'open').length;
  }

  /** Everything the ledger has about approvals, oldest first. */
  entries(): readonly Readonly<Record<string, unknown>>[] {
    const reader = new LedgerReader(join(this.dir, '.plimsoll', 'ledger'));
    const found = reader.audit({ kinds: ['approval'] });
    reader.close();
    return found.map(({ body }) => body);
  }

  /** The states of one ticket. */
  states(id: string): readonly unknown[] {
    return this.entries()
      .filter((body) => body['id'] === id)
      .map((body) => body['state']);
  }
}

describe.concurrent('a human in another process', { timeout: 180_000 }, () => {
  test('lets the fifth level of delegation run', async ({ expect }) => {
    await using site = new ApprovalSite();
    const running = site.start('enforce.yaml', 'dive.mjs');
    await running.seen(/diving/);
    const { id, action } = await site.openTicket();
    expect(action).toBe('delegation agent 5');
    expect(await site.approvals('approve', id, '--comment', 'known plan')).toContain('known plan');
    await running.seen(/reached the bottom/);
    expect((await running.ended).code).toBe(0);
    expect(site.states(id)).toEqual(['open', 'approved', 'approved']);
    expect(await site.approvals('show', id)).toMatch(/ran {2,}2\d{3}-/);
  });

  test('keeps it from running', async ({ expect }) => {
    await using site = new ApprovalSite();
    const running = site.start('enforce.yaml', 'dive.mjs');
    await running.seen(/diving/);
    const { id } = await site.openTicket();
    await site.approvals('deny', id);
    const [text] = await running.seen(/refused: .*/);
    expect(text).toBe('refused: PLM_DELEGATION_DENIED because PLM_APPROVAL_DENIED, retryable false');
  });

  test('whose process is killed finds the ticket lost after the restart', async ({ expect }) => {
    await using site = new ApprovalSite();
    const first = site.start('enforce.yaml', 'dive.mjs');
    await first.seen(/diving/);
    const { id } = await site.openTicket();
    // A kill may come before what the process has just asked for is on disk.
    await expect.poll(() => site.states(id)).toEqual(['open']);
    const pid = Number(/"pid": (\d+)/.exec(await site.approvals('list', '--json'))?.[1]);
    process.kill(pid, 'SIGKILL');
    await first.ended;
    expect(await site.approvals('approve', id)).toContain('PLM_APPROVAL_UNKNOWN');
    const second = site.start('enforce.yaml', 'dive.mjs');
    await second.seen(/diving/);
    await expect.poll(() => site.states(id)).toEqual(['open', 'lost']);
    await site.openTicket();
  });

  test('lets the ladder stop the session that holds most, with a token of sre', async ({ expect }) => {
    await using site = new ApprovalSite();
    const running = site.start('ladder.yaml', 'hoard.mjs');
    await running.seen(/hoarding/);
    const row = await site.openTicket();
    expect(row.action).toBe('scope.stop');
    expect(JSON.stringify(row.evidence)).toContain('session:7');
    expect(await site.approvals('approve', row.id)).toContain('PLM_APPROVAL_NOT_ALLOWED');
    const token = (await site.approvals('token', 'ada', '--group', 'sre')).trim();
    expect(await site.decide('approve', row.id, token)).toBe(0);
    await running.seen(/session 7 was stopped/);
    await running.ended;
    expect(site.states(row.id)).toEqual(['open', 'approved', 'approved']);
  });

  test('decides over HTTP about the same ticket, and only with a token', async ({ expect }) => {
    await using site = new ApprovalSite();
    const running = site.start('ladder.yaml', 'hoard.mjs', '--status', '0');
    const [, address] = await running.seen(/dashboard at (http:\S+?)\/?#link=\S+/);
    const admin = readFileSync(join(site.dir, '.plimsoll/token'), 'utf8').trim();
    const row = await site.openTicket();
    const url = `${address}/api/approvals/${row.id}`;
    const post = async (token: string | undefined, change: object = {}): Promise<[number, string]> => {
      const answer = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify({
          decision: 'approve',
          digest: row.digest,
          comment: 'seen',
          key: 'k',
          ...change,
        }),
      });
      return [answer.status, await answer.text()];
    };
    const ada = (await site.approvals('token', 'ada', '--group', 'sre')).trim();
    const eve = (await site.approvals('token', 'eve', '--group', 'dev')).trim();
    expect((await post(undefined))[0]).toBe(401);
    expect((await post('plm_forged'))[0]).toBe(401);
    expect((await post(eve))[1]).toContain('PLM_APPROVAL_NOT_ALLOWED');
    expect((await post(admin))[1]).toContain('PLM_APPROVAL_NOT_ALLOWED');
    expect((await post(ada, { digest: '0'.repeat(64) }))[1]).toContain('PLM_APPROVAL_DIGEST');
    const [status, text] = await post(ada);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { row: { state: 'approved', votes: [{ by: 'user:ada' }] } },
    ]);
    expect((await post(ada, { decision: 'deny' }))[1]).toContain('PLM_APPROVAL_KEY');
    await running.seen(/session 7 was stopped/);
    const { stdout, stderr } = await running.ended;
    expect(`${stdout}${stderr}${JSON.stringify(site.entries())}`).not.toContain(ada);
  });

  test('keeps the ladder from it', async ({ expect }) => {
    await using site = new ApprovalSite();
    const running = site.start('ladder.yaml', 'hoard.mjs');
    await running.seen(/hoarding/);
    const row = await site.openTicket();
    const token = (await site.approvals('token', 'ada', '--group', 'sre')).trim();
    expect(await site.decide('deny', row.id, token)).toBe(0);
    await wait(3000);
    expect(site.states(row.id)).toEqual(['open', 'denied']);
    running.child.kill('SIGTERM');
    expect((await running.ended).stdout).not.toContain('was stopped');
  });
});

test('a process that is stopped is stale, not without approvals', async () => {
  await using site = new Site({
    'app.mjs': `console.log('up ' + process.pid); setInterval(() => {}, 1000);`,
  });
  const running = site.plimsoll(['run', '--', process.execPath, 'app.mjs']);
  const [, pid] = await running.seen(/up (\d+)/);
  await running.seen(/ run pid \d+/);
  process.kill(Number(pid), 'SIGSTOP');
  try {
    const { code, stdout, stderr } = await site.plimsoll(['approvals']).ended;
    expect(stdout).not.toContain('No approvals.');
    expect(stderr).toMatch(/^plimsoll: stale: .* \(pid \d+\) runs and does not answer/);
    expect(code).toBe(1);
  } finally {
    process.kill(Number(pid), 'SIGCONT');
  }
});
