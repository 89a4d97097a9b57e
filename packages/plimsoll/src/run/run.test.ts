import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { LevelRow } from '@plimsoll/host/protocol/frame';
import { checkNode, launchOf } from './launch.ts';
import { budgetFindings, composeReport, suspectOutOfMemory, type RunFacts } from './report.ts';
import { summaryText } from './summary.ts';
import { exitCodeOf, passSignals, startTarget } from './target.ts';

const built = { dir: '/run/.plimsoll', registerUrl: 'file:///lib/register.js' };

test('node gets the preload as arguments, and only this process does', () => {
  const launch = launchOf(['/usr/bin/node', 'server.js'], { A: '1' }, { ...built, policyFile: '/p.yaml' });
  expect(launch).toEqual({
    command: '/usr/bin/node',
    args: ['--import=file:///lib/register.js', 'server.js'],
    env: {
      A: '1',
      PLIMSOLL_DIR: '/run/.plimsoll',
      PLIMSOLL_POLICY: '/p.yaml',
      PLIMSOLL_SUPERVISED: String(process.pid),
    },
    isNode: true,
  });
});

test('another launcher hands the preload down, beside the options it had', () => {
  const launch = launchOf(['npm', 'start'], { NODE_OPTIONS: '--max-old-space-size=256' }, built);
  expect(launch.args).toEqual(['start']);
  expect(launch.env['NODE_OPTIONS']).toBe('--max-old-space-size=256 --import=file:///lib/register.js');
});

test('unbuilt, the preload resolves our packages to their sources', () => {
  const launch = launchOf(['node', 'x.ts'], {}, { dir: '/d' });
  expect(launch.args[0]).toBe('--conditions=plimsoll-source');
  expect(launch.args[1]).toMatch(/^--import=file:.*\/register\.ts$/);
});

test.each([
  ['v20.20.2', 'PLM_RUN_OLD_NODE: a governed program needs Node 22.12 or newer; this is v20.20.2.'],
  ['v22.11.0', 'PLM_RUN_OLD_NODE: a governed program needs Node 22.12 or newer; this is v22.11.0.'],
  ['v22.12.0', undefined],
  ['v26.1.0-nightly', undefined],
  ['something else', undefined],
])('a program that %s runs is refused or not', async (version, expected) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-node-'));
  const node = join(dir, 'node');
  writeFileSync(node, `#!/bin/sh\necho "${version}"\n`, { mode: 0o755 });
  const checked = checkNode(node, dir, process.env).then(
    () => undefined,
    (error: unknown) => String(error).split('\n')[0],
  );
  expect(await checked).toBe(expected);
  rmSync(dir, { recursive: true });
});

const change = (
  level: LevelRow['level'],
  from: LevelRow['from'],
  at: number,
  scope = 'process',
): LevelRow => ({
  at,
  scope,
  from,
  level,
  usedBytes: 150 * 1024 ** 2,
  limitBytes: 200 * 1024 ** 2,
  source: 'heap',
});

const facts: RunFacts = {
  version: '0.1.0',
  target: 'node server.js',
  startedAt: Date.UTC(2026, 10, 15, 10, 0, 0),
  endedAt: Date.UTC(2026, 10, 15, 10, 2, 6),
  exit: { code: 0, signal: null },
  frame: frameOf(),
};

test('the summary tells a newcomer how the run went', () => {
  const levels = [
    change('warning', 'normal', Date.UTC(2026, 10, 15, 10, 1, 0)),
    change('critical', 'warning', Date.UTC(2026, 10, 15, 10, 1, 30)),
  ];
  const report = composeReport({
    ...facts,
    frame: frameOf({ levels, watermark: { ...frameOf().watermark, level: 'critical' } }),
  });
  expect(summaryText(report, '.plimsoll/ledger')).toMatchInlineSnapshot(`
    "plimsoll: node server.js ran 2 m 6 s, exit code 0.
      limit     200.0 MiB: 0.80 of the 250.0 MiB old space
      used      70.0 MiB of 200.0 MiB (35 %) at the end, peak 120.0 MiB of 200.0 MiB (60 %)
      memory    heap 90.0 MiB, array buffers 2.0 MiB, external 4.0 MiB, rss 160.0 MiB (peak 180.0 MiB)
      level     critical at the highest
                10:01:00 normal -> warning, 150.0 MiB of 200.0 MiB (75 %)
                10:01:30 warning -> critical, 150.0 MiB of 200.0 MiB (75 %)
      itself    Plimsoll held 1.5 MiB and took 0.20 % of a core at the end
      scopes    opened: session 1,204 (2 open)
                heaviest                             peak  at the end
                process/agent:planner/session:3  55.0 MiB      closed
                process/agent:planner/session:7  40.0 MiB    10.0 MiB
      held      70.0 MiB (heap after GC and external): in scopes 40.0 MiB, in neither 30.0 MiB
      verdict   undecided: nobody looked.
      ledger    .plimsoll/ledger (plimsoll ledger summary --dir .plimsoll/ledger)
    "
  `);
});

test('the summary tells what governing did', () => {
  const at = Date.UTC(2026, 10, 15, 10, 1, 0);
  const action = {
    id: 'a1',
    at,
    action: 'session.park',
    scope: 'process',
    level: 'critical' as const,
    mode: 'enforce',
    outcome: 'done' as const,
    text: 'parked 12 sessions.',
    rule: 'ladder.critical[0]',
    freedBytes: 30 * 1024 ** 2,
  };
  const notices = [1, 2, 3].map((i) => ({
    ...action,
    id: `n${i}`,
    at: at + i * 1000,
    action: 'notify',
    text: `session:${i} is over its budget.`,
    freedBytes: null,
  }));
  const governance = {
    actions: [action, ...notices],
    approvals: [],
    admission: { state: 'open' as const, ratio: 0, admitted: 4000, refused: 120, points: [] },
    counts: { actions: 1, cleanups: 1, wouldHave: 2, freedBytes: 30 * 1024 ** 2, approvals: 0 },
  };
  const report = composeReport({ ...facts, frame: frameOf({ governance }) });
  expect(report.actions).toEqual([action, ...notices]);
  const lines = summaryText(report, null).split('\n');
  expect(lines.filter((line) => /actions|session.park|notify|refused/.test(line)).join('\n'))
    .toMatchInlineSnapshot(`
    "  actions   1 cleanup, 30.0 MiB freed, 2 only written down
                10:01:00 session.park done: parked 12 sessions.
                10:01:03 notify done ×3, last: session:3 is over its budget.
      refused   120 of 4,120 that asked to be let in"
  `);
});

test('a run without scopes and one without any reading say so', () => {
  const bare = composeReport({ ...facts, frame: frameOf({ kinds: [], scopes: [] }) });
  expect(summaryText(bare, null)).toContain('none opened: bytes are known for the whole process only');
  const silent = composeReport({ ...facts, frame: undefined, exit: { code: null, signal: 'SIGKILL' } });
  expect(summaryText(silent, null)).toMatchInlineSnapshot(`
    "plimsoll: node server.js ran 2 m 6 s, ended by SIGKILL.
      no reading arrived: the process ended before its first one, or it is not a Node.js program.
    "
  `);
  expect(silent.verdict).toBe('undecided');
  // A program that never yields has no reading, but floors.
  const conclusion = {
    verdict: 'leak',
    why: 'it grew.',
    findings: [],
    snapshots: [],
    analysisMs: null,
    suspectedAt: null,
    floors: [],
    scopes: [],
    processes: [],
  } as const;
  const judged = composeReport({ ...facts, frame: undefined, conclusion: conclusion as never });
  expect(summaryText(judged, null)).toContain('  verdict   leak: it grew.\n');
});

test('scopes that went over their budgets are counted, and a path has one row over all lives', () => {
  const levels = [change('warning', 'normal', 1, 'process/session:1'), change('warning', 'normal', 2)];
  const peak = { path: 'process/agent:a', peakBytes: 1024, at: 1 };
  const peaks = [peak, { ...peak, peakBytes: 4096 }, { ...peak, path: 'process/agent:b' }];
  const text = summaryText(composeReport({ ...facts, frame: frameOf({ levels, peaks }) }), null);
  expect(text).toContain('1 scope went over a budget of their own');
  expect(text.match(/process\/agent:a .*/g)).toEqual([expect.stringMatching(/4\.0 KiB +closed$/)]);
});

test('many level changes are cut to the newest', () => {
  const levels = Array.from({ length: 14 }, (_, i) =>
    change('warning', 'normal', facts.startedAt + i * 1000),
  );
  expect(summaryText(composeReport({ ...facts, frame: frameOf({ levels }) }), null)).toContain(
    '... 4 earlier changes',
  );
});

test('out of memory is suspected only when the process was pressed and did not end by itself', () => {
  const pressed = frameOf({ level: 'emergency' });
  expect(suspectOutOfMemory({ code: null, signal: 'SIGABRT' }, pressed)).toBe(true);
  expect(suspectOutOfMemory({ code: 137, signal: null }, pressed)).toBe(true);
  expect(suspectOutOfMemory({ code: 1, signal: null }, pressed)).toBe(false);
  expect(suspectOutOfMemory({ code: null, signal: 'SIGABRT' }, frameOf())).toBe(false);
  const report = composeReport({ ...facts, exit: { code: null, signal: 'SIGABRT' }, frame: pressed });
  expect(summaryText(report, null)).toContain('ended by SIGABRT, suspected out of memory');
});

test('a scope above its budget is one finding at the highest level it reached', () => {
  const levels = [
    change('warning', 'normal', 1, 'process/session:1'),
    change('critical', 'warning', 2, 'process/session:1'),
    change('warning', 'critical', 3, 'process/session:1'),
    change('normal', 'warning', 4, 'process/session:1'),
    change('emergency', 'normal', 5),
  ];
  expect(
    budgetFindings(frameOf({ levels })).map((each) => [
      each.scope,
      each.severity,
      each.count,
      each.firstSeen,
    ]),
  ).toEqual([
    ['process/session:1', 'high', 3, 1],
    ['process', 'critical', 1, 5],
  ]);
  expect(budgetFindings(undefined)).toEqual([]);
});

test('exit codes and signals pass through', async () => {
  expect(exitCodeOf({ code: 3, signal: null })).toBe(3);
  expect(exitCodeOf({ code: null, signal: 'SIGTERM' })).toBe(143);
  expect(exitCodeOf({ code: null, signal: null })).toBe(1);
  const target = await startTarget(
    { command: process.execPath, args: ['-e', 'setTimeout(() => {}, 60_000)'], env: process.env },
    '.',
  );
  const source = new EventEmitter();
  const stop = passSignals(target, source);
  source.emit('SIGINT');
  source.emit('SIGTERM', 'SIGTERM');
  expect(await target.ended).toEqual({ code: null, signal: 'SIGTERM' });
  stop();
  expect(source.eventNames()).toEqual([]);
});

test('a command that does not exist is a clear error', async () => {
  await expect(startTarget({ command: 'no-such-program', args: [], env: {} }, '.')).rejects.toMatchObject({
    code: 'PLM_CLI_CANNOT_START',
    message: '"no-such-program" could not be started: ENOENT.',
  });
});
