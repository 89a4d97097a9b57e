import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test, vi } from 'vitest';
import { socketVariable } from './inside/protocol.ts';

const path = join(mkdtempSync(join(tmpdir(), 'plimsoll-link-')), 'stress.sock');
const harness = createServer().listen(path);
afterAll(() => {
  delete process.env[socketVariable];
  harness.close();
});

test('a program under test tells who it is and where it listens, and answers what it is asked', async () => {
  process.env[socketVariable] = path;
  const connection = once(harness, 'connection') as Promise<[Socket]>;
  await import('./inside/register.ts');
  const [socket] = await connection;
  const said: { readonly id?: number; readonly value?: unknown; readonly error?: string }[] = [];
  createInterface({ input: socket }).on('line', (line) => said.push(JSON.parse(line) as object));
  await vi.waitFor(() => expect(said.shift()).toEqual({ pid: process.pid }));
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await vi.waitFor(() =>
    expect(said.shift()).toEqual({ pid: process.pid, listening: { port, address: '127.0.0.1' } }),
  );
  server.close();

  let id = 0;
  const ask = async (question: object): Promise<unknown> => {
    id += 1;
    socket.write(`${JSON.stringify({ id, ...question })}\n`);
    return vi.waitFor(() => {
      const found = said.find((each) => each.id === id);
      expect(found).toBeDefined();
      return found?.value ?? found?.error;
    });
  };
  expect(await ask({ op: 'measure' })).toMatchObject({ heapUsed: expect.any(Number) as number });
  expect(await ask({ op: 'fault', name: 'clock-forward' })).toBe(true);
  expect(await ask({ op: 'mend' })).toEqual([
    { name: 'clock-forward', happened: expect.any(Number) as number },
  ]);
  // A failure is an answer, too.
  expect(await ask({ op: 'snapshot', file: '/nowhere/a.heapsnapshot' })).toContain('ENOENT');
  expect(await ask({ op: 'iterate' })).toBe('this process runs no module');
  socket.destroy();
});
