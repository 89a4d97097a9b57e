import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { LedgerReader } from '@plimsoll/ledger';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { plimsoll, root, workFolder } from './plimsoll.ts';
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

/** A program with ten sessions, one of which holds most of the memory and is of no use. */
const hoarding = `
import { open } from '@plimsoll/core';
const sessions = Array.from({ length: 10 }, (_, i) => open('session', String(i)));
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
  ops: { by: [ "group:sre" ], ttl: 60s, on-expiry: skip }
`;

const enforce = 'apiVersion: plimsoll/v1\nmode: enforce\n';

let dir: string;
let program: Running | undefined;

beforeEach(() => {
  dir = workFolder({
    'dive.mjs': delegating,
    'hoard.mjs': hoarding,
    'enforce.yaml': enforce,
    'ladder.yaml': ladder,
  });
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
});

afterEach(async () => {
  program?.child.kill('SIGTERM');
  await program?.ended;
  rmSync(dir, { recursive: true, force: true });
});

function start(policy: string, file: string, ...more: readonly string[]): Running {
  const target = [process.execPath, '--conditions=plimsoll-source', file];
  const args = ['run', '--policy', policy, ...more, '--', ...target];
  program = plimsoll(args, dir);
  return program;
}

async function approvals(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await plimsoll(['approvals', ...args], dir).ended;
  return code === 0 ? stdout : stderr;
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly action: string;
  readonly digest: string;
  readonly evidence: Readonly<Record<string, unknown>>;
}

/** The first ticket that is open, as another process sees it. */
async function openTicket(): Promise<Row> {
  for (let i = 0; i < 60; i++) {
    const rows = JSON.parse(await approvals('list', '--json')) as readonly Row[];
    const found = rows.find((row) => row.state === 'open');
    if (found !== undefined) return found;
    await wait(100);
  }
  throw new Error('no ticket was filed');
}

/** Everything the ledger has about approvals, oldest first. */
function entries(): readonly Readonly<Record<string, unknown>>[] {
  const reader = new LedgerReader(join(dir, '.plimsoll', 'ledger'));
  const found = reader.audit({ kinds: ['approval'] });
  reader.close();
  return found.map(({ body }) => body);
}

/** The states of one ticket. */
function states(id: string): readonly unknown[] {
  return entries()
    .filter((body) => body['id'] === id)
    .map((body) => body['state']);
}

describe('a human in another process', { timeout: 90_000 }, () => {
  test('lets the fifth level of delegation run', async () => {
    const running = start('enforce.yaml', 'dive.mjs');
    await running.seen(/diving/);
    const { id, action } = await openTicket();
    expect(action).toBe('delegation agent 5');
    expect(await approvals('approve', id, '--comment', 'known plan')).toContain('known plan');
    await running.seen(/reached the bottom/);
    expect((await running.ended).code).toBe(0);
    expect(states(id)).toEqual(['open', 'approved', 'approved']);
    expect(await approvals('show', id)).toMatch(/ran {2,}2\d{3}-/);
  });

  test('keeps it from running', async () => {
    const running = start('enforce.yaml', 'dive.mjs');
    await running.seen(/diving/);
    const { id } = await openTicket();
    await approvals('deny', id);
    const [text] = await running.seen(/refused: .*/);
    expect(text).toBe('refused: PLM_DELEGATION_DENIED because PLM_APPROVAL_DENIED, retryable false');
  });

  test('whose process is killed finds the ticket lost after the restart', async () => {
    const first = start('enforce.yaml', 'dive.mjs');
    await first.seen(/diving/);
    const { id } = await openTicket();
    const pid = Number(/"pid": (\d+)/.exec(await approvals('list', '--json'))?.[1]);
    process.kill(pid, 'SIGKILL');
    await first.ended;
    expect(await approvals('approve', id)).toContain('PLM_APPROVAL_UNKNOWN');
    const second = start('enforce.yaml', 'dive.mjs');
    await second.seen(/diving/);
    await openTicket();
    expect(states(id)).toEqual(['open', 'lost']);
  });

  test('lets the ladder stop the session that holds most, with a token of sre', async () => {
    const running = start('ladder.yaml', 'hoard.mjs');
    await running.seen(/hoarding/);
    const row = await openTicket();
    expect(row.action).toBe('scope.stop');
    expect(JSON.stringify(row.evidence)).toContain('session:7');
    expect(await approvals('approve', row.id)).toContain('PLM_APPROVAL_NOT_ALLOWED');
    const token = (await approvals('token', 'ada', '--group', 'sre')).trim();
    const { code } = await plimsoll(['approvals', 'approve', row.id], dir, { PLIMSOLL_TOKEN: token }).ended;
    expect(code).toBe(0);
    await running.seen(/session 7 was stopped/);
    await running.ended;
    expect(states(row.id)).toEqual(['open', 'approved', 'approved']);
  });

  test('decides over HTTP about the same ticket, and only with a token', async () => {
    const running = start('ladder.yaml', 'hoard.mjs', '--status', '0');
    const [, address, admin] = await running.seen(/dashboard at (http:\S+?)\/?#token=(\S+)/);
    const row = await openTicket();
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
    const ada = (await approvals('token', 'ada', '--group', 'sre')).trim();
    const eve = (await approvals('token', 'eve', '--group', 'dev')).trim();
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
    expect(`${stdout}${stderr}${JSON.stringify(entries())}`).not.toContain(ada);
  });

  test('keeps the ladder from it', async () => {
    const running = start('ladder.yaml', 'hoard.mjs');
    await running.seen(/hoarding/);
    const row = await openTicket();
    const token = (await approvals('token', 'ada', '--group', 'sre')).trim();
    await plimsoll(['approvals', 'deny', row.id], dir, { PLIMSOLL_TOKEN: token }).ended;
    await wait(3000);
    expect(states(row.id)).toEqual(['open', 'denied']);
    running.child.kill('SIGTERM');
    expect((await running.ended).stdout).not.toContain('was stopped');
  });
});
