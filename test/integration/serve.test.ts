import { expect, test, vi } from 'vitest';
import type {
  ApprovalsAnswer,
  DecisionAnswer,
  HistoryAnswer,
  ProcessesAnswer,
  ScopesAnswer,
  SessionAnswer,
} from '../../packages/host/src/protocol/api.ts';
import type { ApprovalRow, Frame } from '../../packages/host/src/protocol/frame.ts';
import { Site } from './plimsoll.ts';
import type { Running } from './plimsoll.ts';

const sessions = `
import { open } from '@plimsoll/core';
const sessions = Array.from({ length: 300 }, (_, i) => open('session', 's' + i));
for (const [i, session] of sessions.entries()) session.charge(1000 + i);
setInterval(() => sessions[7].charge(1000), 50);
`;

/** Agents that delegate five levels deep, and say whether the fifth one ran. */
const delegating = `
import { DelegationBreaker } from '@plimsoll/keep';
const breaker = new DelegationBreaker({ total: 100 });
const dive = (depth) => breaker.run({ agent: 'agent ' + depth }, () => (depth < 5 ? dive(depth + 1) : 'bottom'));
try {
  console.log('reached the ' + (await dive(1)));
} catch (error) {
  console.log('refused: ' + error.code);
}
`;

interface Served {
  readonly running: Running;
  readonly address: string;
  readonly token: string;
}

class ServedSite extends Site {
  constructor() {
    super({
      'app.mjs': sessions,
      'dive.mjs': delegating,
      'enforce.yaml': 'apiVersion: plimsoll/v1\nmode: enforce\n',
    });
  }

  /** Starts the command line; its address, and the token for the link that it prints. */
  async start(...args: readonly string[]): Promise<Served> {
    const running = this.plimsoll(args);
    const [, address, link] = await running.seen(/(http:\/\/127\.0\.0\.1:\d+\/)#link=([\w-]+)/);
    const answer = await fetch(`${address}api/link`, { method: 'POST', body: JSON.stringify({ link }) });
    const { token } = (await answer.json()) as { token: string };
    return { running, address: address as string, token };
  }
}

async function get<T>({ address, token }: Pick<Served, 'address' | 'token'>, path: string): Promise<T> {
  const response = await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

const patience = { interval: 300 };
const node = [process.execPath, '--conditions=plimsoll-source'] as const;

test.concurrent(
  'a real process is shown while it runs, and from its ledger when it is gone',
  { timeout: 300_000 },
  async () => {
    await using site = new ServedSite();
    const served = await site.start('run', '--status', '0', '--', ...node, 'app.mjs');
    const frame = await vi.waitFor(async () => {
      const found = await get<Frame>(served, 'api/frame');
      expect(found).toMatchObject({ target: 'node app.mjs', scopeCount: 300 });
      return found;
    }, patience);
    const { rows } = await get<ScopesAnswer>(served, 'api/scopes');
    expect(rows).toHaveLength(300);
    await vi.waitFor(async () => {
      const { rows: later } = await get<ScopesAnswer>(served, 'api/scopes');
      expect(later.find((row) => row.path === 'process/session:s7')?.bytes).toBeGreaterThan(2000);
    }, patience);
    await vi.waitFor(async () => {
      expect((await get<HistoryAnswer>(served, 'api/history')).rows.length).toBeGreaterThan(1);
    }, patience);
    served.running.child.kill('SIGTERM');
    await served.running.ended;
    const gone = await site.start('serve', '--ledger', '.plimsoll/ledger', '--port', '0');
    expect(await get<SessionAnswer>(gone, 'api/session')).toMatchObject({
      live: false,
      process: { pid: frame.pid, target: 'node app.mjs' },
    });
    expect((await get<ProcessesAnswer>(gone, 'api/processes')).processes).toHaveLength(1);
    const last = await get<Frame>(gone, 'api/frame');
    expect(last.reading.rss).toBeGreaterThan(1e6);
    expect(last.last).toBe(true);
    gone.running.child.kill('SIGINT');
    expect(await gone.running.ended).toMatchObject({ code: 0, signal: null });
  },
);

test.concurrent.each([
  ['approve', /reached the bottom/],
  ['deny', /refused: PLM_/],
] as const)('%s over HTTP decides what the program does', async (decision, outcome) => {
  const args = ['run', '--policy', 'enforce.yaml', '--status', '0', '--', ...node, 'dive.mjs'];
  await using site = new ServedSite();
  const served = await site.start(...args);
  const { running, address, token } = served;
  const ticket = await vi.waitFor(async () => {
    const { rows } = await get<ApprovalsAnswer>(served, 'api/approvals');
    const found = rows.find((row) => row.state === 'open');
    expect(found).toBeDefined();
    return found as ApprovalRow;
  }, patience);
  const decide = (body: object, headers: Record<string, string>): Promise<Response> =>
    fetch(`${address}api/approvals/${ticket.id}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const bearer = { authorization: `Bearer ${token}` };
  expect((await decide({ decision, digest: ticket.digest }, {})).status).toBe(401);
  expect((await decide({ decision, digest: 'another' }, bearer)).status).toBe(409);
  const answer = await decide({ decision, digest: ticket.digest, comment: 'seen', key: 'k1' }, bearer);
  expect(((await answer.json()) as DecisionAnswer).row).toMatchObject({
    state: decision === 'approve' ? 'approved' : 'denied',
    votes: [{ decision, channel: 'dashboard', comment: 'seen' }],
  });
  await running.seen(outcome);
});
