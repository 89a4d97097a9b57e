import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endGroup, startGroup } from '../process-group.ts';

const main = resolve(import.meta.dirname, '../../examples/agent-server/src/main.ts');

interface Example {
  readonly child: ChildProcess;
  readonly base: string;
  readonly said: { out: string; err: string };
}

let started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started) endGroup(child);
  started = [];
});

/** The example as a process group of its own, so that what it leaves running can be seen. */
function spawnExample(...args: string[]): Omit<Example, 'base'> {
  const child = startGroup(process.execPath, ['--conditions=plimsoll-source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const said = { out: '', err: '' };
  child.stdout?.on('data', (chunk: Buffer) => (said.out += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (said.err += chunk.toString()));
  return { child, said };
}

async function startExample(...args: string[]): Promise<Example> {
  const { child, said } = spawnExample('--port', '0', ...args);
  await expect.poll(() => said.out).toMatch(/http:\S+\n/);
  return { child, said, base: /http:\S+/.exec(said.out)?.[0] as string };
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

function groupAlive(child: ChildProcess): boolean {
  try {
    process.kill(-(child.pid as number), 0);
    return true;
  } catch {
    return false;
  }
}

async function sessionsOf(base: string): Promise<number> {
  const response = await fetch(`${base}/healthz`);
  return ((await response.json()) as { sessions: number }).sessions;
}

test.each([[], ['--ungoverned']])(
  'a session from open to close over HTTP, then SIGINT %s',
  async (...args) => {
    const { child, base, said } = await startExample(
      '--token-ms',
      '1',
      '--tool-ms',
      '1',
      '--drain',
      '1h',
      ...args,
    );
    const opened = await fetch(`${base}/sessions`, { method: 'POST', body: '{"agent":"planner"}' });
    expect(opened.status).toBe(201);
    const { id } = (await opened.json()) as { id: string };
    const turn = await fetch(`${base}/sessions/${id}/turns`, {
      method: 'POST',
      body: JSON.stringify({ text: 'Compare with tides' }),
    });
    const text = await turn.text();
    expect(text).toContain('event: done');
    expect(await (await fetch(`${base}/sessions/${id}/runs/1/stream`)).text()).toBe(text);
    expect((await fetch(`${base}/sessions/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect(await sessionsOf(base)).toBe(0);
    child.kill('SIGINT');
    expect(await exitOf(child)).toBe(0);
    expect(said.out).toBe(`agent server on ${base}\n`);
    expect(said.err).toBe('');
  },
);

test('under load, SIGTERM ends runs, sessions and the load generator within the drain time', async () => {
  const { child, base, said } = await startExample(
    '--load',
    '--users',
    '12',
    '--think',
    '20ms',
    '--drain',
    '300ms',
  );
  await expect.poll(() => sessionsOf(base)).toBeGreaterThan(5);
  // The load has no end of its own: without the end of the drain there would be none.
  child.kill('SIGTERM');
  expect(await exitOf(child)).toBe(0);
  await expect.poll(() => groupAlive(child)).toBe(false);
  expect(said.err).toBe('');
});

test('a load with a number of sessions ends the server by itself', async () => {
  const { child, said } = await startExample('--load', '--users', '6', '--sessions', '12', '--speed', '50');
  expect(await exitOf(child)).toBe(0);
  expect(said.err).toBe('');
  expect(groupAlive(child)).toBe(false);
});

test('a server that is killed takes its load generator with it', async () => {
  const { child, base } = await startExample('--load', '--users', '3');
  await expect.poll(() => sessionsOf(base)).toBeGreaterThan(0);
  child.kill('SIGKILL');
  await exitOf(child);
  await expect.poll(() => groupAlive(child)).toBe(false);
});

test('a flag that cannot be understood is one line and exit code 1', async () => {
  const { child, said } = spawnExample('--leak', 'roof');
  expect(await exitOf(child)).toBe(1);
  expect(said.err).toMatchInlineSnapshot(`
    "--leak roof: the leaks are session-map, abort-listener, replay-buffer, checkpoints.
    "
  `);
});
