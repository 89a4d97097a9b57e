import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { frameOf } from '../../../host/src/protocol/frame.fixture.ts';
import type { Frame, ScopeRow } from '@plimsoll/host/internal/protocol/frame';
import { liveLine, screenLines, type SortKey } from './frame-text.ts';
import { keysOf, onKeys } from './keys.ts';
import { LiveScreen } from './live-screen.ts';
import { StatusLine, visibleSlice } from './status-line.ts';
import { bold, dim, levelText } from './style.ts';
import { formatTable, printable } from './table.ts';

const plain = { sort: 'bytes', filter: '', rows: 24, columns: 100, colour: false } as const;

test('the live line says level, used of limit and the heaviest scope', () => {
  expect(liveLine(frameOf(), false)).toMatchInlineSnapshot(
    `"plimsoll normal · 70.0 MiB of 200.0 MiB (35 %) · 3 scopes · top agent:planner/session:42 30.0 MiB · rss 160.0 MiB"`,
  );
  const bare = frameOf({ scopes: [], policy: { ...frameOf().policy, fault: 'gone' } });
  expect(liveLine(bare, false)).toContain('degraded');
});

test('the screen of top reads as a newcomer needs it', () => {
  expect(screenLines(frameOf(), plain).join('\n')).toMatchInlineSnapshot(`
    "plimsoll top  pid 4711  node server.js  up 2 m 5 s
    level normal  used 70.0 MiB of 200.0 MiB (35 %) (v8-old-space)  watermark 120.0 MiB
    floor 70.0 MiB (4 s ago)  heap 90.0 MiB  external 4.0 MiB  array buffers 2.0 MiB  rss 160.0 MiB
    major GCs 9, last second paused 85 ms  loop delay 3 ms  plimsoll itself 1.5 MiB, 0.20 % cpu
    3 scopes open, unattributed 30.0 MiB, mode observe

    scope                                 bytes      peak           budget  level       age  idle
    process/agent:planner/session:42   30.0 MiB  31.0 MiB  64.0 MiB (47 %)  normal  1 m 1 s   1 s
    process/agent:planner/session:7   ~10.0 MiB  40.0 MiB                -  normal  2 m 5 s   1 s

    sort bytes   s sort   / filter   q quit   ~ charged, not walked"
  `);
});

test('the scopes can be ordered and filtered', () => {
  const first = (sort: SortKey): string => screenLines(frameOf(), { ...plain, sort })[7] as string;
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
  expect(idle[7]).toMatch(/session:42.* 1 m 39 s$/);
  expect(idle[8]).toMatch(/session:7.* leased$/);
  const filtered = screenLines(frameOf({ unattributedBytes: null }), { ...plain, filter: ':7' });
  expect(filtered.join('\n')).not.toContain('session:42');
  expect(filtered.at(-1)).toContain('filter ":7" (1)');
  expect(filtered[4]).toContain('unattributed unknown');
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
  const lines = screenLines(frameOf({ governance }), { ...plain, rows: 13 });
  expect(lines.slice(5, 8).join('\n')).toMatchInlineSnapshot(`
    "admission throttling, 40 % of sheddable work, 7 refused so far
    action cache.drop done 12 s ago on process, freed 3.0 MiB (5 in all, 2 would have)
    approval 7f3a waits: process.restart on process·[2J, 1 m 30 s left, then skip and 1 more (plimsoll approvals)"
  `);
  expect(lines).toHaveLength(13);
  const unmeasured = {
    ...governance,
    admission: null,
    approvals: [],
    actions: [{ ...action, freedBytes: null }],
    counts: { actions: 0, cleanups: 0, wouldHave: 0, freedBytes: 0, approvals: 0 },
  };
  expect(screenLines(frameOf({ governance: unmeasured }), plain)[5]).toBe(
    'action cache.drop done 12 s ago on process',
  );
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
