import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test, vi } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { TestIo } from '../io.fixture.ts';
import { leakReport, survivor } from '../report/report.fixture.ts';
import { inside, sourceLines } from './source-lines.ts';
import { mcpServer } from './mcp-server.ts';
import { Arguments, shortened } from './tool.ts';
import { toolsOf } from './tools.ts';
import type { LiveProcesses } from './tools.ts';

const noProcesses: LiveProcesses = { list: () => [], frame: () => Promise.resolve(undefined) };

const cli = new URL('../cli.ts', import.meta.url).pathname;

async function connected(cwd: string, ...args: string[]): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: 'test', version: '1' });
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      (each): each is [string, string] => each[1] !== undefined && each[0] !== 'NODE_V8_COVERAGE',
    ),
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['--conditions=plimsoll-source', cli, 'mcp', ...args],
      cwd,
      env,
    }),
  );
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

/** The requests of a client, one per line, and what the command wrote until its input ended. */
async function saidTo(
  io: TestIo,
  args: readonly string[],
  requests: readonly object[],
): Promise<readonly Said[]> {
  const ended = io.plimsoll('mcp', ...args);
  const said = (): readonly Said[] =>
    io.out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Said);
  for (const [id, request] of requests.entries()) {
    io.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...request })}\n`);
    await vi.waitFor(() => expect(said()).toHaveLength(id + 1));
  }
  io.stdin.end();
  expect(await ended).toBe(0);
  return said();
}

interface Said {
  readonly result: {
    readonly tools?: readonly { readonly name: string }[];
    readonly content?: readonly { readonly text: string }[];
  };
}

const clientInfo = { name: 'test', version: '1' };
const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
};

test('the command serves its own input until that ends, runs commands and tells what they refuse', async () => {
  const io = new TestIo(mkdtempSync(join(tmpdir(), 'plimsoll-mcp-')));
  const call = (name: string, args: object): object => ({
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const [, listed, none, refused] = await saidTo(
    io,
    ['--allow-run'],
    [
      initialize,
      { method: 'tools/list' },
      call('processes', {}),
      call('analyze_snapshot', { file: 'none.heapsnapshot' }),
    ],
  );
  expect(listed?.result.tools?.map(({ name }) => name)).toContain('stress');
  expect(none?.result.content?.[0]?.text).toContain('No governed process runs');
  expect(refused?.result.content?.[0]?.text).toContain('PLM_HEAP_NOT_FOUND');
});

async function textOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = (await client.callTool({ name, arguments: args })) as {
    content: { text: string }[];
    isError?: boolean;
  };
  return `${isError === true ? 'error: ' : ''}${content[0]?.text ?? ''}`;
}

test('the client of the SDK lists the tools, reads a report and gets errors as answers', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-mcp-'));
  writeFileSync(join(dir, 'out.json'), JSON.stringify(leakReport()));
  await using client = await connected(dir);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'processes',
    'scopes',
    'findings',
    'finding',
    'analyze_snapshot',
    'diff_snapshots',
    'history',
    'read_report',
    'docs',
  ]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint === true)).toBe(true);
  expect(await textOf(client, 'processes')).toContain('No governed process runs');
  const report = await textOf(client, 'read_report', { file: 'out.json' });
  expect(report).toContain('SessionStore');
  expect(report).toContain('fix: remove entries');
  expect(await textOf(client, 'read_report', { file: '/etc/passwd' })).toContain('is outside of');
  expect(await textOf(client, 'read_report', {})).toBe('error: "file" is missing');
  expect(await textOf(client, 'history')).toContain('PLM_LEDGER_NOT_FOUND');
  expect(await textOf(client, 'stress', { command: ['node', 'x'] })).toBe('error: there is no tool stress');
});

test('answers fit a context window', () => {
  const text = shortened(Array.from({ length: 1000 }, (_, i) => `line ${i}`).join('\n'), 800);
  expect(text.length).toBeLessThan(1000);
  expect(text).toMatch(/… [\d,]+ of [\d,]+ characters left out/);
  expect(shortened('short', 800)).toBe('short');
});

test('source lines come from files inside the folder only', () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-mcp-'));
  writeFileSync(join(dir, 'store.js'), 'const a = 1;\nconst sessions = new Map();\nsessions.set(1, 2);\n');
  expect(inside(dir, '../secret')).toBe(undefined);
  expect(sourceLines(dir, { ...survivor, site: `Store.add (store.js:2:7)` })).toContain(
    '>     2  const sessions = new Map();',
  );
  expect(sourceLines(dir, { ...survivor, site: 'x (/etc/hosts.js:1:1)' })).toBe('');
});

test('every tool asks the command that a person would type, with the file inside the folder', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-mcp-'));
  const asked: string[] = [];
  const command = (...args: readonly string[]): Promise<string> => {
    asked.push(args.join(' ').replaceAll(dir, 'ROOT'));
    return Promise.resolve('done');
  };
  const server = await mcpServer({
    tools: toolsOf({ root: dir, dir: join(dir, '.plimsoll'), command, live: noProcesses }),
    mostChars: 8000,
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: 'test', version: '1' });
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  const calls: [string, Record<string, unknown>][] = [
    ['analyze_snapshot', { file: 'a.heapsnapshot', retainers: 'Session' }],
    ['diff_snapshots', { files: ['a', 'b'] }],
    ['history', { since: '24h' }],
    ['read_report', { file: 'out.json' }],
    ['docs', { word: 'gate' }],
    ['stress', { command: ['node', 'server.js'], plan: 'chaos', seconds: 9999, recipe: 'r.yaml' }],
  ];
  for (const [name, args] of calls) expect(await textOf(client, name, args)).toBe('done');
  expect(asked).toEqual([
    'analyze --top 15 --retainers=Session -- ROOT/a.heapsnapshot',
    'diff --top 15 -- ROOT/a ROOT/b',
    'report --since=24h --dir ROOT/.plimsoll',
    'report -- ROOT/out.json',
    'docs -- gate',
    'stress --plan=chaos --for=300s --recipe=r.yaml -- node server.js',
  ]);
  const faults: [string, Record<string, unknown>][] = [
    ['diff_snapshots', { files: 'a' }],
    ['analyze_snapshot', { file: 7 }],
    ['scopes', { pid: '1' }],
    ['findings', { pid: 999_999_999 }],
    ['finding', { id: 'F-1' }],
  ];
  for (const [name, args] of faults) expect(await textOf(client, name, args)).toMatch(/^error: /);
  await client.close();
});

test('a running process is told with its scopes, findings, trace and source lines', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-mcp-'));
  writeFileSync(join(dir, 'store.js'), 'const sessions = new Map();\n');
  const finding = { ...survivor, site: 'Store.add (store.js:1:7)' };
  const frame = frameOf({ pid: 7, findings: [finding] });
  const live: LiveProcesses = {
    list: () => [
      { pid: 7, target: 'node server.js' },
      { pid: 8, target: 'node worker.js' },
    ],
    frame: (pid) => Promise.resolve(pid === 7 ? frame : undefined),
  };
  const tools = toolsOf({ root: dir, dir, live, command: () => Promise.resolve('') });
  const ask = (name: string, args: Record<string, unknown> = {}): Promise<string> | undefined =>
    tools.find((tool) => tool.name === name)?.run(new Arguments(args));
  expect(await ask('processes')).toMatch(
    /^pid 7 node server.js: .+ used, .+ 1 findings.+\npid 8 node worker.js: it did not answer$/,
  );
  expect(await ask('scopes', { limit: 3 })).toContain('scopes are open in all');
  expect(await ask('findings')).toContain('held by');
  const text = await ask('finding', { id: 'F-d391b9' });
  expect(text).toContain('SessionStore');
  expect(text).toContain('>     1  const sessions = new Map();');
  await expect(ask('finding', { id: 'F-0' })).rejects.toThrow('there are F-d391b9');
});
