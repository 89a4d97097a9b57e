import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TestIo } from '../io.fixture.ts';
import { Random } from '../stress/random.ts';
import { compareRuns } from './compare.ts';
import type { RunFigures } from './compare.ts';
import { gate } from './gate.ts';
import { gateText } from './gate-text.ts';
import { figuresOf } from './measure-run.ts';

const MiB = 1024 ** 2;
const bounds = { maxGrowth: 0.05, maxPerCall: 512, maxPeak: null };

/** Runs with the noise of real ones: 40 B per call, 150 KiB of live memory. */
function noisy(random: Random, perCall = 90, live = 27 * MiB): RunFigures {
  const noise = (): number => random.next() + random.next() + random.next() - 1.5;
  const bytesPerCall = perCall + 80 * noise();
  return { calls: 2000, bytesPerCall, liveBytes: live + 300 * 1024 * noise(), peakBytes: 140 * MiB };
}

async function gated(
  random: Random,
  perCall: number,
  mostRuns = 10,
): Promise<Awaited<ReturnType<typeof gate>>> {
  return gate({
    bounds,
    baseline: Array.from({ length: 5 }, () => noisy(random)),
    measure: () => Promise.resolve(noisy(random, perCall, 27 * MiB + 2000 * (perCall - 90))),
    leastRuns: 3,
    mostRuns,
    signal: new AbortController().signal,
    onRun: () => undefined,
  });
}

test('an unchanged program is never worse, one that keeps 2 KB more per call always is', async () => {
  const random = new Random(5);
  const count: Record<string, number> = {};
  for (let i = 0; i < 300; i++) {
    const same = await gated(random, 90);
    const more = await gated(random, 90 + 2048);
    count[`same ${same.outcome}`] = (count[`same ${same.outcome}`] ?? 0) + 1;
    count[`more ${more.outcome}`] = (count[`more ${more.outcome}`] ?? 0) + 1;
  }
  expect(count).toEqual({ 'same fine': 300, 'more worse': 300 });
});

test('runs that scatter too much are undecided', async () => {
  let flip = 0;
  const found = await gate({
    bounds,
    baseline: [0, 4000, -3000].map((bytesPerCall) => ({
      calls: 1,
      bytesPerCall,
      liveBytes: 27 * MiB,
      peakBytes: 1,
    })),
    measure: () =>
      Promise.resolve({ calls: 1, bytesPerCall: (flip = -flip || 3000), liveBytes: 27 * MiB, peakBytes: 1 }),
    leastRuns: 3,
    mostRuns: 4,
    signal: new AbortController().signal,
    onRun: () => undefined,
  });
  expect(found.outcome).toBe('undecided');
  expect(found.runs).toHaveLength(4);
});

test('a peak has a bound of its own, and without a baseline growth per call is judged against none', () => {
  const runs = [1, 2, 3].map((i) => ({
    calls: 100,
    bytesPerCall: 3000 + i,
    liveBytes: 9 * MiB,
    peakBytes: 310 * MiB,
  }));
  const found = compareRuns(runs, [], { ...bounds, maxPeak: 300 * MiB });
  expect(found.rows.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['bytes per call', 'worse'],
    ['live memory', 'fine'],
    ['peak resident', 'worse'],
  ]);
  expect(found.per1000Calls).toBe(3_002_000);
});

test('the table says before, after and what 1,000 calls add', () => {
  const run = (bytesPerCall: number, liveBytes: number): RunFigures => ({
    calls: 2000,
    bytesPerCall,
    liveBytes,
    peakBytes: 140 * MiB,
  });
  const before = [run(98, 27 * MiB), run(100, 27 * MiB), run(102, 27 * MiB)];
  const after = [run(2150, 32 * MiB), run(2148, 32 * MiB), run(2152, 32 * MiB)];
  expect(gateText(compareRuns(after, before, bounds))).toMatchInlineSnapshot(`
    "WORSE: memory is above its bounds.
      figure             before      after  result  difference
      bytes per call      100 B    2.1 KiB  worse   +2.0 KiB, at most +512 B allowed, certain to 3 B
      live memory      27.0 MiB   32.0 MiB  worse   +5.0 MiB, at most +1.4 MiB allowed, certain to 0 B
      peak resident   140.0 MiB  140.0 MiB  fine    no bound is set (--max-peak)
      3 runs of about 2,000 calls against 3 of the baseline
      1,000 calls add 2.0 MiB beyond the baseline
    "
  `);
});

test('the first part of a run is warm-up', () => {
  const points = [5, 20, 21, 21.1, 21.2, 21.3].map((bytes, i) => ({
    work: 100 * (i + 1),
    bytes: bytes * MiB,
  }));
  const { bytesPerCall } = figuresOf(points, 600, 0);
  // A line through all points would say 28 KiB.
  expect(bytesPerCall).toBeLessThan(4000);
});

test('plimsoll gate measures a module, writes a baseline and ends with 2 when it is worse', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-gate-test-'));
  const source =
    'const kept = [];\nexport function iterate() { if (process.env.LEAK === "1") kept.push(new Array(4000).fill(1)); }\n';
  writeFileSync(join(dir, 'iterate.mjs'), source);
  const io = new TestIo(dir);
  const args = ['gate', '--baseline', 'main.json', '--calls', '80'];
  expect(await io.plimsoll(...args, './iterate.mjs')).toBe(1);
  expect(io.err).toContain('PLM_GATE_BAD_BASELINE');
  const figures = { calls: 112, bytesPerCall: 100, liveBytes: 40 * MiB, peakBytes: 150 * MiB };
  writeFileSync(
    join(dir, 'main.json'),
    JSON.stringify({ plimsoll: '0', command: '', node: '', written: '', runs: [figures, figures, figures] }),
  );
  io.env['LEAK'] = '1';
  expect(await io.plimsoll(...args, '--report', 'gate.md', './iterate.mjs')).toBe(2);
  expect(io.out).toContain('WORSE');
  expect(readFileSync(join(dir, 'gate.md'), 'utf8')).toContain('| bytes per call |');
  expect(await io.plimsoll('gate', '--max-growth', 'five', './iterate.mjs')).toBe(1);
});

test('plimsoll gate counts the requests that a command serves', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-gate-test-'));
  writeFileSync(
    join(dir, 'load.cjs'),
    "const http = require('node:http');\nconst server = http.createServer((q, r) => r.end('ok')).listen(0, async () => { for (let i = 0; i < 50; i++) await (await fetch('http://127.0.0.1:' + server.address().port)).text(); process.exit(0); });\n",
  );
  const io = new TestIo(dir);
  expect(await io.plimsoll('gate', '--runs', '1', '--json', '--', 'node', 'load.cjs')).toBe(0);
  expect((JSON.parse(io.out) as { runs: RunFigures[] }).runs[0]?.calls).toBe(50);
  expect(await io.plimsoll('gate', '--runs', '1', '--', 'node', '-e', 'process.exit(4)')).toBe(1);
  expect(io.err).toContain('PLM_GATE_RUN_FAILED');
});
