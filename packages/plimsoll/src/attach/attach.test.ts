import { spawn, type ChildProcess } from 'node:child_process';
import {
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import { lookText } from './attach-text.ts';
import type { AttachReport } from './attach-report.ts';
import { Cdp } from './cdp.ts';
import { attachable, findInspector, socketUrl } from './find-inspector.ts';
import { isNode, listeningPorts, processFacts } from './process-facts.ts';
import { siteRows } from './site-rows.ts';
import { targetAddress } from './target-address.ts';

let dir: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-attach-'));
});

afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** A program that says `up` and never heard of us. A random inspector port keeps parallel tests apart. */
async function victim(script: string, flags: readonly string[] = ['--inspect-port=0']): Promise<number> {
  const file = join(dir, 'victim.mjs');
  writeFileSync(file, script);
  const child = spawn(process.execPath, [...flags, file], {
    env: { ...process.env, NODE_OPTIONS: '', NODE_V8_COVERAGE: '' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await new Promise<void>((up) => void child.stdout.once('data', () => up()));
  return child.pid as number;
}

const leaking = `
class AgentSession { constructor(i) { this.history = Array.from({ length: 20 }, (_, k) => ({ k, text: 'message ' + i + k })); } }
const sessions = new Map(); let n = 0;
setInterval(() => { for (let i = 0; i < 60; i++) sessions.set('s' + n, new AgentSession(n++)); }, 20);
console.log('up');`;

test('a pair of snapshots names the leak of a program that was not started by us, and leaves it as it was', async () => {
  const pid = await victim(leaking);
  const before = listeningPorts(pid);
  const io = new TestIo(dir);
  expect(
    await io.plimsoll(
      'attach',
      String(pid),
      '--for',
      '3s',
      '--pair',
      '--force',
      '--report',
      'r.json',
      '--keep',
      'kept',
    ),
  ).toBe(0);
  expect(io.err).toMatch(
    /^plimsoll: attaching to \d+ \(node, rss [\d.]+ MiB\) for 3 s\.\n {2}opens its inspector/,
  );
  expect(io.err).toMatch(/each of 2 snapshots stops it for about .+ and needs up to .+ MiB/);
  expect(io.out).toMatch(/^verdict leak: the live heap grew by .+; sessions holds AgentSession .+ more\./);
  expect(io.out).toContain('root: module');
  const report = JSON.parse(readFileSync(join(dir, 'r.json'), 'utf8')) as AttachReport;
  expect(report.verdict).toBe('leak');
  expect(JSON.stringify(report.findings[0]?.trace)).toContain('sessions');
  expect(report.sites[0]?.site).toContain('victim.mjs');
  expect(
    readdirSync(join(dir, 'kept'))
      .map((name) => name.replace(String(pid), 'PID'))
      .sort(),
  ).toEqual(['PID.first.heapsnapshot', 'PID.last.heapsnapshot']);
  expect(statSync(join(dir, 'kept', `${pid}.last.heapsnapshot`)).mode & 0o777).toBe(0o600);
  expect(listeningPorts(pid)).toEqual(before);
});

test('readings alone claim nothing, and one snapshot names what is large', async () => {
  const pid = await victim(leaking);
  const io = new TestIo(dir);
  expect(await io.plimsoll('attach', String(pid), '--for', '1s', '--snapshot', '--json')).toBe(0);
  const report = JSON.parse(io.out) as AttachReport;
  expect(io.err).toBe('');
  expect(report.verdict).toBe('undecided');
  expect(report.readings.last?.heapUsed).toBeGreaterThan(1e6);
  expect(report.proof?.snapshots).toHaveLength(1);
  expect(readdirSync(dir)).toEqual(['victim.mjs']);
});

test('an inspector that was open stays open, by pid and by address', async () => {
  const pid = await victim(`setInterval(() => {}, 1000); console.log('up');`, ['--inspect=127.0.0.1:0']);
  const before = listeningPorts(pid);
  const [port] = [...before];
  const io = new TestIo(dir);
  expect(await io.plimsoll('attach', String(pid), '--for', '1s')).toBe(0);
  expect(io.out).toContain('verdict undecided: without two snapshots');
  const other = new TestIo(dir);
  expect(await other.plimsoll('attach', `127.0.0.1:${port}`, '--for', '1s')).toBe(0);
  expect(listeningPorts(pid)).toEqual(before);
});

test('a second attach finds the inspector that a signal opened before', async () => {
  const pid = await victim(`setInterval(() => {}, 1000); console.log('up');`);
  const facts = attachable(pid);
  const first = await findInspector(facts);
  expect(first.isOurs).toBe(true);
  expect(await findInspector(facts, { timeoutMs: 200 })).toMatchObject({ port: first.port, isOurs: false });
});

test('a snapshot that would stop it too long is refused with the numbers', async () => {
  const pid = await victim(`setInterval(() => {}, 1000); console.log('up');`);
  const before = listeningPorts(pid);
  const io = new TestIo(dir);
  expect(await io.plimsoll('attach', String(pid), '--snapshot', '--max-pause', '1ms')).toBe(1);
  expect(io.err).toMatch(
    /PLM_ATTACH_REFUSED: a snapshot would stop the process for about .+ and 1 ms is allowed/,
  );
  expect(listeningPorts(pid)).toEqual(before);
});

test('what cannot be attached to is said before anything is sent', async () => {
  const off = await victim(`setInterval(() => {}, 1000); console.log('up');`, ['--disable-sigusr1']);
  const handled = await victim(
    `process.on('SIGUSR1', () => {}); setInterval(() => {}, 1000); console.log('up');`,
  );
  const shell = spawn('sleep', ['30']);
  children.push(shell);
  const said = async (...args: string[]): Promise<string> => {
    const io = new TestIo(dir);
    expect(await io.plimsoll('attach', ...args)).toBe(1);
    return /PLM_\w+/.exec(io.err)?.[0] ?? io.err;
  };
  expect(await said(String(off))).toBe('PLM_ATTACH_SIGNAL_OFF');
  expect(await said(String(shell.pid))).toBe('PLM_ATTACH_NOT_NODE');
  expect(await said('4194304')).toBe('PLM_ATTACH_NO_PROCESS');
  expect(await said('10.0.0.7:9229')).toBe('PLM_ATTACH_NOT_LOCAL');
  expect(await said('127.0.0.1:1')).toBe('PLM_ATTACH_LOST');
  expect(await said('here')).toBe('PLM_CLI_BAD_OPTION');
  expect(await said(String(off), '--for', 'long')).toBe('PLM_CLI_BAD_OPTION');
  await expect(findInspector(attachable(handled), { timeoutMs: 200 })).rejects.toMatchObject({
    code: expect.stringMatching(/PLM_ATTACH_(?:NO_INSPECTOR|PORT_TAKEN)/) as string,
  });
  expect(() => attachable(process.pid, { uid: 12_345 })).toThrow(/belongs to user/);
  expect(attachable(process.pid, { uid: 12_345, otherUser: true }).pid).toBe(process.pid);
});

test('addresses are read as processes, loopback or elsewhere', () => {
  expect(targetAddress('4711', false)).toEqual({ pid: 4711 });
  expect(targetAddress('[::1]:9229', false)).toEqual({ host: '::1', port: 9229 });
  expect(targetAddress('10.0.0.7:9229', true)).toEqual({ host: '10.0.0.7', port: 9229 });
  expect(() => targetAddress('localhost:99999', false)).toThrow(/host:port/);
});

test('a process without a handler would die of the signal, and that is seen', () => {
  const proc = join(dir, 'proc');
  mkdirSync(join(proc, '7', 'fd'), { recursive: true });
  const status = (caught: string, ignored: string): void =>
    writeFileSync(
      join(proc, '7', 'status'),
      `Name:\tnode\nUid:\t5\t5\t5\t5\nVmRSS:\t2048 kB\nSigIgn:\t${ignored}\nSigCgt:\t${caught}\n`,
    );
  status('0000000000000000', '0000000000000000');
  symlinkSync('/opt/node (deleted)', join(proc, '7', 'exe'));
  expect(processFacts(7, proc)).toEqual({
    pid: 7,
    uid: 5,
    program: 'node',
    args: [],
    rssBytes: 2048 * 1024,
    onUsr1: 'fatal',
  });
  status('0000000000000000', '0000000000000200');
  expect(processFacts(7, proc)?.onUsr1).toBe('ignored');
  status('0000000000000200', '0000000000000000');
  expect(processFacts(7, proc)?.onUsr1).toBe('caught');
  expect(processFacts(8, proc)).toBeUndefined();
  expect(listeningPorts(8, proc).size).toBe(0);
  expect(
    ['node', 'node22', 'nodejs', 'nodemon', 'bash'].map((program) => isNode({ program } as never)),
  ).toEqual([true, true, true, false, false]);
});

test('a port that is no inspector is told from one', async () => {
  const server: Server = createServer((_, answer) => answer.end('hello'));
  await new Promise<void>((up) => void server.listen(0, '127.0.0.1', up));
  const { port } = server.address() as AddressInfo;
  expect(await socketUrl('127.0.0.1', port)).toBeUndefined();
  await expect(Cdp.connect(`ws://127.0.0.1:${port}/x`)).rejects.toMatchObject({ code: 'PLM_ATTACH_LOST' });
  server.close();
});

test('a session that is closed refuses, and an error of the target is an error here', async () => {
  const pid = await victim(`setInterval(() => {}, 1000); console.log('up');`, ['--inspect=127.0.0.1:0']);
  const [port] = [...listeningPorts(pid)];
  const cdp = await Cdp.connect((await socketUrl('127.0.0.1', port as number)) as string);
  await expect(cdp.send('No.such')).rejects.toThrow(/wasn't found/);
  const pending = cdp.send('Runtime.evaluate', { expression: 'new Promise(() => {})', awaitPromise: true });
  const lost = pending.then(
    () => undefined,
    (error: unknown) => error,
  );
  await cdp.close();
  await cdp.close();
  expect(await lost).toMatchObject({ code: 'PLM_ATTACH_LOST' });
  await expect(cdp.send('Runtime.enable')).rejects.toMatchObject({ code: 'PLM_ATTACH_LOST' });
});

test('allocation sites add up by function and read like places', () => {
  const node = (
    functionName: string,
    selfSize: number,
    children: readonly never[] = [],
    url = 'file:///app/src/agent.js',
  ): never => ({ callFrame: { functionName, url, lineNumber: 9 }, selfSize, children }) as never;
  const rows = siteRows(
    node('(root)', 0, [node('handle', 300, [node('', 100, [], '')]), node('handle', 100)], ''),
  );
  expect(rows).toEqual([
    { site: 'handle (app/src/agent.js:10)', bytes: 400, ratio: 0.8 },
    { site: '(anonymous)', bytes: 100, ratio: 0.2 },
  ]);
});

test('the text shows suspects of a single snapshot with their path', () => {
  const trace = [{ type: 'root', name: 'global', via: '', leaking: 'no', why: '' }] as never;
  const text = lookText(
    {
      verdict: 'undecided',
      why: 'one snapshot.',
      findings: [],
      readings: [],
      sites: [],
      captures: [{ file: 'x', at: 1, stopMs: 1200, heapBytes: 1 }],
      evidence: {
        growth: [],
        suspects: [{ summary: 'a Map holds much', trace } as never],
        swollen: [],
        wrappers: [],
        scopes: [],
        sample: [],
        watched: [],
        heapBytes: 1,
        ms: 1,
      },
    },
    () => 'the path',
  );
  expect(text).toMatchInlineSnapshot(`
    "verdict undecided: one snapshot.
    stood still for 1 s

    live bytes allocated while we looked, by function
    site  bytes  share

    suspect: a Map holds much
      the path
    "
  `);
});
