import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type {
  Frame,
  HistoryAnswer,
  ProcessesAnswer,
  ScopesAnswer,
  SessionAnswer,
} from '../../packages/plimsoll/src/server/api.ts';

const root = resolve(import.meta.dirname, '../..');
const cli = ['--conditions=plimsoll-source', join(root, 'packages/plimsoll/src/cli.ts')] as const;

let dir: string;
let children: ChildProcess[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-serve-'));
  children = [];
  const core = JSON.stringify(join(root, 'packages/core/src/index.ts'));
  writeFileSync(
    join(dir, 'app.mjs'),
    `import { open } from ${core};
const sessions = Array.from({ length: 300 }, (_, i) => open('session', 's' + i));
for (const [i, session] of sessions.entries()) session.charge(1000 + i);
setInterval(() => sessions[7].charge(1000), 50);
`,
  );
});

afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }
  rmSync(dir, { recursive: true, force: true });
});

/** Starts the command line and resolves to the address it prints. */
async function start(...args: readonly string[]): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [...cli, ...args], { cwd: dir, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const pattern = /http:\/\/127\.0\.0\.1:\d+\//;
  await vi.waitFor(() => expect(said).toMatch(pattern), 20_000);
  return { child, address: pattern.exec(said)?.[0] as string };
}

async function get<T>(address: string, path: string): Promise<T> {
  const response = await fetch(`${address}${path}`);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}

test(
  'a real process is shown while it runs, and from its ledger when it is gone',
  { timeout: 90_000 },
  async () => {
    const { child, address } = await start(
      'run',
      '--status',
      '0',
      '--',
      'node',
      '--conditions=plimsoll-source',
      'app.mjs',
    );
    const frame = await vi.waitFor(() => get<Frame>(address, 'api/frame'), {
      timeout: 20_000,
      interval: 500,
    });
    expect(frame).toMatchObject({ target: 'node app.mjs', scopeCount: 300 });
    const { rows } = await get<ScopesAnswer>(address, 'api/scopes');
    expect(rows).toHaveLength(300);
    expect(rows.find((row) => row.path === 'process/session:s7')?.bytes).toBeGreaterThan(2000);
    await vi.waitFor(
      async () => expect((await get<HistoryAnswer>(address, 'api/history')).rows.length).toBeGreaterThan(1),
      { timeout: 20_000, interval: 500 },
    );
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
    const gone = await start('serve', '--ledger', '.plimsoll/ledger', '--port', '0');
    expect(await get<SessionAnswer>(gone.address, 'api/session')).toMatchObject({
      live: false,
      process: { pid: frame.pid, target: 'node app.mjs' },
    });
    const { processes } = await get<ProcessesAnswer>(gone.address, 'api/processes');
    expect(processes).toHaveLength(1);
    const last = await get<Frame>(gone.address, 'api/frame');
    expect(last.reading.rss).toBeGreaterThan(1e6);
    expect(last.last).toBe(true);
    const end = once(gone.child, 'exit');
    gone.child.kill('SIGINT');
    expect(await end).toEqual([0, null]);
  },
);
