/** The four leaks that the example server can be planted with, each in a short run of its own, and the server without any. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { plimsoll, root, workFolder } from './plimsoll.ts';

const server = join(root, 'examples/agent-server/src/main.ts');
// Few users with small documents: five servers share the machine, and what is to be found does not depend on its speed.
const load = ['--load', '--users', '6', '--payload', '4KiB', '--speed', '20', '--duration', '16s'];

async function reportOf(...extra: readonly string[]): Promise<Report> {
  const dir = workFolder();
  const options = extra.length === 0 ? ['--audit'] : [];
  const command = ['node', '--conditions=plimsoll-source', server, '--port', '0', ...load, ...extra];
  const end = await plimsoll(['run', ...options, '--report', 'r.json', '--', ...command], dir).ended;
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as Report;
}

const session = /^process\/agent:\w+\/session:[^/]+$/;
const run = /^process\/agent:\w+\/session:[^/]+\/run:\d+$/;
const bounded = (holder: string): string =>
  `remove entries from ${holder} when their work ends, or give it a bound (a keeper of @plimsoll/keep).`;

test.concurrent.for([
  {
    leak: 'session-map',
    scope: session,
    subject: '"state" of the closed session',
    holder: 'sessions: SessionStore > sessions: Map',
    fix: bounded('SessionStore.sessions'),
  },
  {
    leak: 'abort-listener',
    scope: run,
    subject: '"run" of the closed run',
    holder: '#signal: AbortSignal > <symbol kEvents>: Map > get("abort")',
    fix: 'remove the abort listener when the work ends, or hand the work a signal of its own (scope.signal forwards a long-lived one and lets go on close).',
  },
  {
    leak: 'replay-buffer',
    scope: session,
    subject: '"replay buffers" of the closed session',
    holder: 'replays: ReplayRegistry > sessions: Map',
    fix: bounded('ReplayRegistry.sessions'),
  },
  {
    leak: 'checkpoints',
    scope: session,
    subject: '"checkpoints" of the closed session',
    holder: 'checkpoints: CheckpointStore > threads: Map',
    fix: bounded('CheckpointStore.threads'),
  },
])(
  'the planted $leak is found with its scope, its holder and its cure',
  { timeout: 300_000 },
  async ({ leak, scope, subject, holder, fix }) => {
    const report = await reportOf('--leak', leak);
    expect(report.verdict, report.why).toBe('leak');
    const [finding, ...others] = report.findings;
    expect(finding).toMatchObject({ kind: 'survivor', subject, fix: `let go of ${subject}: ${fix}` });
    expect(finding?.severity).toMatch(/medium|high|critical/);
    expect(finding?.scope).toMatch(scope);
    expect(finding?.trace?.map(({ via, name }) => `${via}: ${name}`).join(' > ')).toContain(holder);
    expect(finding?.bytes).toBeGreaterThan(1000);
    expect(report.proof?.snapshots.length).toBeGreaterThan(0);
    // What goes with it is told as such.
    expect(others.filter(({ kind, severity }) => kind === 'survivor' && severity !== 'info')).toEqual([]);
  },
);

test.concurrent(
  'the server without a planted leak is clean and leaves nothing attached',
  { timeout: 300_000 },
  async () => {
    const report = await reportOf();
    expect(report.findings, report.why).toEqual([]);
    expect(report.verdict, report.why).toBe('clean');
    expect(report.proof?.snapshots).toEqual([]);
  },
);
