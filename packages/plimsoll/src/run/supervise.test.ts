import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import { readRestartLog } from '@plimsoll/host/protocol';
import { LedgerReader } from '@plimsoll/ledger';
import { autopsyIn } from '../autopsy/autopsy-entry.ts';
import { autopsyOf } from '../autopsy/autopsy.ts';
import type { LifeConclusion } from './conclude.ts';
import { concludeAll, frameOverLives, lifeRows } from './lives.ts';
import type { EndedLife } from './lives.ts';
import { reportOn } from './report-on.ts';
import { summaryText } from './summary.ts';
import { supervise } from './supervise.ts';
import type { SuperviseOptions } from './supervise.ts';

let dir: string;
let next: string[];
let signals: EventEmitter;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-lives-'));
  next = [];
  signals = new EventEmitter();
});
afterEach(() => rmSync(dir, { recursive: true }));

/** A program that notes its restart as the host does, for so many lives, and then does something else. */
function program(restarts: number, then = ''): SuperviseOptions {
  const script = join(dir, 'app.cjs');
  writeFileSync(
    script,
    `const { readFileSync, writeFileSync, existsSync } = require('node:fs');
const file = ${JSON.stringify(join(dir, 'restarts.json'))};
const log = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { v: 1, entries: [] };
for (const entry of log.entries) entry.resumedBy = process.pid;
const at = Date.now();
if (log.entries.length < ${restarts}) {
  log.entries.push({ at, pid: process.pid, phase: 'parked', reason: 'memory', exitBy: at, sessions: 3, parked: 2, lost: 1, interrupted: 0 });
  writeFileSync(file, JSON.stringify(log));
  process.exit(75);
}
writeFileSync(file, JSON.stringify(log));
${then}`,
  );
  return {
    launch: { command: process.execPath, args: [script], env: process.env },
    cwd: dir,
    dir,
    keepSnapshots: false,
    mostPerHour: 5,
    onFrame: () => undefined,
    onAnalysis: () => undefined,
    onNext: ({ step }) => void next.push(step),
    signals,
  };
}

/**
 * A program that hands over as the host does: its first life asks for the next one beside it, sends it a listening socket and ends. The
 * second life takes the socket, and ends when the first has.
 */
function handingOver(mostBytes: number | null): SuperviseOptions {
  const script = join(dir, 'hands-over.cjs');
  writeFileSync(
    script,
    `const { appendFileSync, readFileSync, writeFileSync, existsSync, renameSync } = require('node:fs');
const file = ${JSON.stringify(join(dir, 'handover.json'))};
const read = () => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {});
const write = (value) => { writeFileSync(file + process.pid, JSON.stringify(value)); renameSync(file + process.pid, file); };
const until = async (...phases) => {
  while (!phases.includes(read().phase)) await new Promise((done) => setTimeout(done, 20));
  return read();
};
const say = (text) => appendFileSync(${JSON.stringify(join(dir, 'said'))}, text + ' ');
const before = Number(process.env.PLIMSOLL_TAKES_OVER);
async function first() {
  const server = require('node:net').createServer().listen(0);
  write({ v: 1, phase: 'wanted', from: process.pid, mostBytes: ${mostBytes} });
  const { phase, why } = await until('ready', 'alone');
  if (phase === 'alone') say(why);
  else {
    process.send({ plimsoll: 'listener', port: server.address().port }, server, { keepOpen: true });
    process.send({ plimsoll: 'listener' });
    await until('listening');
  }
  const at = Date.now();
  const entry = { at, pid: process.pid, phase: 'parked', reason: 'memory', exitBy: at, sessions: 3, parked: 3, lost: 0, interrupted: 0 };
  writeFileSync(${JSON.stringify(join(dir, 'restarts.json'))}, JSON.stringify({ v: 1, entries: [entry] }));
  process.exit(75);
}
async function second() {
  write({ ...read(), phase: 'ready', to: process.pid });
  process.on('message', (message, server) => {
    if (server !== undefined) say('took ' + (server.address().port === message.port));
    if (message.port === undefined) write({ ...read(), phase: 'listening' });
  });
  for (;;) {
    try {
      process.kill(before, 0);
    } catch {
      process.exit(4);
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}
if (before > 0) second();
else if (existsSync(${JSON.stringify(join(dir, 'restarts.json'))})) process.exit(5);
else first();`,
  );
  return {
    ...program(0),
    launch: { command: process.execPath, args: [script], env: process.env, isNode: true },
  };
}

test('the next life is started beside the one that asks for it, and gets its sockets', async () => {
  const lives = await supervise(handingOver(null));
  expect(lives.map(({ exit }) => exit.code)).toEqual([75, 4]);
  expect(next).toEqual(['handed']);
  expect(readFileSync(join(dir, 'said'), 'utf8')).toBe('took true ');
  expect(readRestartLog(dir).entries).toMatchObject([{ resumedBy: lives[1]?.pid }]);
});

test('where a second life does not fit, the next one starts when the old one has ended', async () => {
  const lives = await supervise(handingOver(2 ** 50));
  expect(lives.map(({ exit }) => exit.code)).toEqual([75, 5]);
  expect(next).toEqual(['start']);
  expect(readFileSync(join(dir, 'said'), 'utf8')).toMatch(
    /^it would take about 1024\.0 TiB beside this one and \S+ [KMG]iB are free $/,
  );
});

test('a program runs through its lives until it ends by itself', async () => {
  const lives = await supervise(program(2, 'process.exit(3);'));
  expect(lives.map(({ exit }) => exit.code)).toEqual([75, 75, 3]);
  expect(next).toEqual(['start', 'start']);
  expect(signals.eventNames()).toEqual([]);
  const report = await reportOn(lives, 'node app.cjs', dir);
  expect(report.exit.code).toBe(3);
  expect(report.lives.map(({ restart }) => restart)).toEqual([
    { reason: 'memory', parked: 2, lost: 1, interrupted: 0 },
    { reason: 'memory', parked: 2, lost: 1, interrupted: 0 },
    null,
  ]);
});

test('a storm is given up', async () => {
  const lives = await supervise({ ...program(99), mostPerHour: 1 });
  expect(lives).toHaveLength(2);
  expect(next).toEqual(['start', 'give-up']);
});

test('a signal ends the life that is on, and is the last', async () => {
  const options = program(0, 'setTimeout(() => {}, 60_000); process.stdout.write("");');
  const running = supervise(options);
  await vi.waitFor(() => expect(readFileSync(join(dir, 'restarts.json'), 'utf8')).toContain('entries'));
  signals.emit('SIGUSR2', 'SIGUSR2');
  signals.emit('SIGTERM', 'SIGTERM');
  const [life] = await running;
  expect(['SIGTERM', 'SIGUSR2']).toContain(life?.exit.signal);
  expect(readRestartLog(dir).entries).toEqual([]);
});

test('a signal between two lives is the end', async () => {
  const options = program(99);
  const lives = await supervise({ ...options, onNext: () => void signals.emit('SIGINT') });
  expect(lives).toHaveLength(1);
});

test('a life that was killed is remembered for the next', async () => {
  const lives = await supervise(program(0, 'process.kill(process.pid, "SIGKILL");'));
  expect(lives).toHaveLength(1);
  expect(readRestartLog(dir).entries).toMatchObject([
    { phase: 'died', reason: 'ended by SIGKILL', pid: lives[0]?.pid, sessions: 0 },
  ]);
});

test('why a life died is an entry of the ledger, which goes to the fleet', async () => {
  mkdirSync(join(dir, 'ledger'), { mode: 0o700 });
  const [life] = await supervise(program(0, 'process.kill(process.pid, "SIGKILL");'));
  using reader = new LedgerReader(join(dir, 'ledger'));
  const [entry, ...more] = reader.audit({ kinds: ['autopsy'] });
  expect(more).toEqual([]);
  expect(entry?.body).toMatchObject({ pid: life?.pid, isDeath: true, at: life?.autopsy.endedAt });
  expect(autopsyIn(entry?.body ?? {})?.cause).toEqual(life?.autopsy.cause);
  expect(autopsyIn({})).toBeUndefined();
});

test('a drain that hangs past its own end is killed', async () => {
  const hang = `
const begun = Date.now();
log.entries.push({ at: begun, pid: process.pid, phase: 'begun', reason: 'memory', exitBy: begun - 4000, sessions: 3, parked: 1, lost: 0, interrupted: 0 });
writeFileSync(file, JSON.stringify(log));
for (;;);`;
  const lives = await supervise({ ...program(0, hang), mostPerHour: 0 });
  expect(lives[0]?.exit.signal).toBe('SIGKILL');
  expect(lifeRows(lives, readRestartLog(dir))[0]?.restart).toMatchObject({ parked: 1, lost: 2 });
});

const conclusion = (
  verdict: LifeConclusion['verdict'],
  findings: LifeConclusion['findings'] = [],
): LifeConclusion => ({
  verdict,
  why: `because ${verdict}`,
  findings,
  snapshots: [],
  analysisMs: 10,
  suspectedAt: null,
  processes: [],
  frame: undefined,
  floors: [],
  scopes: [],
});
const finding = {
  id: 'f',
  kind: 'survivor' as const,
  severity: 'high' as const,
  scope: 'process',
  fingerprint: 'abc',
  firstSeen: 1,
  lastSeen: 2,
  count: 2,
  bytes: 10,
  fix: 'fix it',
};
const ended = (changes: Partial<EndedLife>): EndedLife => ({
  pid: 1,
  startedAt: 0,
  endedAt: 1000,
  exit: { code: 75, signal: null },
  frame: undefined,
  autopsy: autopsyOf(1, 'node', {
    exit: { code: 75, signal: null },
    endedAt: 1000,
    box: undefined,
    fatal: undefined,
    oomKills: null,
    asked: null,
    wasStuck: false,
    restart: 'memory',
  }),
  conclusion: conclusion('clean'),
  ...changes,
});

test('one verdict over all lives, every finding once', () => {
  const trace: never[] = [];
  const all = concludeAll([
    ended({ conclusion: conclusion('leak', [{ ...finding, trace }]) }),
    ended({ conclusion: conclusion('undecided', [{ ...finding, firstSeen: 5, lastSeen: 9 }]) }),
    ended({ conclusion: conclusion('clean', [{ ...finding, fingerprint: 'def' }]) }),
  ]);
  expect(all).toMatchObject({ verdict: 'leak', why: 'because leak', analysisMs: 30 });
  expect(all.findings.map(({ fingerprint, count, lastSeen }) => [fingerprint, count, lastSeen])).toEqual([
    ['abc', 4, 9],
    ['def', 2, 2],
  ]);
  expect(all.findings[0]?.trace).toBe(trace);
});

test('the peaks of all lives stand in the last frame', () => {
  const first = frameOf({ watermark: { usedBytes: 900, rss: 5, level: 'emergency' } });
  const last = frameOf({ watermark: { usedBytes: 100, rss: 50, level: 'normal' } });
  expect(frameOverLives([{ frame: first }, { frame: undefined }, { frame: last }])).toMatchObject({
    pid: last.pid,
    watermark: { usedBytes: 900, rss: 50, level: 'emergency' },
  });
  expect(frameOverLives([{ frame: last }])).toBe(last);
  const row = { state: 'open' as const, ratio: 0, admitted: 5, refused: 2, points: [] };
  const counts = { actions: 3, cleanups: 3, wouldHave: 1, freedBytes: 10, approvals: 0 };
  const governance = { actions: [], approvals: [], admission: row, counts };
  expect(
    frameOverLives([{ frame: frameOf({ governance }) }, { frame: frameOf({ governance }) }]),
  ).toMatchObject({
    governance: {
      admission: { admitted: 10, refused: 4 },
      counts: { actions: 6, cleanups: 6, wouldHave: 2, freedBytes: 20, approvals: 0 },
    },
  });
  expect(frameOverLives([])).toBeUndefined();
});

test('the summary lists the restarts', async () => {
  const frame = frameOf();
  const lives = [
    { ...ended({ frame }), conclusion: Promise.resolve({ ...conclusion('clean'), frame }) },
    {
      ...ended({ pid: 2, frame, startedAt: 2000, endedAt: 3000 }),
      conclusion: Promise.resolve({ ...conclusion('clean'), frame }),
    },
  ];
  writeFileSync(
    join(dir, 'restarts.json'),
    JSON.stringify({
      v: 1,
      entries: [
        {
          at: 500,
          pid: 1,
          phase: 'parked',
          reason: 'memory',
          exitBy: 0,
          sessions: 3,
          parked: 2,
          lost: 1,
          interrupted: 0,
        },
      ],
    }),
  );
  const report = await reportOn(lives, 'node server.js', dir);
  expect(summaryText(report, null)).toContain(
    '  restarts  1, 2 lives in all\n            00:00:01 memory; 2 sessions parked, 1 lost\n',
  );
});
