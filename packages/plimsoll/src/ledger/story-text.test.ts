import { expect, test } from 'vitest';
import type { AuditRecord, Story } from '@plimsoll/ledger';
import { csvCell } from './export-rows.ts';
import { growthPhrase } from './growth-text.ts';
import { storyText } from './story-text.ts';
import { summaryTable } from './story-text.ts';

const t0 = Date.parse('2026-07-01T10:00:00Z');
const empty = { since: t0, until: t0 + 1, resolution: 'raw' as const, rows: [] };

function entry(kind: string, body: AuditRecord['body'], at = t0): AuditRecord {
  return { seq: 1, run: 1, n: 1, at, kind, scope: 'process', body, hash: '' };
}

function text(story: Partial<Story>): string {
  const base: Story = {
    run: 1,
    pid: 42,
    host: 'vm',
    started: t0,
    lastSeen: t0 + 5000,
    state: 'died',
    start: undefined,
    exit: undefined,
    first: undefined,
    peak: undefined,
    last: undefined,
    levels: [],
    findings: [],
    actions: [],
    others: [],
    samples: 0,
    scopes: 0,
    ...story,
  };
  const growth = { ...empty, tooShort: 0 };
  return storyText({ dir: 'x', story: base, summary: { ...empty, more: 0 }, growth, otherRuns: [] });
}

test('a process that vanished is said to have died, with what it last used', () => {
  const last = {
    at: t0,
    usedBytes: 190 * 1024 ** 2,
    limit: 200 * 1024 ** 2,
    floor: undefined,
    rss: undefined,
    level: undefined,
  };
  expect(text({ last })).toMatchInlineSnapshot(`
    "run       a process, pid 42 on vm
    time      2026-07-01 10:00:00Z to 2026-07-01 10:00:05Z (5 s)
    end       no exit was recorded and the process is gone: killed, crashed or out of memory; it last used 190.0 MiB of 200.0 MiB (95 %)
    limit     200.0 MiB
    last      190.0 MiB of 200.0 MiB (95 %) at 10:00:00
    growth    too few samples for a line
    levels    no change recorded
    findings  none
    actions   none
    scopes    no samples
    "
  `);
});

test('an exit without a signal, and entries with fields missing or of another shape', () => {
  const told = text({
    pid: undefined,
    host: undefined,
    state: 'ended',
    exit: entry('exit', { code: 0 }),
    levels: [entry('level', {}), entry('level', { from: 'normal', level: 'warning', used: 5 })],
    findings: [entry('finding', {})],
    actions: [entry('action', {})],
    others: [entry('note', { list: [1] }), entry('note', {})],
    peak: { at: t0, usedBytes: 5, limit: undefined, floor: undefined, rss: undefined, level: undefined },
  });
  expect(told).toMatchInlineSnapshot(`
    "run       a process
    time      2026-07-01 10:00:00Z to 2026-07-01 10:00:05Z (5 s)
    end       exit code 0 at 10:00:00
    limit     not recorded
    peak      5 B at 10:00:00
    growth    too few samples for a line
    levels    10:00:00  process: ? -> ?
              10:00:00  process: normal -> warning, 5 B
    findings  10:00:00  process: info, finding
    actions   10:00:00  process: action
    also      10:00:00  note process: list [1]
              10:00:00  note process
    scopes    no samples
    "
  `);
});

test('the end of the life before is told first, once', () => {
  const told = text({
    others: [entry('resume', { text: 'last exit: restart (memory), 4 s ago; 2 sessions parked, 0 lost' })],
  });
  expect(told).toContain('\nbefore    last exit: restart (memory), 4 s ago; 2 sessions parked, 0 lost\n');
  expect(told).not.toContain('also');
  expect(text({ others: [entry('resume', {})] })).not.toContain('before');
});

test('names cannot move the cursor, and long lists keep their newest', () => {
  const levels = Array.from({ length: 50 }, (_, i) => entry('level', { from: 'a\u001b[2J', to: String(i) }));
  const told = text({ levels });
  expect(told).not.toContain('\u001b');
  expect(told).toContain('... 10 earlier');
  expect(told).toContain('-> 49');
  expect(told).not.toContain('-> 9,');
});

test('a table that was cut says how much', () => {
  expect(summaryTable({ ...empty, more: 1200 }).at(-1)).toBe('... 1,200 more (--limit)');
});

test('cells of CSV are quoted, and formulas are defused', () => {
  expect(['a', 'a"b', 'a,b', '=1+1', null, undefined, -5, { a: 1 }].map(csvCell)).toEqual([
    'a',
    '"a""b"',
    '"a,b"',
    "'=1+1",
    '',
    '',
    '-5',
    '"{""a"":1}"',
  ]);
});

test('a line over a few seconds says that it is too short', () => {
  const line = {
    scope: 'process',
    run: 1,
    of: 'floor' as const,
    points: 9,
    from: t0,
    bytesPerHour: 2048,
    errorPerHour: 0,
    r2: 0.5,
    startBytes: 0,
    endBytes: 0,
  };
  expect(growthPhrase({ ...line, to: t0 + 13_000 })).toBe(
    'process +2.0 KiB per hour of floor (r² 0.50, 9 points over 13 s; too short to tell growth from warm-up)',
  );
  expect(growthPhrase({ ...line, to: t0 + 600_000 })).toBe(
    'process +2.0 KiB per hour of floor (r² 0.50, 9 points over 10 m)',
  );
});

test('a cell with an escape sequence cannot move the cursor, and keeps its line breaks', () => {
  expect(csvCell('a\u001b[2Jb')).toBe('a·[2Jb');
  expect(csvCell('a\nb')).toBe('"a\nb"');
});
