import { request } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { frameOf } from '../feed/frame.fixture.ts';
import type { Frame } from '../feed/frame.ts';
import { StatusServer } from './status-server.ts';

let frame: Frame | undefined;
let server: StatusServer;
let address: string;

beforeEach(async () => {
  frame = undefined;
  server = new StatusServer(() => frame);
  address = await server.listen(0);
});

afterEach(() => server.close());

test('the page waits for the first reading, then shows what top shows', async () => {
  expect(await (await fetch(address)).text()).toContain('waiting for the first reading');
  expect((await fetch(`${address}status.json`)).status).toBe(503);
  frame = frameOf({ target: 'node <script>alert(1)</script>' });
  const text = await (await fetch(address)).text();
  expect(text).toContain('process/agent:planner/session:42');
  expect(text).not.toContain('<script>');
  expect(await (await fetch(`${address}status.json`)).json()).toMatchObject({ pid: 4711 });
});

test('other names, methods and paths are refused', async () => {
  const foreign = await new Promise<number | undefined>((resolve) => {
    request(address, { headers: { host: 'evil.example' } }, (response) => resolve(response.statusCode)).end();
  });
  expect(foreign).toBe(403);
  expect((await fetch(address, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${address}../etc/passwd`)).status).toBe(404);
});

test('a taken port is an error', async () => {
  const other = new StatusServer(() => undefined);
  await expect(other.listen(Number(new URL(address).port))).rejects.toThrow('EADDRINUSE');
});
