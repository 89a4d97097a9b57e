import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ErrorAnswer, SessionAnswer } from '@plimsoll/host/protocol/api';
import { addApprover, findApprover } from '@plimsoll/host/protocol';
import { Governed, folder, scopeRow } from './governed.fixture.ts';
import { adminToken as loadToken } from './guard/admin-token.ts';
import { HostList, isLoopback } from './guard/host-list.ts';
import { StreamReader, adminToken, send, serverOver } from './server.fixture.ts';
import { Sources } from './sources.ts';
import type { WebServerOptions } from './web-server.ts';
import { WebServer } from './web-server.ts';

const bearer = { authorization: `Bearer ${adminToken}` };
const decision = JSON.stringify({ decision: 'approve', digest: 'digest-of-a1', comment: 'yes' });

async function app(options: Partial<WebServerOptions> = {}): Promise<{
  address: string;
  governed: Governed;
  server: WebServer;
}> {
  const governed = new Governed(folder());
  await governed.start();
  onTestFinished(() => governed.stop());
  governed.beat();
  const { address, server } = await serverOver({ dir: governed.dir }, options);
  return { address, governed, server };
}

const codeOf = (text: string): string => (JSON.parse(text) as ErrorAnswer).error.code;

test('a name that is not ours in the Host header is refused everywhere', async () => {
  const { address } = await app();
  const { port } = new URL(address);
  for (const host of ['evil.example', 'evil.example:80', `127.0.0.1.evil.example:${port}`, '127.0.0.1:1']) {
    for (const path of ['/', '/api/frame', '/metrics', '/healthz', '/api/stream']) {
      const answer = await send(address, path, { headers: { host } });
      expect([host, path, answer.status]).toEqual([host, path, 403]);
    }
  }
  expect(await firstLine(await plain(address, 'GET /api/frame HTTP/1.0\r\n\r\n'))).toContain('400');
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, 'localhost'])
    expect((await send(address, '/healthz', { headers: { host } })).status).toBe(200);
});

test('pages of other sites can neither read, listen nor decide', async () => {
  const { address, governed } = await app();
  const own = address.slice(0, -1);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${own}0` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    for (const path of ['/api/frame', '/api/stream', '/metrics'])
      expect((await send(address, path, { headers })).status).toBe(403);
    const answer = await send(address, '/api/approvals/a1', {
      method: 'POST',
      headers: { ...bearer, ...headers },
      body: decision,
    });
    expect(codeOf(answer.text)).toBe('PLM_SERVER_CROSS_ORIGIN');
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  }
  expect(governed.decided).toEqual([]);
  const headers = { ...bearer, origin: own, 'sec-fetch-site': 'same-origin' };
  expect((await send(address, '/api/approvals/a1', { method: 'POST', headers, body: decision })).status).toBe(
    200,
  );
  expect(
    (await send(address, '/api/frame', { method: 'OPTIONS', headers: { origin: 'https://evil.example' } }))
      .status,
  ).toBe(405);
});

test('a decision needs the right token; a wrong, cut or differently written one is none', async () => {
  const { address, governed } = await app();
  const tries: Record<string, string>[] = [
    {},
    { authorization: 'Bearer wrong' },
    { authorization: `Bearer ${adminToken.slice(0, -1)}` },
    { authorization: `Bearer ${adminToken}x` },
    { authorization: `Basic ${adminToken}` },
    { authorization: adminToken },
    { cookie: `plimsoll=${adminToken}` },
  ];
  for (const headers of tries) {
    const answer = await send(address, '/api/approvals/a1', { method: 'POST', headers, body: decision });
    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toBe('Bearer realm="plimsoll"');
    expect(codeOf(answer.text)).toBe('PLM_SERVER_NO_TOKEN');
  }
  expect(
    (await send(address, `/api/approvals/a1?token=${adminToken}`, { method: 'POST', body: decision })).status,
  ).toBe(401);
  expect(governed.decided).toEqual([]);
  const good = await send(address, '/api/approvals/a1', { method: 'POST', headers: bearer, body: decision });
  expect(good.status).toBe(200);
  expect(governed.decided).toEqual([
    { id: 'a1', decision: 'approve', digest: 'digest-of-a1', comment: 'yes', channel: 'dashboard' },
  ]);
});

test('an approver is known by their own token, which the process checks again', async () => {
  const file = join(folder(), 'approvers.json');
  const token = addApprover(file, 'ann', ['oncall']);
  const { address, governed } = await app({ findApprover: (given) => findApprover(file, given) });
  const headers = { authorization: `Bearer ${token}` };
  expect(JSON.parse((await send(address, '/api/session', { headers })).text)).toMatchObject({
    as: 'ann',
    canDecide: true,
  });
  await send(address, '/api/approvals/a1', { method: 'POST', headers, body: decision });
  expect(governed.decided[0]).toMatchObject({ token, channel: 'dashboard' });
  chmodSync(file, 0o666);
  const answer = await send(address, '/api/approvals/a1', { method: 'POST', headers, body: decision });
  expect([answer.status, codeOf(answer.text)]).toEqual([500, 'PLM_APPROVAL_FILE']);
  expect(governed.decided).toHaveLength(1);
});

test('a heap snapshot is for the owner alone, and only a regular file is sent', async () => {
  const dir = folder();
  const approvers = join(dir, 'approvers.json');
  const token = addApprover(approvers, 'ann', ['oncall']);
  const { address, governed } = await app({ findApprover: (given) => findApprover(approvers, given) });
  const asked = async (path: string, given: string | undefined, method = 'GET'): Promise<unknown[]> => {
    const headers: Record<string, string> = given === undefined ? {} : { authorization: `Bearer ${given}` };
    const answer = await send(address, path, { method, headers });
    return [answer.status, answer.status === 200 ? answer.text : codeOf(answer.text)];
  };
  for (const path of ['/api/snapshot', '/api/snapshot/file']) {
    expect(await asked(path, undefined)).toEqual([401, 'PLM_SERVER_NO_TOKEN']);
    expect(await asked(path, token)).toEqual([403, 'PLM_SERVER_OWNER_ONLY']);
  }
  expect(await asked('/api/snapshot/take', token, 'POST')).toEqual([403, 'PLM_SERVER_OWNER_ONLY']);
  expect(await asked('/api/snapshot/file', adminToken)).toEqual([404, 'PLM_SERVER_NO_SNAPSHOT']);
  const file = join(dir, '1.asked-1.heapsnapshot');
  const job = { id: 1, at: 1, state: 'done', fileBytes: 4, stopMs: 1, error: null } as const;
  governed.snapshot = { ...governed.snapshot, job: { ...job, file } };
  expect(await asked('/api/snapshot/file', adminToken)).toEqual([404, 'PLM_SERVER_NO_SNAPSHOT']);
  writeFileSync(`${file}.real`, '{"a"', { mode: 0o600 });
  symlinkSync(`${file}.real`, file);
  expect(await asked('/api/snapshot/file', adminToken)).toEqual([404, 'PLM_SERVER_NO_SNAPSHOT']);
  renameSync(`${file}.real`, file);
  expect(await asked('/api/snapshot/file', adminToken)).toEqual([200, '{"a"']);
});

test('every answer carries the headers that keep a browser strict', async () => {
  const { address } = await app();
  for (const path of ['/', '/api/frame', '/nothing', '/api/approvals', '/metrics']) {
    const { headers } = await send(address, path);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-frame-options']).toBe('DENY');
  }
  const stream = await fetch(`${address}api/stream`);
  expect(stream.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(stream.headers.get('cache-control')).toBe('no-store');
  await stream.body?.cancel();
});

function built(): string {
  const dir = folder();
  mkdirSync(join(dir, 'page', 'assets'), { recursive: true });
  writeFileSync(join(dir, 'secret.txt'), 'secret');
  writeFileSync(join(dir, 'page', 'index.html'), '<!doctype html><title>built</title>');
  writeFileSync(join(dir, 'page', 'assets', 'main-B4Zk8q2x.js'), 'export {};');
  writeFileSync(join(dir, 'page', 'assets', 'snapshot-worker-C4Zk8q2x.js'), 'export {};');
  writeFileSync(join(dir, 'page', 'notes.exe'), 'no');
  return join(dir, 'page');
}

test('no path reaches a file outside the page', async () => {
  const { address } = await app({ assetDir: built() });
  for (const path of [
    '/../secret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/assets/..%5c..%5csecret.txt',
    '//secret.txt',
    '/./../secret.txt',
    '/%00',
    '/etc/passwd',
    '/notes.exe',
    '/index.html%00.png',
    '/__proto__',
    '/constructor',
    '/%',
  ]) {
    const answer = await send(address, path);
    expect([path, answer.status]).toEqual([path, path === '/%' ? answer.status : 404]);
    expect(answer.text).not.toContain('secret\n');
  }
  expect((await send(address, '/')).text).toContain('built');
  const script = await send(address, '/assets/main-B4Zk8q2x.js');
  expect(script.headers).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(
    (await send(address, '/assets/snapshot-worker-C4Zk8q2x.js')).headers['content-security-policy'],
  ).toContain("script-src 'self' 'wasm-unsafe-eval'");
});

test('a large body is refused, told or not', async () => {
  const { address, governed } = await app();
  const big = JSON.stringify({ decision: 'approve', digest: 'd', comment: 'x'.repeat(100_000) });
  const post = { method: 'POST', headers: bearer } as const;
  const head = `POST /api/approvals/a1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${adminToken}\r\n`;
  const told = await plain(address, `${head}content-length: ${big.length}\r\n\r\n${big.slice(0, 100)}`);
  expect(await firstLine(told)).toContain('413');
  const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
  const untold = await plain(address, `${head}transfer-encoding: chunked\r\n\r\n${chunk}`);
  expect(await firstLine(untold)).toContain('413');
  for (const body of [
    '',
    'null',
    '[]',
    '{',
    '{"decision":"maybe"}',
    '{"decision":"deny"}',
    `{"decision":"deny","digest":"d","comment":"${'x'.repeat(1001)}"}`,
    '{"decision":"deny","digest":"d","key":5}',
  ])
    expect((await send(address, '/api/approvals/a1', { ...post, body })).status).toBe(400);
  const long = await send(address, `/${'a'.repeat(20_000)}`).catch(() => undefined);
  expect(long === undefined || long.status >= 400).toBe(true);
  expect(governed.decided).toEqual([]);
  expect((await send(address, '/healthz')).status).toBe(200);
});

/** What a server says first. */
function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(String(chunk).split('\r\n')[0] as string));
    socket.once('close', () => resolve('closed'));
  });
}

/** A plain connection that says what it is told to. */
function plain(address: string, text: string): Promise<Socket> {
  const { port } = new URL(address);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  return new Promise((resolve) => {
    socket.once('connect', () => {
      if (text !== '') socket.write(text);
      resolve(socket);
    });
  });
}

test('who sends a request drop by drop, or nothing at all, is cut off', async () => {
  const { address } = await app({ timeouts: { headersMs: 300, requestMs: 600 } });
  const closed = vi.fn();
  const head = 'POST /api/approvals/a1 HTTP/1.1\r\nhost: localhost\r\n';
  const drops = [
    await plain(address, 'GET / HTTP/1.1\r\nx: '),
    await plain(address, `${head}authorization: Bearer ${adminToken}\r\ncontent-length: 500\r\n\r\n{`),
    await plain(address, ''),
  ];
  for (const socket of drops) {
    socket.on('close', closed).resume();
    const timer = setInterval(() => socket.writable && socket.write('a'), 100);
    if (socket === drops[2]) clearInterval(timer);
    onTestFinished(() => clearInterval(timer));
  }
  // One that is asked for while the machine stands still is cut off too.
  await vi.waitFor(async () => expect((await send(address, '/healthz')).status).toBe(200));
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(3));
});

test(
  'ten thousand connections: most are turned away, the server answers on',
  { timeout: 300_000 },
  async () => {
    const { address, server } = await app({ timeouts: { headersMs: 1000 } });
    const { port } = new URL(address);
    const before = process.memoryUsage().rss;
    const sockets: Socket[] = [];
    let most = 0;
    for (let i = 0; i < 10_000; i++) {
      const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
      sockets.push(socket);
      if (i % 500 !== 499) continue;
      await wait(5);
      most = Math.max(most, await server.connections);
    }
    await vi.waitFor(() => expect(sockets.filter((socket) => socket.connecting).length).toBe(0));
    most = Math.max(most, await server.connections);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(512);
    // Both ends are in this process; the bound is wide and still far from one buffer per connection.
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 ** 2);
    await vi.waitFor(async () => expect((await send(address, '/healthz')).status).toBe(200), {
      interval: 200,
    });
    for (const socket of sockets) socket.destroy();
  },
);

test('names are data: HTML in them stays text', async () => {
  const { address, governed } = await app();
  const name = 'process/session:<img src=x onerror=alert(1)></pre><script>alert(2)</script>';
  governed.scopes = [scopeRow(name)];
  governed.push({ scopes: [scopeRow(name)], target: '<script>alert(3)</script>' });
  const scopes = await send(address, '/api/scopes');
  expect(scopes.headers['content-type']).toMatch(/^application\/json/);
  expect(scopes.text).toContain(JSON.stringify(name));
  await vi.waitFor(async () => {
    const page = await send(address, '/');
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.text).toContain('&lt;script&gt;alert(3)');
    expect(page.text).not.toMatch(/<script|<img/);
  });
  const error = await send(address, '/api/frame?pid=%3Cscript%3E');
  expect(error.headers['content-type']).toMatch(/^application\/json/);
  const reader = await StreamReader.open(address);
  await vi.waitFor(() => expect(JSON.stringify(reader.of('scopes'))).toContain('onerror'));
});

test('reading needs a token, or the cookie it was exchanged for', async () => {
  const { address } = await app({ isPublic: false });
  for (const path of ['/api/session', '/api/frame', '/api/stream', '/metrics', '/status.json', '/'])
    expect([path, (await send(address, path)).status]).toEqual([path, 401]);
  expect((await send(address, '/healthz')).status).toBe(200);
  const session = await send(address, '/api/session', { headers: bearer });
  expect((JSON.parse(session.text) as SessionAnswer).as).toBe('admin');
  const cookie = session.headers['set-cookie']?.[0] ?? '';
  expect(cookie).toMatch(/^plimsoll=[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/);
  const value = cookie.split(';')[0] as string;
  expect(value).not.toContain(adminToken);
  expect((await send(address, '/api/frame', { headers: { cookie: `a=b; ${value}` } })).status).toBe(200);
  const reader = await StreamReader.open(address, 'api/stream', { cookie: value });
  await vi.waitFor(() => expect(reader.events.length).toBeGreaterThan(0));
  const post = { method: 'POST', headers: { cookie: value }, body: decision };
  expect((await send(address, '/api/approvals/a1', post)).status).toBe(401);
  expect((await send(address, '/api/frame', { headers: { cookie: 'plimsoll=x' } })).status).toBe(401);
});

test('other machines are let in only when told twice, and then never without a token', async () => {
  const sources = new Sources({ dir: folder() });
  expect(() => new WebServer({ sources, adminToken: () => adminToken, host: '0.0.0.0' })).toThrow(
    'would let other machines in',
  );
  const { address } = await app({ host: '0.0.0.0', allowRemote: true, allowHosts: ['plimsoll.example'] });
  const { port } = new URL(address);
  const at = `http://127.0.0.1:${port}/`;
  expect((await send(at, '/api/frame')).status).toBe(401);
  expect((await send(at, '/metrics')).status).toBe(401);
  for (const host of ['plimsoll.example', `10.1.2.3:${port}`, hostname()])
    expect((await send(at, '/api/frame', { headers: { ...bearer, host } })).status).toBe(200);
  expect((await send(at, '/api/frame', { headers: { ...bearer, host: 'evil.example' } })).status).toBe(403);
});

test('which names and addresses are ours', () => {
  expect(['127.0.0.1', '127.1.2.3', '::1', 'localhost'].every(isLoopback)).toBe(true);
  expect(['0.0.0.0', '::', '10.0.0.1', '127.evil.example', 'localhost.evil.example'].some(isLoopback)).toBe(
    false,
  );
  const hosts = new HostList('::1', () => 80);
  expect(hosts.allows('[::1]:80')).toBe(true);
  expect(hosts.allows('[::1]:81')).toBe(false);
  expect(hosts.allows(undefined)).toBe(false);
  expect(hosts.isOwnOrigin('http://a', undefined)).toBe(false);
  expect(hosts.isOwnOrigin('https://a:1', 'A:1')).toBe(true);
});

test('the token file is made once, for its owner only, and refused when others could read it', () => {
  const dir = folder();
  const token = loadToken(join(dir, 'new'));
  const file = join(dir, 'new', 'token');
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toBe(`${token}\n`);
  expect(loadToken(join(dir, 'new'))).toBe(token);
  chmodSync(file, 0o644);
  expect(() => loadToken(join(dir, 'new'))).toThrow('others may read it, its mode is 0644');
  chmodSync(file, 0o600);
  writeFileSync(file, 'short');
  expect(() => loadToken(join(dir, 'new'))).toThrow('it holds no token of ours');
  mkdirSync(join(dir, 'other'));
  symlinkSync(file, join(dir, 'other', 'token'));
  expect(() => loadToken(join(dir, 'other'))).toThrow('it is no plain file');
  expect(() => loadToken(join(file, 'below'))).toThrow('the token cannot be used');
});
