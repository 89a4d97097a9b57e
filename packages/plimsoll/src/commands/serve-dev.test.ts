import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import { untilTold } from '../run/program.fixture.ts';
import { Governed } from '../server/governed.fixture.ts';
import { writeLedger } from '../server/ledger.fixture.ts';
import { isFree } from './dev.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-serve-'));
});

/** The address that was printed, without its token. */
async function addressIn(text: () => string): Promise<string> {
  const found = /http:\/\/[\d.]+:\d+\//;
  await vi.waitFor(() => expect(text()).toMatch(found));
  return found.exec(text())?.[0] as string;
}

/** Asks as the owner does, with the token of the folder, or with the one given for a link. */
function ask(
  url: string,
  token = readFileSync(join(dir, '.plimsoll/token'), 'utf8').trim(),
): Promise<Response> {
  return fetch(url, { headers: { authorization: `Bearer ${token}` } });
}

async function exchange(address: string, text: string): Promise<{ status: number; token: string }> {
  const link = /#link=([\w-]+)/.exec(text)?.[1];
  const response = await fetch(`${address}api/link`, { method: 'POST', body: JSON.stringify({ link }) });
  return { status: response.status, ...((await response.json()) as { token: string }) };
}

/** Ends "serve" as a terminal that closes does; nobody else listens to this signal in a test. */
function hangUp(): void {
  process.emit('SIGHUP');
}

test('serve shows the running process of a folder until it is told to end', async () => {
  const app = new Governed(join(dir, '.plimsoll'));
  const { mkdirSync } = await import('node:fs');
  mkdirSync(app.dir, { recursive: true });
  await app.start();
  onTestFinished(() => app.stop());
  app.beat();
  const io = new TestIo(dir);
  const done = io.plimsoll('serve', '--port', '0');
  const address = await addressIn(() => io.out);
  expect(io.out).toMatch(
    /^plimsoll: dashboard at http:\/\/127\.0\.0\.1:\d+\/#link=[\w-]{32} \(opens once, .*\)\n$/,
  );
  expect((await fetch(`${address}status.json`)).status).toBe(401);
  expect(await (await ask(`${address}status.json`)).json()).toMatchObject({ pid: process.pid });
  hangUp();
  expect(await done).toBe(0);
  await expect(fetch(address)).rejects.toThrow('fetch failed');
});

test('a link opens once, open makes another, and a rotated token ends them all', async () => {
  const io = new TestIo(dir);
  const none = new TestIo(dir);
  expect(await none.plimsoll('open')).toBe(1);
  expect(none.err).toContain('PLM_CLI_NO_SERVER');
  const done = io.plimsoll('serve', '--port', '0');
  const address = await addressIn(() => io.out);
  const first = await exchange(address, io.out);
  expect(first.status).toBe(200);
  expect((await ask(`${address}api/processes`, first.token)).status).toBe(200);
  expect((await exchange(address, io.out)).status).toBe(401);
  const again = new TestIo(dir);
  expect(await again.plimsoll('open')).toBe(0);
  expect(again.out.startsWith(address)).toBe(true);
  expect((await exchange(address, again.out)).status).toBe(200);
  const old = readFileSync(join(dir, '.plimsoll/token'), 'utf8').trim();
  expect(await new TestIo(dir).plimsoll('token', 'rotate')).toBe(0);
  expect((await ask(`${address}api/processes`, old)).status).toBe(401);
  expect((await ask(`${address}api/processes`, first.token)).status).toBe(401);
  expect((await ask(`${address}api/processes`)).status).toBe(200);
  hangUp();
  expect(await done).toBe(0);
  expect(await new TestIo(dir).plimsoll('open')).toBe(1);
});

test('on a terminal the address carries the token', async () => {
  const io = new TestIo(dir, true);
  const done = io.plimsoll('serve', '--port', '0');
  await addressIn(() => io.out);
  expect(io.out).toContain(`#token=${readFileSync(join(dir, '.plimsoll/token'), 'utf8').trim()}\n`);
  hangUp();
  expect(await done).toBe(0);
});

test('serve --ledger shows a process that is gone, and says when there is no ledger', async () => {
  await writeLedger(join(dir, 'old'), { startedAt: Date.UTC(2026, 9, 1), minutes: 1 });
  const io = new TestIo(dir);
  const done = io.plimsoll('serve', '--ledger', 'old', '--port', '0', '--json');
  const address = await addressIn(() => io.out);
  expect(JSON.parse(io.out)).toMatchObject({ address, open: expect.stringContaining('#link=') });
  const { token } = await exchange(address, io.out);
  expect(await (await ask(`${address}api/session`, token)).json()).toMatchObject({
    live: false,
    process: { target: 'node old-server.js', state: 'ended' },
  });
  hangUp();
  expect(await done).toBe(0);
  const none = new TestIo(dir);
  expect(await none.plimsoll('serve', '--ledger', 'nowhere')).toBe(1);
  expect(none.err).toContain('PLM_LEDGER_NOT_FOUND');
});

test('what serve cannot do is said before it listens', async () => {
  const texts: string[] = [];
  for (const args of [
    ['--port', '70000'],
    ['--host', '0.0.0.0'],
    ['--otlp', 'localhost'],
  ]) {
    const io = new TestIo(dir);
    expect(await io.plimsoll('serve', ...args)).toBe(1);
    texts.push(io.err);
  }
  expect(texts.join('')).toMatchInlineSnapshot(`
    "PLM_CLI_BAD_OPTION: --port is "70000"; it has to be a port from 0 to 65535.
      at:  --port
      fix: pass a port from 0 to 65535.
    PLM_SERVER_REMOTE_NEEDS_CONSENT: --host 0.0.0.0 would let other machines in.
      at:  --host
      fix: add --allow-remote if that is meant (put TLS in front of it), or use an SSH tunnel to 127.0.0.1.
    PLM_CLI_BAD_OPTION: --otlp is "localhost"; it has to be an address such as http://localhost:4318.
      at:  --otlp
      fix: pass an address such as http://localhost:4318.
    "
  `);
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => blocker.once('listening', done));
  const { port } = blocker.address() as { port: number };
  expect(await isFree(port)).toBe(false);
  const io = new TestIo(dir);
  expect(await io.plimsoll('serve', '--port', String(port))).toBe(1);
  expect(io.err).toContain('at:  --port');
  blocker.close();
});

test('dev runs a program with the dashboard beside it, without configuration', async () => {
  writeFileSync(join(dir, 'plimsoll.yaml'), 'apiVersion: plimsoll/v1\nrevision: 5\n');
  writeFileSync(join(dir, 'app.mjs'), untilTold);
  const io = new TestIo(dir);
  const done = io.plimsoll('dev', '--port', '0', '--', 'node', 'app.mjs');
  const address = await addressIn(() => io.err);
  expect(io.err).toMatch(/^plimsoll: dashboard at /);
  await vi.waitFor(
    async () => {
      const response = await ask(`${address}api/frame`);
      expect(await response.json()).toMatchObject({ target: 'node app.mjs', policy: { revision: 5 } });
    },
    { interval: 300 },
  );
  const scopes = (await (await ask(`${address}api/scopes`)).json()) as { rows: unknown[] };
  expect(scopes.rows).toEqual([]);
  expect(await (await ask(`${address}api/policy/explain?scope=process/session:1`)).json()).toMatchObject({
    path: 'process/session:1',
    policy: { revision: 5 },
  });
  writeFileSync(join(dir, 'end'), '');
  expect(await done).toBe(0);
  expect(io.err).toContain('exit code 0');
});

test('dev without a command says where it goes', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('dev')).toBe(1);
  expect(io.err).toContain("missing required argument 'command'");
});
