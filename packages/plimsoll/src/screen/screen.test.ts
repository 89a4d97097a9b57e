import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { growthRecordOf, judgementOf } from '../../../leak/src/proof/growth-record.fixture.ts';
import { frameOf, incidentOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { Frame, ScopeRow } from '@plimsoll/host/protocol/frame';
import { liveLine, screenLines, type ScreenSort } from './frame-text.ts';
import { freedText } from '@plimsoll/host/protocol/text';
import type { FindingStep } from '@plimsoll/leak/internal/findings/finding';
import { keysOf, onKeys } from './keys.ts';
import { LiveScreen } from './live-screen.ts';
import { StatusLine, visibleSlice } from './status-line.ts';
import { bold, dim, levelText } from './frame-text.ts';
import { holderOf } from './finding-text.ts';
import { formatTable, printable } from './table.ts';

const plain = { sort: 'bytes', filter: '', rows: 24, columns: 100, colour: false } as const;

test('the live line says level, used of limit and the heaviest scope', () => {
  expect(liveLine(frameOf(), false)).toMatchInlineSnapshot(
    `"plimsoll normal · 70.0 MiB of 200.0 MiB (35 %) · 3 scopes · top agent:planner/session:42 30.0 MiB · rss 160.0 MiB"`,
  );
  const bare = frameOf({ scopes: [], policy: { ...frameOf().policy, fault: 'gone' } });
  expect(liveLine(bare, false)).toContain('the newest policy was refused');
});

test('the screen of top reads as a newcomer needs it', () => {
  expect(screenLines(frameOf(), plain).join('\n')).toMatchInlineSnapshot(`
    "plimsoll top  pid 4711  node server.js  up 2 m 5 s
    level normal  used 70.0 MiB of 200.0 MiB (35 %) (v8-old-space limit)  highest 120.0 MiB
    heap 90.0 MiB, after GC 70.0 MiB (4 s ago)  external 4.0 MiB, array buffers 2.0 MiB of it  rss 160.0 MiB
    major GCs 9, stopped for 85 ms since the last reading  loop delay 3 ms  plimsoll itself 1.5 MiB, 0.20 % cpu
    held 70.0 MiB (heap after GC and external): in scopes 40.0 MiB, in neither 30.0 MiB
    3 scopes open  mode observe

    scope                                 bytes      peak           budget  level       age  idle
    process/agent:planner/session:42   30.0 MiB  31.0 MiB  64.0 MiB (47 %)  normal  1 m 1 s   1 s
    process/agent:planner/session:7   ~10.0 MiB  40.0 MiB                -  normal  2 m 5 s   1 s

    sort bytes   s sort   / filter   q quit   ~ as charged by the program"
  `);
});

test('the scopes can be ordered and filtered', () => {
  const first = (sort: ScreenSort): string => screenLines(frameOf(), { ...plain, sort })[8] as string;
  expect(first('bytes')).toContain('session:42');
  expect(first('peak')).toContain('session:7');
  expect(first('age')).toContain('session:7');
  expect(first('name')).toContain('session:42');
  expect(first('budget')).toContain('session:42');
  const [old, young] = frameOf().scopes as [ScopeRow, ScopeRow];
  const idle = screenLines(frameOf(), { ...plain, sort: 'idle' }, [
    { ...young, leases: 1 },
    { ...old, idleMs: 99_000 },
  ]);
  expect(idle[8]).toMatch(/session:42.* 1 m 39 s$/);
  expect(idle[9]).toMatch(/session:7.* leased$/);
  const filtered = screenLines(frameOf({ unattributedBytes: null }), { ...plain, filter: ':7' });
  expect(filtered.join('\n')).not.toContain('session:42');
  expect(filtered.at(-1)).toContain('filter ":7" (1)');
  expect(filtered[4]).toBe('held known after the first major GC');
});

test('what governing does has its lines when there is something to say', () => {
  const { at } = frameOf();
  const action = {
    id: '1',
    at: at - 12_000,
    action: 'cache.drop',
    scope: 'process',
    level: 'warning',
    mode: 'enforce',
    outcome: 'done',
    text: 'dropped',
    rule: 'ladder.warning',
    freedBytes: 3 * 1024 ** 2,
  } as const;
  const approval = {
    id: '7f3a',
    digest: 'd',
    kind: 'action',
    action: 'process.restart',
    scope: 'process\u001b[2J',
    why: 'full',
    evidence: {},
    requestedBy: 'ladder',
    at,
    deadlineAt: at + 90_000,
    onExpiry: 'skip',
    quorum: 1,
    approvers: [],
    votes: [],
    state: 'open',
    decidedAt: null,
    ranAt: null,
  } as const;
  const governance: Frame['governance'] = {
    actions: [action],
    approvals: [
      approval,
      { ...approval, id: 'later', deadlineAt: at + 100_000 },
      { ...approval, state: 'denied' },
    ],
    admission: { state: 'throttling', ratio: 0.4, admitted: 10, refused: 7, points: [] },
    counts: { actions: 5, cleanups: 5, wouldHave: 2, freedBytes: 1, approvals: 3 },
  };
  const lines = screenLines(frameOf({ governance }), { ...plain, rows: 14 });
  expect(lines.slice(6, 9).join('\n')).toMatchInlineSnapshot(`
    "admission throttling: 40 % of new sheddable work is refused, 7 so far
    action cache.drop done 12 s ago on process, freed 3.0 MiB (5 cleanups freed 1 B so far, 2 only written down)
    approval 7f3a waits: process.restart on process·[2J, 1 m 30 s left, then skip and 1 more (plimsoll approvals)"
  `);
  expect(lines).toHaveLength(14);
  const unmeasured = {
    ...governance,
    admission: null,
    approvals: [],
    actions: [{ ...action, freedBytes: null }],
    counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 0 },
  };
  expect(screenLines(frameOf({ governance: unmeasured }), plain)[6]).toBe(
    'action cache.drop done 12 s ago on process',
  );
});

test('keepers, delegations and the forecast have their lines', () => {
  const MiB = 1024 ** 2;
  const keeper = {
    name: 'sessions',
    kind: 'session-cache',
    scope: null,
    bytes: 100 * MiB,
    entries: 4200,
    boundBytes: 128 * MiB,
    boundEntries: null,
    parked: 12,
    hitRatio: 0.934,
    leases: 3,
  };
  const bag = { ...keeper, name: 'out', kind: 'output-bag', scope: 'process/agent:a', bytes: MiB };
  const frame = frameOf({
    keepers: [
      { ...bag, boundBytes: null, boundEntries: 64, hitRatio: null, parked: null, leases: null },
      keeper,
    ],
    reading: { ...frameOf().reading, floor: 166 * MiB },
    delegation: { active: 3, depth: 2, denied: 1, started: 3, blockedRatio: 0.25 },
    forecast: { ms: 60_000, low: 30_000, high: Infinity, bytesPerHour: 9 * MiB, source: 'heap', at: 0 },
  });
  const lines = screenLines(frame, plain);
  expect([...lines.slice(4, 8), ...lines.slice(-5)].join('\n')).toMatchInlineSnapshot(`
    "held 170.0 MiB (heap after GC and external): in scopes 40.0 MiB, in keepers 100.0 MiB, in neither 30.0 MiB
    3 scopes open  mode observe
    delegations 3 running, 2 deep; 1 of 4 refused (25 %)
    forecast full in 1 m (30 s or later) if it goes on growing by 9.0 MiB per hour
    keeper                      bytes             bound  entries  parked  hits  leases  charged to
    session-cache sessions  100.0 MiB  128.0 MiB (78 %)    4,200      12  93 %       3  no scope
    output-bag out            1.0 MiB        64 entries    4,200       -     -       -  agent:a

    sort bytes   s sort   / filter   q quit   ~ as charged by the program"
  `);
  expect(lines.length).toBeLessThanOrEqual(24);
  const many = frameOf({ keepers: Array.from({ length: 300 }, () => keeper) });
  expect(screenLines(many, plain).filter((line) => line.startsWith('session-cache'))).toHaveLength(4);
  expect(screenLines(many, plain).join()).toContain('and 296 lighter ones');
});

test('a loss after an action is told as growth, not as a negative gain', () => {
  expect([freedText(3 * 1024 ** 2), freedText(0), freedText(-2.7 * 1024 ** 2)]).toEqual([
    'freed 3.0 MiB',
    'freed nothing',
    'memory grew by 2.7 MiB meanwhile',
  ]);
});

test('a reading before the first major GC has no floor', () => {
  const { floor: _, ...reading } = frameOf().reading;
  expect(screenLines(frameOf({ reading }), plain)[2]).toContain('no major GC yet');
});

test('a name cannot move the cursor', () => {
  expect(printable('a\u001b[2Jb\nc')).toBe('a·[2Jb·c');
});

test('a table wider than the terminal cuts the path from the left', () => {
  const lines = formatTable(
    [
      { title: 'scope', cell: (row: { path: string }) => row.path },
      { title: 'bytes', align: 'right', cell: () => '1.0 MiB' },
    ],
    [{ path: 'process/agent:planner/session:42' }],
    30,
  );
  expect(lines[1]).toMatch(/^…\S+session:42 +1\.0 MiB$/);
  expect((lines[1] as string).length).toBeLessThanOrEqual(30);
});

test('levels are coloured only on a terminal', () => {
  expect(levelText('emergency', false)).toBe('emergency');
  expect(levelText('warning', true)).toBe('\u001b[33mwarning\u001b[39m');
  expect(dim('x', false) + bold('y', false)).toBe('xy');
});

test('visible characters are counted without escape sequences', () => {
  expect(visibleSlice('\u001b[33mwarning\u001b[39m!', 4)).toBe('\u001b[33mwarn');
});

test('the status line reserves the last row once and gives it back', () => {
  const out: string[] = [];
  const terminal = { write: (text: string) => out.push(text), rows: 10, columns: 20 };
  const line = new StatusLine(terminal);
  line.clear();
  expect(out).toEqual([]);
  line.show('hello');
  expect(out[0]).toContain('\u001b[1;9r');
  line.show('a line that is longer than the terminal');
  expect(out).toHaveLength(3);
  expect(out[2]).toContain('a line that is long\u001b[0m');
  line.clear();
  expect(out.at(-1)).toContain('\u001b[1;10r');
  const small = new StatusLine({ write: (text: string) => out.push(text), rows: 2 });
  small.show('no room');
  expect(out).toHaveLength(4);
});

test('the live screen rewrites only lines that changed', () => {
  const out: string[] = [];
  const terminal = { write: (text: string) => out.push(text), rows: 3, columns: 10 };
  const screen = new LiveScreen(terminal);
  screen.open();
  screen.draw(['one', 'two']);
  out.length = 0;
  screen.draw(['one', 'TWO']);
  expect(out.join('')).toBe('\u001b[2;1HTWO\u001b[0m\u001b[K');
  out.length = 0;
  screen.draw(['one', 'TWO']);
  expect(out).toEqual([]);
  terminal.columns = 2;
  screen.draw(['one', 'TWO']);
  expect(out.join('')).toContain('\u001b[2J');
  screen.close();
  expect(out.at(-1)).toContain('?1049l');
});

test('keys arrive one by one and the terminal is put back', () => {
  expect(keysOf('ab\u001b[A\u001b')).toEqual(['a', 'b', '\u001b']);
  const raw: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) });
  const keys: string[] = [];
  const stop = onKeys(stdin, (key) => keys.push(key));
  stdin.emit('data', Buffer.from('q/'));
  stop();
  stdin.emit('data', Buffer.from('x'));
  expect(keys).toEqual(['q', '/']);
  expect(raw).toEqual([true, false]);
});

test('an incident that lasts is the first thing said', () => {
  const frame = frameOf({ incident: incidentOf(frameOf().at - 61_000) });
  expect(liveLine(frame, false)).toContain('SessionStore.sessions holds 168.0 MiB');
  const lines = screenLines(frame, { sort: 'bytes', filter: '', rows: 40, columns: 200, colour: false });
  expect(lines.find((line) => line.startsWith('incident'))).toContain(
    'incident since 1 m 1 s: SessionStore.sessions holds',
  );
  const ended = frameOf({ incident: incidentOf(frameOf().at, { outcome: 'relieved' }) });
  expect(liveLine(ended, false)).not.toContain('SessionStore');
});

test('growth that is suspected has a line before a finding tells of it', () => {
  const growth = growthRecordOf(
    { heap: judgementOf('growing', 1024 ** 2) },
    {
      sites: [{ function: 'record', file: 'file:///app/server.mjs', line: 41, perHour: 9, low: 1, high: 20 }],
    },
  );
  const text = 'growing by 60.0 MiB per hour: record (server.mjs:41) allocates most of it';
  expect(liveLine(frameOf({ growth, findings: [], incident: null }), false)).toContain(text);
  expect(screenLines(frameOf({ growth, findings: [] }), plain)).toContain(`suspected ${text}`);
});

test('a finding is held by what accumulates, and not by what that consists of', () => {
  const step = (via: string, name: string, suspect = false): FindingStep => ({
    type: 'object',
    name,
    via,
    suspect,
    leaking: 'maybe',
    why: '',
  });
  const trace = [step('', 'module server.mjs'), step('variable sessions', 'Map', true)];
  const content = [step('history', 'Array'), step('[1]', '{role, content}'), step('content', '<text:216>')];
  expect(holderOf({ trace: [...trace, step('get(1)', '{history}', true), ...content] })).toBe(
    'module server.mjs.variable sessions → Map.get(1)',
  );
  expect(holderOf({ trace: content })).toBe('Array.[1] → {role, content}.content');
});
