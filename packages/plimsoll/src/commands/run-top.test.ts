import { checkOpenFiles } from './asked-output.ts';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerReader } from '@plimsoll/ledger';
import { beforeEach, expect, test, vi } from 'vitest';
import { socketPath, writeDescriptor } from '@plimsoll/host/protocol';
import { FeedServer } from '@plimsoll/host/internal/feed/feed-server';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { TestIo } from '../io.fixture.ts';
import { untilLevel, untilRead, untilTold } from '../run/program.fixture.ts';
import type { Report } from '../run/report.ts';

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-cmd-'));
});

function script(text: string): string {
  writeFileSync(join(dir, 'app.mjs'), text);
  return 'app.mjs';
}

test('run governs a program, serves its status, writes the report and closes with the summary', async () => {
  const io = new TestIo(dir);
  const code = await io.plimsoll(
    'run',
    '--report',
    'r.json',
    '--status',
    '0',
    '--',
    'node',
    script(untilRead()),
  );
  expect(code).toBe(0);
  expect(io.err).toMatch(
    /^plimsoll: dashboard at http:\/\/127\.0\.0\.1:\d+\/#link=[\w-]{32} .*\n(?:plimsoll: \S+Z (?:run|growth) .*\n)*plimsoll: node app\.mjs ran \d+ m?s, exit code 0\./,
  );
  const report = JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as Report;
  expect(report.readings.last?.rss).toBeGreaterThan(1e6);
  expect(report.exit).toEqual({ code: 0, signal: null, suspectedOutOfMemory: false });
});

test('run prints the report instead of the summary when asked', async () => {
  const io = new TestIo(dir);
  expect(await io.plimsoll('run', '--json', '--', 'node', script('process.exitCode = 5;'))).toBe(5);
  expect((JSON.parse(io.out) as Report).exit.code).toBe(5);
  expect(io.err).toBe('');
});

test('on a terminal the live line shows and is cleared before the summary', async () => {
  const io = new TestIo(dir, true);
  const run = io.plimsoll('run', '--', 'node', script(untilTold));
  await vi.waitFor(() => expect(io.err).toContain('\u001b[1;29r'));
  writeFileSync(join(dir, 'end'), '');
  expect(await run).toBe(0);
  expect(io.err).toMatch(/plimsoll: \S+Z run pid \d+, limit [\d.]+ GiB: live heap/);
  expect(io.err).toContain('\u001b[1;29r');
  expect(io.err.lastIndexOf('\u001b[1;30r')).toBeGreaterThan(io.err.lastIndexOf('\u001b[1;29r'));
});

test('a killed program has its exit written into its ledger for it', async () => {
  const io = new TestIo(dir);
  const run = io.plimsoll('run', '--', 'node', script(untilTold));
  // What has just been asked for may not be on disk when a kill comes, and whoever started it has to have heard of it: not the first sample.
  const pid = await vi.waitFor(() => {
    using reader = new LedgerReader(join(dir, '.plimsoll', 'ledger'));
    expect([...reader.samples()].length).toBeGreaterThan(2);
    const found = reader.audit({ kinds: ['start'] })[0]?.body['pid'];
    expect(found).toBeTypeOf('number');
    return found as number;
  });
  process.kill(pid, 'SIGKILL');
  expect(await run).toBe(137);
  expect(io.err).toContain('ended by SIGKILL');
  const story = new TestIo(dir);
  expect(await story.plimsoll('ledger', 'summary')).toBe(0);
  expect(story.out).toMatch(/SIGKILL/);
});

test('--fail-on turns a grave finding into exit code 2, and nothing else', async () => {
  writeFileSync(
    join(dir, 'p.yaml'),
    `apiVersion: plimsoll/v1
levels: { warning: { enter: 1%, exit: 0.5%, for: 10ms, keep: 1s } }
limits: { native: { max: 64MiB } }
signal: { sample: 100ms, fast: 100ms, grace: 10ms }
`,
  );
  const app = script(`globalThis.kept = new ArrayBuffer(12_000_000); ${untilLevel} ${untilRead()}`);
  const run = (...options: string[]): Promise<number> =>
    new TestIo(dir).plimsoll('run', '--policy', 'p.yaml', ...options, '--', 'node', app);
  expect(await run('--fail-on', 'medium')).toBe(2);
  expect(await run('--fail-on', 'critical')).toBe(0);
  expect(await run()).toBe(0);
});

test('bad options are refused before anything starts', async () => {
  const texts: string[] = [];
  for (const args of [
    ['--fail-on', 'bad'],
    ['--status', 'x'],
    ['--policy', 'missing.yaml'],
  ]) {
    const io = new TestIo(dir);
    expect(await io.plimsoll('run', ...args, '--', 'node', '-e', 'console.log("never")')).toBe(1);
    texts.push(io.err.replaceAll(dir, '<dir>'));
  }
  expect(texts.join('')).toMatchInlineSnapshot(`
    "PLM_CLI_BAD_OPTION: --fail-on is "bad"; it has to be one of info, low, medium, high, critical.
      at:  --fail-on
      fix: pass one of info, low, medium, high, critical.
    PLM_CLI_BAD_OPTION: --status is "x"; it has to be a port from 0 to 65535.
      at:  --status
      fix: pass a port from 0 to 65535.
    PLM_POLICY_UNREADABLE: the policy could not be read: ENOENT: no such file or directory.
      at:  <dir>/missing.yaml
      fix: check the path and its permissions; "plimsoll init" writes a policy to start from.
    "
  `);
  const io = new TestIo(dir);
  expect(await io.plimsoll('run', '--report', 'no/such/folder/r.json', '--', 'node', '-e', '0')).toBe(1);
  expect(io.err).toContain('PLM_CLI_CANNOT_WRITE');
});

test('run starts the program also when its folder cannot be made, and says what is missing', async () => {
  const io = new TestIo(dir);
  const command = ['node', '-e', 'process.exitCode = 7'];
  expect(await io.plimsoll('run', '--dir', '/proc/plimsoll', '--status', '0', '--', ...command)).toBe(7);
  expect(io.err.split('plimsoll: node')[0]).toMatchInlineSnapshot(`
    "PLM_RUN_NO_FOLDER: the program runs without a ledger and cannot be watched: ENOENT: no such file or directory, mkdir '/proc/plimsoll'.
      at:  /proc/plimsoll
      fix: name a folder that this user may write: plimsoll run --dir /var/tmp/plimsoll -- ...
    "
  `);
});

async function feedOf(): Promise<FeedServer> {
  const feed = new FeedServer(socketPath(dir, process.pid));
  writeDescriptor(dir, { pid: process.pid, target: 't', startedAt: 1, socket: socketPath(dir, process.pid) });
  const faults: Error[] = [];
  feed.listen((error) => faults.push(error));
  await vi.waitFor(() => expect(statSync(socketPath(dir, process.pid)).mode & 0o777).toBe(0o600));
  expect(faults).toEqual([]);
  return feed;
}

test('top shows one table when piped, one frame with --json', async () => {
  const feed = await feedOf();
  for (const args of [[], ['--json'], [String(process.pid), '--once']]) {
    const io = new TestIo(dir);
    const done = io.plimsoll('top', '--dir', '.', ...args);
    await vi.waitFor(() => expect(feed.watchers).toBe(1));
    feed.push(() => JSON.stringify(frameOf()));
    expect(await done).toBe(0);
    expect(io.out).toContain(args.includes('--json') ? '"pid": 4711' : 'process/agent:planner/session:42');
    await vi.waitFor(() => expect(feed.watchers).toBe(0));
  }
  feed.close();
});

test('top on a terminal sorts, filters and quits by key', async () => {
  const feed = await feedOf();
  const io = new TestIo(dir, true);
  const done = io.plimsoll('top', '--dir', '.');
  await vi.waitFor(() => expect(feed.watchers).toBe(1));
  io.stdin.write('sssSS');
  feed.push(() => JSON.stringify(frameOf()));
  await vi.waitFor(() => expect(io.out).toContain('sort peak'));
  io.stdin.write('/:77');
  await vi.waitFor(() => expect(io.out).toContain('filter: :77_'));
  io.stdin.write('\u007f\r');
  await vi.waitFor(() => expect(io.out).toContain('filter ":7"'));
  io.stdin.write('/x\u001b');
  await vi.waitFor(() =>
    expect(io.out.lastIndexOf('sort peak   s sort')).toBeGreaterThan(io.out.indexOf('filter ":7"')),
  );
  io.stdin.write('q');
  expect(await done).toBe(0);
  expect(io.out).toContain('\u001b[?1049l');
  feed.close();
});

test('top asks for all scopes when an order or a filter needs them, and only then', async () => {
  const feed = await feedOf();
  let asks = 0;
  feed.answer('scopes', () => {
    asks++;
    const [row] = frameOf().scopes;
    const rows = Array.from({ length: 300 }, (_, i) => ({ ...row, path: `process/session:n${i}`, bytes: i }));
    return { at: Date.now(), full: true, rows, gone: [], done: true };
  });
  const io = new TestIo(dir, true);
  const done = io.plimsoll('top', '--dir', '.');
  await vi.waitFor(() => expect(feed.watchers).toBe(1));
  const push = (): void => feed.push(() => JSON.stringify(frameOf({ scopeCount: 300 })));
  push();
  await vi.waitFor(() => expect(io.out).toContain('session:42'));
  expect(asks).toBe(0);
  io.stdin.write('/n299\r');
  await vi.waitFor(() => {
    push();
    expect(io.out).toContain('process/session:n299');
  });
  expect(asks).toBeGreaterThan(0);
  io.stdin.write('/\u001b');
  await vi.waitFor(() => expect(feed.watchers).toBe(1));
  io.stdin.write('q');
  expect(await done).toBe(0);
  feed.close();
});

test('top ends when the process ends, and says when there is none', async () => {
  const feed = await feedOf();
  const live = new TestIo(dir, true);
  const done = live.plimsoll('top', '--dir', '.');
  await vi.waitFor(() => expect(feed.watchers).toBe(1));
  feed.close();
  expect(await done).toBe(0);
  const dead = new TestIo(dir);
  expect(await dead.plimsoll('top', '--dir', '.')).toBe(1);
  expect(dead.err).toContain('PLM_CLI_NO_PROCESS');
  const other = new TestIo(dir);
  expect(await other.plimsoll('top', '--dir', '.', '99')).toBe(1);
  expect(other.err).toContain('process 99 is not governed from here');
});

test('a port in use is a bug report no more than a clear failure', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => blocker.once('listening', done));
  const port = (blocker.address() as { port: number }).port;
  const io = new TestIo(dir);
  expect(await io.plimsoll('run', '--status', String(port), '--', 'node', '-e', '0')).toBe(1);
  expect(io.err).toContain('PLM_CLI_PORT_TAKEN');
  blocker.close();
});

test('few open files are said in words of their own', () => {
  const said: string[] = [];
  checkOpenFiles((text) => said.push(text));
  expect(said).toEqual([]);
  checkOpenFiles(
    (text) => said.push(text),
    'Max open files            24                   24                   files',
  );
  expect(said.join('')).toMatchInlineSnapshot(`
    "PLM_RUN_FEW_FILES: only 24 files may be open at a time; a governed program needs 64 in addition to its own.
      at:  the limit of open files (ulimit -n)
      fix: raise the limit before the program is started, such as by "ulimit -n 1024".
    "
  `);
  checkOpenFiles(
    (text) => said.push(text),
    'Max open files            unlimited            unlimited            files',
  );
  expect(said).toHaveLength(1);
});
