import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger } from '@plimsoll/ledger';
import { expect, test } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import { SeriesRecorder } from '../run/series.ts';
import { traceDrawer } from '../screen/finding-text.ts';
import { findingsFiles } from './findings-files.ts';
import { reportHtml } from './html.ts';
import { reportJunit } from './junit.ts';
import { findingsOf } from './ledger-report.ts';
import { reportMarkdown } from './markdown.ts';
import { cleanReport, leakReport, stressSection, survivor } from './report.fixture.ts';
import { nextSteps } from './view.ts';
import { stressText } from '../stress/stress-text.ts';

const folder = (): string => mkdtempSync(join(tmpdir(), 'plimsoll-report-'));

test('a series stays short and keeps its peaks', () => {
  const recorder = new SeriesRecorder(100);
  for (let i = 0; i < 50_000; i++)
    recorder.add({
      at: i * 1000,
      used: i === 31_337 ? 9999 : 10,
      heapUsed: 10,
      floor: i < 10 ? null : 5,
      external: 0,
      rss: i === 12 ? 777 : 20,
    });
  const { at, used, rss, floor } = recorder.series;
  expect(at.length).toBeGreaterThan(40);
  expect(at.length).toBeLessThanOrEqual(100);
  expect(Math.max(...used)).toBe(9999);
  expect(Math.max(...rss)).toBe(777);
  expect(floor.at(-1)).toBe(5);
  expect(at).toEqual([...at].sort((a, b) => a - b));
  expect(at.at(-1)).toBeGreaterThan(48_000_000);
});

test('Markdown names the verdict, the figures and the holder, with the trace folded', async () => {
  const text = reportMarkdown(leakReport(), await traceDrawer([survivor]));
  expect(text).toContain('## ❌ Plimsoll: leak, node server.js');
  expect(text).toContain('| high | "state" of the closed session (survivor) | ');
  expect(text).toContain('SessionStore.sessions → Map.get(&lt;serial:7>)');
  expect(text).toContain('<details>\n<summary>Leak trace of F-d391b9');
  expect(text).toContain('1. remove entries from SessionStore.sessions');
});

test('Markdown has at most 60 lines, however much there is to say', async () => {
  const step = survivor.trace?.[2];
  if (step === undefined) throw new Error('the trace is shorter');
  const long = {
    ...survivor,
    trace: [...(survivor.trace ?? []), ...Array.from({ length: 200 }, () => step)],
  };
  const report = leakReport({
    findings: Array.from({ length: 50 }, (_, i) => ({ ...long, id: `F-${i}`, fix: `mend place ${i}` })),
    stress: {
      ...stressSection,
      plans: Array.from({ length: 3 }, () => stressSection.plans[0] as (typeof stressSection.plans)[0]),
      hypotheses: Array.from(
        { length: 30 },
        () => stressSection.hypotheses[0] as (typeof stressSection.hypotheses)[0],
      ),
    },
  });
  const lines = reportMarkdown(report, await traceDrawer(report.findings))
    .trimEnd()
    .split('\n');
  expect(lines.length).toBeLessThanOrEqual(60);
  expect(lines.filter((line) => line === '<details>').length).toBe(
    lines.filter((line) => line === '</details>').length,
  );
  expect(lines.at(-1)).toContain('<sub>');
});

test('names of a program are text in every form', () => {
  const evil = '<img src=x onerror=alert(1)>|`@team](http://x)\u001b[2J';
  const report = leakReport({
    target: evil,
    why: evil,
    findings: [{ ...survivor, scope: evil, subject: evil, fix: evil }],
  });
  expect(reportHtml(report)).not.toContain('<img');
  const markdown = reportMarkdown(report);
  expect(markdown).not.toContain('<img');
  expect(markdown).not.toMatch(/@team/);
  expect(markdown).not.toContain('\u001b');
  const xml = reportJunit(report);
  expect(xml).not.toContain('<img');
  expect(xml).not.toContain('\u001b');
});

test('a page runs no script and asks nobody', () => {
  const page = reportHtml(leakReport({ stress: stressSection }));
  expect(page).not.toMatch(/<script|src=|@import|url\(/);
  expect(page).toContain('<svg');
  expect(page).toContain('Held by');
  expect(page).toContain('disk full');
  expect(page).toContain('not reached');
});

test('a page says what was done, who held it, and what every process came to', () => {
  const base = leakReport();
  const life = {
    pid: 1,
    started: base.started,
    ended: base.ended,
    exit: { code: 75, signal: null },
    restart: { reason: 'memory stayed short', parked: 3, lost: 0, interrupted: 0 },
    peakUsedBytes: 1e8,
    peakLevel: 'critical' as const,
  };
  const page = reportHtml({
    ...base,
    lives: [life, { ...life, restart: null, exit: { code: null, signal: 'SIGKILL' } }],
    processes: [
      { pid: 1, target: 'node a.js', verdict: 'leak', why: 'it grew' },
      { pid: 2, target: null, verdict: 'clean', why: 'it did not' },
    ],
    actions: [
      {
        id: '1',
        at: Date.parse(base.started),
        action: 'keepers.shrink',
        scope: 'process',
        level: 'warning',
        mode: 'enforce',
        outcome: 'done',
        text: 'freed 5 MiB',
        rule: '',
        freedBytes: 5e6,
      },
    ],
    readings: {
      ...base.readings,
      levels: [
        {
          at: Date.parse(base.started),
          scope: 'process',
          from: 'normal',
          level: 'warning',
          usedBytes: 1e8,
          limitBytes: 2e8,
          source: 'heap',
        },
      ],
    },
  });
  for (const words of [
    'keepers.shrink',
    'normal to warning',
    'memory stayed short',
    'SIGKILL',
    'node a.js',
    'unknown',
  ])
    expect(page).toContain(words);
  const floors = reportHtml({
    ...base,
    series: null,
    proof: {
      snapshots: [{ at: 1, stopMs: 900, kept: null }],
      analysisMs: 1,
      suspectedAt: null,
      floors: [1e7, 2e7, 3e7],
      scopes: [],
    },
  });
  expect(floors).toContain('Live heap after each major GC');
  expect(floors).toContain('1 snapshots were taken');
  expect(reportHtml({ ...base, series: null })).toContain('too few readings');
});

test('the terminal shows what a stress run did', () => {
  const text = stressText(stressSection);
  for (const words of ['baseline', 'disk full', 'check state', 'hypothesis h1', 'not tried: POST /admin'])
    expect(text).toContain(words);
});

test('JUnit counts findings, checks, hypotheses and faults', () => {
  const xml = reportJunit(leakReport({ stress: stressSection }));
  expect(
    /<testsuites name="plimsoll" tests="(\d+)" failures="(\d+)" skipped="(\d+)"/.exec(xml)?.slice(1),
  ).toEqual(['9', '6', '1']);
  expect(reportJunit(cleanReport())).toContain('tests="1" failures="0" skipped="0"');
});

test('the findings files sort what held from what did not', () => {
  const files = findingsFiles(leakReport({ stress: stressSection }));
  expect(Object.keys(files)).toEqual([
    'strengths.json',
    'bugs.json',
    'dx.json',
    'improvements.json',
    'results/memory_results.json',
  ]);
  const titles = (name: string): unknown =>
    (JSON.parse(files[name] ?? '[]') as { title: string }[]).map(({ title }) => title);
  expect(titles('strengths.json')).toEqual(['GET /healthz', 'survives disk full']);
  expect(titles('bugs.json')).toEqual([
    '"state" of the closed session (survivor)',
    'GET /healthz sessions',
    'abort in the middle',
    'h1: bytes per call stay below 2 KiB',
  ]);
});

test('what to do next begins with the fix of the gravest finding', () => {
  expect(nextSteps(leakReport())[0]).toBe(survivor.fix);
  expect(nextSteps(cleanReport())).toEqual([]);
});

test('plimsoll report writes every form, and says what is no report', async () => {
  const dir = folder();
  const file = join(dir, 'out.json');
  writeFileSync(file, JSON.stringify(leakReport()));
  const io = new TestIo(dir);
  expect(await io.plimsoll('report', 'out.json', '--html', '--junit', 'j.xml', '--findings', 'found')).toBe(
    0,
  );
  expect(readFileSync(join(dir, 'out.html'), 'utf8')).toContain('<!doctype html>');
  expect(readFileSync(join(dir, 'j.xml'), 'utf8')).toContain('<testsuites');
  expect(readFileSync(join(dir, 'found/results/memory_results.json'), 'utf8')).toContain('"verdict": "leak"');
  expect(await io.plimsoll('report', 'out.json')).toBe(0);
  expect(io.out).toContain('node server.js: leak');
  expect(io.out).toContain('SessionStore');
  writeFileSync(join(dir, 'other.json'), '{"name":"x"}');
  expect(await io.plimsoll('report', 'other.json')).toBe(1);
  expect(io.err).toContain('PLM_REPORT_UNREADABLE');
  expect(await io.plimsoll('report', 'out.json', '--since', '7d')).toBe(1);
});

test('a report over the ledger says what grew, what was found and what was done', async () => {
  const dir = folder();
  const ledger = openLedger({ dir: join(dir, 'ledger') });
  const start = Date.now() - 3_600_000;
  const at = (i: number): number => start + i * 10_000;
  await ledger.audit({ kind: 'start', at: start, body: { pid: process.pid, command: 'node server.js' } });
  for (let i = 0; i < 300; i++)
    ledger.sample({
      at: at(i),
      scope: 'process',
      bytes: 50e6 + i * 1e5,
      floor: 40e6 + i * 1e5,
      rss: 120e6,
      limit: 1e9,
    } as Parameters<typeof ledger.sample>[0]);
  const body = {
    id: 'F-1',
    kind: 'survivor',
    severity: 'high',
    fingerprint: 'ab',
    bytes: 3e7,
    count: 4,
    fix: 'let go.',
    message: 'survivor of "state"',
    trace: 'global > store: Store > sessions: Map > get(x): Session',
  };
  await ledger.audit({ kind: 'finding', at: at(200), scope: 'process/session:1', body });
  await ledger.audit({
    kind: 'action',
    at: at(250),
    scope: 'process',
    body: { action: 'keepers.shrink', outcome: 'done', freedBytes: 5e6 },
  });
  await ledger.close();
  const io = new TestIo(dir);
  expect(await io.plimsoll('report', '--since', '7d', '--dir', dir, '--json')).toBe(0);
  const report = JSON.parse(io.out) as ReturnType<typeof leakReport>;
  expect(report.verdict).toBe('leak');
  expect(report.findings[0]?.trace?.at(-1)?.name).toBe('Session');
  expect(report.history?.grown[0]?.scope).toBe('process');
  expect(report.history?.grown[0]?.bytesPerHour).toBeGreaterThan(3e7);
  expect(report.actions[0]?.action).toBe('keepers.shrink');
  expect(report.series?.at.length).toBeGreaterThan(10);
  expect(await io.plimsoll('report', '--since', '7d', '--dir', dir, '--html', 'week.html')).toBe(0);
  const page = readFileSync(join(dir, 'week.html'), 'utf8');
  for (const words of ['What grew', 'What was done', 'What to do next', 'keepers.shrink'])
    expect(page).toContain(words);
});

test('the last entry of a fingerprint is the finding', () => {
  const entry = (seq: number, body: Record<string, unknown>): Parameters<typeof findingsOf>[0][number] => ({
    seq,
    run: 1,
    n: seq,
    at: seq,
    kind: 'finding',
    scope: 'process',
    hash: '',
    body,
  });
  const found = findingsOf([
    entry(1, { fingerprint: 'a', severity: 'medium', count: 3 }),
    entry(2, { fingerprint: 'b', severity: 'low', count: 1 }),
    entry(3, { fingerprint: 'a', severity: 'high', count: 9, trace: 'global > x: Map' }),
  ]);
  expect(
    found.map(({ fingerprint, severity, count, firstSeen }) => [fingerprint, severity, count, firstSeen]),
  ).toEqual([
    ['a', 'high', 9, 1],
    ['b', 'low', 1, 2],
  ]);
});
