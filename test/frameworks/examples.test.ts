import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import { send, serverOver } from '../../packages/plimsoll/src/server/server.fixture.ts';
import { installFrameworks } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

const register = resolve(import.meta.dirname, '../../packages/host/src/register.ts');
const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = (body: string): RequestInit => ({ method: 'POST', body, headers: json });
const clientInfo = { name: 'c', version: '1' };
const initialize = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
});

test.each([
  ['http', post('{"threadId":"1"}'), /lie[^]*data: turn 1/],
  ['ai', { headers: { 'x-session-id': '1' } }, /^Plimsoll marks how deep a ship may lie in the water. $/],
  ['mcp', post(initialize), /"serverInfo":{"name":"example"/],
  ['langgraph', {}, /^3 turns\n$/],
  ['openai-agents', {}, /^sunny\n$/],
  ['mastra', {}, /^sunny\n$/],
  ['otel', {}, /^sunny\n$/],
] as const)(
  'the example server "%s" answers under the adapters, and its session is on the page',
  async (name, init, answer) => {
    const dir = mkdtempSync(join(tmpdir(), 'plimsoll-example-'));
    cpSync(resolve(import.meta.dirname, '../../examples/frameworks', name), dir, { recursive: true });
    symlinkSync(join(import.meta.dirname, 'node_modules'), join(dir, 'node_modules'));
    const own = { NODE_OPTIONS: '', NODE_V8_COVERAGE: '', PORT: '0', PLIMSOLL_DIR: join(dir, '.plimsoll') };
    const { NODE_ENV: _, ...outer } = process.env;
    const flags = ['--conditions=plimsoll-source', '--import', register];
    const child = spawn(process.execPath, [...flags, 'server.mjs'], { cwd: dir, env: { ...outer, ...own } });
    try {
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      const { address } = await serverOver({ dir: own.PLIMSOLL_DIR });
      const scopes = async (): Promise<string> => {
        const { status, text } = await send(address, '/api/scopes');
        return status === 200 ? text : 'not yet';
      };
      // The host is loaded once the program runs; a request in the first moments is not seen.
      await vi.waitFor(async () => expect(await scopes()).toContain('"rows":['));
      const response = await fetch(line.toString().trim(), init as RequestInit);
      expect(response.status).toBe(200);
      expect(await response.text()).toMatch(answer);
      await vi.waitFor(async () => expect(await scopes()).toMatch(/"process\/session:[\w-]+"/));
    } finally {
      child.kill('SIGKILL');
    }
  },
);
