import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { installFrameworks } from './frameworks.ts';

beforeAll(installFrameworks, 300_000);

const register = resolve(import.meta.dirname, '../../packages/host/src/register.ts');

test.each([
  ['ai', 200, 'Plimsoll marks how deep a ship may lie in the water. '],
  ['mcp', 400, /initialize|session|not initialized/i],
  ['langgraph', 200, '3 turns\n'],
  ['openai-agents', 200, 'sunny\n'],
  ['mastra', 200, 'sunny\n'],
  ['otel', 200, 'sunny\n'],
])('the example server "%s" answers under the adapters', async (name, status, answer) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-example-'));
  cpSync(resolve(import.meta.dirname, '../../examples/frameworks', name), dir, { recursive: true });
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(dir, 'node_modules'));
  const child = spawn(
    process.execPath,
    ['--conditions=plimsoll-source', '--import', register, 'server.mjs'],
    { cwd: dir, env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '', PORT: '0' } },
  );
  try {
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const isPost = name === 'mcp';
    const response = await fetch(
      line.toString().trim(),
      isPost
        ? {
            method: 'POST',
            body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
            headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
          }
        : {},
    );
    expect(response.status).toBe(status);
    expect(await response.text()).toMatch(answer);
  } finally {
    child.kill('SIGKILL');
  }
});
