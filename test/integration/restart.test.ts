/** Real processes that drain, park their sessions and are started again by `plimsoll run`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { LedgerReader } from '@plimsoll/ledger';
import type { AuditRecord } from '@plimsoll/ledger';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { Site } from './plimsoll.ts';
import type { Running } from './plimsoll.ts';

/** A server whose sessions are numbers; it restarts when asked to, and tells who it is. */
const server = `
import { createServer } from 'node:http';
import { admit, isAdmitError, isReady, management, onDrain } from '@plimsoll/core';
import { requestRestart } from '@plimsoll/core/internal/gate/drain-hooks';
import { FileLot, SessionCache } from '@plimsoll/keep/session-cache';

// But where a test is about it, the next life waits for the end of this one.
const overlap = process.env.OVERLAP === '1' ? {} : { overlapBytes: 0 };
const cache = new SessionCache({ maxEntries: 100, park: new FileLot({ dir: 'parked' }), open: (id) => ({ turns: 0 }) });
const routes = {
  '/ready': (response) => response.writeHead(isReady() ? 200 : 503).end(),
  '/restart': (response) => response.end(JSON.stringify(requestRestart('asked for', { drainMs: 20_000, minUptimeMs: 0, ...overlap }))),
};
const app = createServer(async (request, response) => {
  const route = routes[request.url];
  if (route !== undefined) return management(() => route(response));
  try {
    admit('run', { continues: 'session' });
    const lease = await cache.acquire(request.url);
    response.end(String(++lease.value.turns));
    lease.release();
  } catch (error) {
    if (isAdmitError(error)) response.writeHead(error.statusCode, error.headers).end(error.code);
    else response.writeHead(500).end(String(error));
  }
});
onDrain(async () => {
  if (process.env.HANG === 'drain') console.log('draining');
  while (process.env.HANG === 'drain') await new Promise((resolve) => setTimeout(resolve, 1000));
});
app.listen(0, '127.0.0.1', () => {
  console.log('up ' + app.address().port + ' ' + process.pid + '.');
  if (process.env.RESTART === 'at-once') {
    const ask = () => requestRestart('at once', { drainMs: 0, minUptimeMs: 0, ...overlap }).state === 'draining' || setTimeout(ask, 50);
    ask();
  }
});
`;

/** The server, governed, in a folder of its own. */
class ServerSite extends Site {
  readonly run: Running;

  constructor(options: readonly string[], env: Record<string, string> = {}) {
    super({ 'server.mjs': server });
    const program = ['node', '--conditions=plimsoll-source', 'server.mjs'];
    this.run = this.plimsoll(['run', ...options, '--', ...program], env);
  }
}

const patience = { interval: 100 };
const lives = (count: number): RegExp => new RegExp(`(?:up (\\d+) (\\d+)\\.[\\s\\S]*?){${count}}$`);

/** The address and process id of the newest of so many lives. */
async function life(run: Running, count: number): Promise<{ base: string; pid: number }> {
  const [, port, pid] = await run.seen(lives(count));
  return { base: `http://127.0.0.1:${port}`, pid: Number(pid) };
}

function audit(dir: string, kinds: readonly string[]): readonly AuditRecord[] {
  const reader = new LedgerReader(join(dir, '.plimsoll/ledger'));
  try {
    expect(reader.verifyChain()).toMatchObject({ ok: true });
    return reader.audit({ kinds: [...kinds] });
  } finally {
    reader.close();
  }
}

const ask = async (url: string): Promise<string> => (await fetch(url)).text();

/** A restart that waits until the process is governed. */
async function restart(base: string): Promise<void> {
  await vi.waitFor(
    async () => expect(JSON.parse(await ask(`${base}/restart`))).toMatchObject({ state: 'draining' }),
    patience,
  );
}

test.concurrent(
  'a program drains, parks, is started again, finds its sessions and tells what happened',
  { timeout: 300_000 },
  async () => {
    await using site = new ServerSite(['--report', 'report.json']);
    const { run, dir } = site;
    const first = await life(run, 1);
    expect([
      await ask(`${first.base}/a`),
      await ask(`${first.base}/a`),
      await ask(`${first.base}/b`),
    ]).toEqual(['1', '2', '1']);
    await restart(first.base);
    const second = await life(run, 2);
    expect(second.pid).not.toBe(first.pid);
    expect([await ask(`${second.base}/a`), await ask(`${second.base}/c`)]).toEqual(['3', '1']);
    expect((await fetch(`${second.base}/ready`)).status).toBe(200);
    await run.seen(/last exit: restart \(asked for\), \d+ m?s ago; 2 sessions parked, 0 lost/);
    // The program has no handler: a signal leaves no time for what is not on disk yet.
    await vi.waitFor(() => expect(audit(dir, ['resume'])).toHaveLength(1), patience);
    run.child.kill('SIGTERM');
    const end = await run.ended;
    expect(end.code).toBe(143);
    expect(end.stderr).toMatch(/plimsoll: \S+Z restart 1 now: asked for; 2 sessions parked/);
    expect(end.stderr).toMatch(/restarts {2}1, 2 lives in all\n.*asked for; 2 sessions parked, 0 lost/);

    const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
    expect(report.lives).toMatchObject([
      { pid: first.pid, exit: { code: 75 }, restart: { reason: 'asked for', parked: 2, lost: 0 } },
      { pid: second.pid, exit: { signal: 'SIGTERM' }, restart: null },
    ]);
    const entries = audit(dir, ['exit', 'resume', 'restart']);
    // The end of the second life is written by the supervisor, once a reading of it has come.
    expect(entries.slice(0, 3).map(({ kind, body }) => [kind, body['reason'] ?? body['event']])).toEqual([
      ['restart', 'drain'],
      ['exit', 'restart: asked for; 2 sessions parked, 0 lost'],
      ['resume', 'asked for'],
    ]);
    const told = await site.plimsoll(['ledger', 'summary']).ended;
    expect(told.stdout).toMatch(/^before +last exit: restart \(asked for\), .* 2 sessions parked, 0 lost$/m);
  },
);

test.concurrent(
  'a program that is killed while it drains is started again and says that it was cut short',
  { timeout: 300_000 },
  async () => {
    await using site = new ServerSite([], { HANG: 'drain' });
    const { run } = site;
    const first = await life(run, 1);
    expect(await ask(`${first.base}/a`)).toBe('1');
    await restart(first.base);
    await run.seen(/draining/);
    // It serves management and nothing new while it drains.
    expect((await fetch(`${first.base}/ready`)).status).toBe(503);
    const refused = await fetch(`${first.base}/a`);
    expect([refused.status, await refused.text()]).toEqual([503, 'PLM_ADMIT_DRAINING']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    process.kill(first.pid, 'SIGKILL');
    const second = await life(run, 2);
    await run.seen(
      /last exit: restart cut short while it drained \(asked for\), .*; 0 sessions parked, 1 lost/,
    );
    expect(await ask(`${second.base}/a`)).toBe('1');
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
  },
);

test.concurrent(
  'a storm of restarts ends with a clear message and the exit code',
  { timeout: 300_000 },
  async () => {
    await using site = new ServerSite(['--restarts', '2'], { RESTART: 'at-once' });
    const { run } = site;
    const end = await run.ended;
    expect(end.code).toBe(75);
    expect(end.stdout.match(/^up /gm)).toHaveLength(3);
    expect(end.stderr).toContain(
      'given up: PLM_RESTART_TOO_OFTEN: "node --conditions=plimsoll-source server.mjs" ended to be restarted 2 times within 1 h and is not started again.',
    );
    expect(end.stderr).toContain('restarts  3, 3 lives in all');
  },
);

/** Six users with a session each, half of them on connections that they keep. Ends when told to, and says what they saw. */
const users = `
import http from 'node:http';
const base = process.argv[2];
const agent = new http.Agent({ keepAlive: true });
const seen = { ok: 0, failed: [], lost: 0 };
let isOver = false;
process.once('SIGTERM', () => (isOver = true));
const get = (path, kept) => new Promise((done, fail) => {
  const request = http.get(base + path, { agent: kept ? agent : false }, (response) => {
    let text = '';
    response.on('data', (chunk) => (text += chunk)).on('error', fail);
    response.on('end', () => (response.statusCode === 200 ? done(Number(text)) : fail(new Error(text))));
  });
  request.on('error', fail);
});
await Promise.all(Array.from({ length: 6 }, async (_, user) => {
  for (let turns = 1; !isOver; turns++) {
    try {
      if ((await get('/user-' + user, user % 2 === 0)) !== turns) seen.lost++;
      seen.ok++;
    } catch (error) {
      seen.failed.push(String(error));
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}));
console.log(JSON.stringify(seen));
process.exit();
`;

test.concurrent(
  'nobody notices a planned restart: the next life takes over sockets and sessions',
  { timeout: 300_000 },
  async () => {
    await using site = new ServerSite(['--report', 'report.json'], { OVERLAP: '1' });
    const { run, dir } = site;
    writeFileSync(join(dir, 'users.mjs'), users);
    const first = await life(run, 1);
    const crowd = spawn(process.execPath, ['users.mjs', first.base], { cwd: dir });
    let said = '';
    crowd.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const gone = once(crowd, 'close');
    try {
      await restart(first.base);
      await run.seen(
        /restart 1 without a gap: asked for; the next life has taken over, \d+ sessions parked, 0 lost/,
      );
      const second = await life(run, 2);
      expect(second.base).toBe(first.base);
      expect(second.pid).not.toBe(first.pid);
      expect(await ask(`${second.base}/other`)).toBe('1');
    } finally {
      crowd.kill('SIGTERM');
      await gone;
    }
    expect(JSON.parse(said)).toMatchObject({ failed: [], lost: 0 });
    run.child.kill('SIGTERM');
    await run.ended;
    const report = JSON.parse(readFileSync(join(dir, 'report.json'), 'utf8')) as Report;
    expect(report.lives).toMatchObject([
      { pid: first.pid, exit: { code: 75 }, restart: { reason: 'asked for', lost: 0, interrupted: 0 } },
      { restart: null },
    ]);
    expect(audit(dir, ['restart']).map(({ body }) => body['event'])).toEqual(['handover', 'drain']);
  },
);

test.concurrent('--no-restart hands the exit code on to whoever supervises', async () => {
  await using site = new ServerSite(['--no-restart'], { RESTART: 'at-once' });
  const { run } = site;
  const end = await run.ended;
  expect(end.code).toBe(75);
  expect(end.stdout.match(/^up /gm)).toHaveLength(1);
});

const ladder = `apiVersion: plimsoll/v1
revision: 1
mode: enforce
signal: { sample: 250ms, fast: 100ms, grace: 500ms }
levels:
  warning: { enter: 50%, exit: 45%, for: 200ms, keep: 2s }
  critical: { enter: 60%, exit: 55%, for: 200ms, keep: 2s }
  emergency: { enter: 70%, exit: 65%, for: 200ms, keep: 2s }
ladder:
  critical:
    - session.park: { until: 50% }
  emergency:
    - session.park: { until: 50% }
    - admit.refuse: { retry-after: 1s..2s }
    - process.restart: { after: 5s, drain: 2s, jitter: 0s, at-most: 3/h, min-uptime: 1s }
`;

/** Fills most of its heap in its first life, where nothing but a restart helps, and little of it in the second. */
const leaking = `
import { existsSync, writeFileSync } from 'node:fs';
import { FileLot, SessionCache } from '@plimsoll/keep/session-cache';
const isFirst = !existsSync('lived');
writeFileSync('lived', '');
const cache = new SessionCache({ maxEntries: 100, park: new FileLot({ dir: 'parked' }), open: () => ({ notes: 'new' }) });
if (isFirst) for (let i = 0; i < 5; i++) cache.set('s' + i, { notes: 'kept' });
else console.log('s3 ' + (await cache.acquire('s3')).value.notes + '.');
const held = (globalThis.held = []);
setInterval(() => {
  const isFull = !isFirst || held.length >= 210_000;
  const made = Array.from({ length: isFull ? 200 : 2000 }, (_, at) => ({ at, list: Array.from({ length: 16 }, () => at + 0.5) }));
  if (!isFull) held.push(...made);
}, 10);
`;

test.concurrent(
  'a ladder that nothing else helps restarts the program, and its record says why',
  { timeout: 180_000 },
  async () => {
    await using site = new Site({ 'leaking.mjs': leaking, 'p.yaml': ladder });
    const { dir } = site;
    const program = ['node', '--conditions=plimsoll-source', '--max-old-space-size=96', 'leaking.mjs'];
    const run = site.plimsoll(['run', '--policy', 'p.yaml', '--', ...program]);
    await run.seen(/s3 kept\./);
    await run.seen(/last exit: restart \(it holds .* and no rung of the ladder freed enough\)/);
    await vi.waitFor(() => expect(audit(dir, ['resume'])).toHaveLength(1), patience);
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
    const actions = audit(dir, ['action']).map(
      ({ body }) => `${String(body['action'])} ${String(body['outcome'])}`,
    );
    expect(actions).toContain('session.park done');
    // On a slow machine the second that the restart waits for is over before the effect of parking is known, and the rung between has no turn.
    expect(actions.some((each) => each.startsWith('process.restart'))).toBe(true);
  },
);
