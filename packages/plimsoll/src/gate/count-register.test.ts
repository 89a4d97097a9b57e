import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test, vi } from 'vitest';
import { countFileVariable } from './inside/count-file.ts';
import type { CountRecord } from './inside/count-file.ts';

const prefix = join(mkdtempSync(join(tmpdir(), 'plimsoll-count-')), 'count');
afterAll(() => {
  delete process.env[countFileVariable];
});

test('the requests that a process serves are counted, and its live memory is written down on the way', async () => {
  process.env[countFileVariable] = prefix;
  await import('./inside/count-register.ts');
  const server = createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1');
  await vi.waitFor(() => expect(server.listening).toBe(true));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const serve = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await (await fetch(url)).text();
  };
  const record = (): CountRecord =>
    JSON.parse(readFileSync(`${prefix}.${process.pid}`, 'utf8')) as CountRecord;
  await serve(70);
  // Measurements are a quarter of a second apart, so that a flood of requests is not slowed down.
  await sleep(300);
  await serve(1);
  await vi.waitFor(() => expect(record().points.length).toBeGreaterThan(0));
  server.close();
  server.closeAllConnections();
  const { pid, calls, points, peakBytes } = record();
  expect(pid).toBe(process.pid);
  expect(calls).toBeGreaterThanOrEqual(64);
  const [atCalls, liveBytes] = points.at(-1) ?? [];
  expect(atCalls).toBe(calls);
  expect(liveBytes).toBeGreaterThan(1e6);
  expect(peakBytes).toBeGreaterThan(liveBytes ?? Infinity);
});
