/** The four leaks that the example server can be planted with, in short runs, and the server without any. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { plimsoll, root, workFolder } from './plimsoll.ts';

const server = join(root, 'examples/agent-server/src/main.ts');
// Few users with small documents: four servers share the machine, and what is to be found does not depend on its speed.
const load = ['--load', '--payload', '4KiB', '--speed', '20', '--duration', '16s'];

// Their paths need snapshots, and four servers beside other tests are slower than a stop of two seconds allows.
const patient = ['--max-pause', '60s'];

async function reportOf(options: readonly string[], ...extra: readonly string[]): Promise<Report> {
  const dir = workFolder();
  const command = ['node', '--conditions=plimsoll-source', server, '--port', '0', ...load, ...extra];
  const end = await plimsoll(['run', ...options, '--report', 'r.json', '--', ...command], dir).ended;
  expect(end.code, end.stderr).toBe(0);
  return JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as Report;
}

const session = /^process\/agent:\w+\/session:[^/]+$/;
const run = /^process\/agent:\w+\/session:[^/]+\/run:\d+$/;
const bounded = (holder: string): string =>
  `remove entries from ${holder} when their work ends, or give it a bound (a keeper of @plimsoll/keep).`;

interface Planted {
  readonly scope: RegExp;
  readonly subject: string;
  readonly holder: string;
  readonly fix: string;
}

const planted = {
  'session-map': {
    scope: session,
    subject: '"state" of the closed session',
    holder: 'sessions: SessionStore > sessions: Map',
    fix: bounded('SessionStore.sessions'),
  },
  'abort-listener': {
    scope: run,
    subject: '"run" of the closed run',
    holder: '#signal: AbortSignal > <symbol kEvents>: Map > get("abort")',
    fix: 'remove the abort listener when the work ends, or give the work a signal of its own (scope.signal forwards a long-lived one and drops it on close).',
  },
  'replay-buffer': {
    scope: session,
    subject: '"replay buffers" of the closed session',
    holder: 'replays: ReplayRegistry > sessions: Map',
    fix: bounded('ReplayRegistry.sessions'),
  },
  checkpoints: {
    scope: session,
    subject: '"checkpoints" of the closed session',
    holder: 'checkpoints: CheckpointStore > threads: Map',
    fix: bounded('CheckpointStore.threads'),
  },
} satisfies Record<string, Planted>;

// The last two hold different parts of the same sessions: told apart, each is found as if it were alone.
test.concurrent.for([['session-map'], ['abort-listener'], ['replay-buffer', 'checkpoints']] as const)(
  'planted and found with scope, holder and cure: %s',
  { timeout: 300_000 },
  async (leaks) => {
    const report = await reportOf(patient, '--users', '6', ...leaks.flatMap((leak) => ['--leak', leak]));
    expect(report.verdict, report.why).toBe('leak');
    expect(report.proof?.snapshots.length).toBeGreaterThan(0);
    // What only goes with a leak is told as such, and after it.
    const found = report.findings.filter(({ kind, severity }) => kind === 'survivor' && severity !== 'info');
    expect(report.findings.slice(0, leaks.length)).toEqual(found);
    for (const { scope, subject, holder, fix } of leaks.map((leak): Planted => planted[leak])) {
      const finding = found.find((each) => each.subject === subject);
      expect(finding?.severity, subject).toMatch(/medium|high|critical/);
      expect(finding?.scope).toMatch(scope);
      expect(finding?.fix).toBe(`release ${subject}: ${fix}`);
      expect(finding?.trace?.map(({ via, name }) => `${via}: ${name}`).join(' > ')).toContain(holder);
      expect(finding?.bytes).toBeGreaterThan(1000);
    }
  },
);

test.concurrent(
  'the server without a planted leak is clean and leaves nothing attached',
  { timeout: 900_000 },
  async () => {
    // `clean` needs more of a life than a leak does: for half a minute Plimsoll and the program warm up. On a busy machine that takes
    // longer, and the verdict says so instead of guessing. Growth that nothing explains is then told as low.
    let report: Report | undefined;
    for (const duration of ['40s', '90s', '150s']) {
      report = await reportOf(['--audit'], '--users', '3', '--duration', duration);
      expect(report.verdict, report.why).not.toBe('leak');
      expect(
        report.findings.filter(({ severity }) => severity !== 'low'),
        report.why,
      ).toEqual([]);
      if (report.verdict === 'clean') break;
    }
    expect(report?.verdict, report?.why).toBe('clean');
    expect(report?.findings, report?.why).toEqual([]);
  },
);
