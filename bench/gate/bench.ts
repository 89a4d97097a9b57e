/**
 * The gate against an unchanged program and one that keeps 2 KB more per call, 20 times each; and bisect on a leak planted among 64 commits.
 * `npm run bench -- gate [TIMES] [bisect] [--quick]`: 4 times each when quick, about 2 minutes; 20 times take about 10. With `bisect` only
 * the commits are searched; with a number of TIMES only the gates are run.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bisect } from 'plimsoll/internal/bisect/bisect';
import { Worktrees } from 'plimsoll/internal/bisect/worktrees';
import type { RunFigures } from 'plimsoll/internal/gate/compare';
import { gate } from 'plimsoll/internal/gate/gate';
import { measureSubject } from 'plimsoll/internal/gate/measure-run';
import type { Benchmark, Row } from '../row.ts';
import { row } from '../row.ts';

const bounds = { maxGrowth: 0.05, maxPerCall: 512, maxPeak: null };
const { signal } = new AbortController();
const commits = 64;
const planted = 37;

/** A module that works on 50 small objects per call and keeps so many bytes of each. */
function source(keptBytes: number): string {
  return `const kept = [];
export function iterate({ input, index }) {
  const work = Array.from({ length: 50 }, (_, i) => ({ i, text: String(input.text).slice(0, 10) + index }));
  if (${keptBytes} > 0) kept.push(Array.from({ length: ${Math.round(keptBytes / 8)} }, (_, i) => i));
  return JSON.stringify(work).length;
}
`;
}

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-gate-'));
  try {
    const given = args.find((arg) => /^\d+$/.test(arg));
    const rows: Row[] = [];
    if (given !== undefined || !args.includes('bisect'))
      rows.push(...(await gates(dir, Number(given ?? (quick ? 4 : 20)), log)));
    if (given === undefined || args.includes('bisect')) rows.push(...(await bisected(dir, log)));
    return rows;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

export default benchmark;

async function gates(dir: string, times: number, log: (line: string) => void): Promise<readonly Row[]> {
  const same = await repeat(dir, 0, times, log);
  const more = await repeat(dir, 2048, times, log);
  return [
    row({
      metric: `unchanged program called worse, of ${times}`,
      unit: 'runs',
      samples: [same.worse],
      goal: { atMost: 0 },
    }),
    row({
      metric: `+2 KB per call called worse, of ${times}`,
      unit: 'runs',
      samples: [more.worse],
      goal: { atLeast: times },
    }),
    row({ metric: 'undecided, both', unit: 'runs', samples: [same.undecided + more.undecided] }),
    row({ metric: 'runs until decided', unit: 'runs', samples: [...same.runs, ...more.runs] }),
    row({ metric: 'bytes per call found beyond the baseline', unit: 'B', samples: more.perCall }),
  ];
}

async function bisected(dir: string, log: (line: string) => void): Promise<readonly Row[]> {
  const found = await findPlanted(dir, log);
  return [
    row({
      metric: `planted commit found among ${commits}`,
      unit: 'times',
      samples: [found.isRight ? 1 : 0],
      goal: { atLeast: 1 },
    }),
    row({ metric: 'commits measured by bisect', unit: 'commits', samples: [found.steps] }),
  ];
}

async function measure(cwd: string, file: string): Promise<RunFigures> {
  const settings = {
    dir: join(cwd, '.plimsoll'),
    env: process.env,
    limitBytes: null,
    calls: 2000,
    seed: 1,
    signal,
  };
  return measureSubject({ kind: 'module', file }, undefined, { cwd, ...settings });
}

async function repeat(
  dir: string,
  keptBytes: number,
  times: number,
  log: (line: string) => void,
): Promise<{ worse: number; undecided: number; runs: number[]; perCall: number[] }> {
  const base = join(dir, 'base.mjs');
  const changed = join(dir, `keeps-${keptBytes}.mjs`);
  writeFileSync(base, source(0));
  writeFileSync(changed, source(keptBytes));
  const baseline: RunFigures[] = [];
  while (baseline.length < 5) baseline.push(await measure(dir, base));
  const done = { worse: 0, undecided: 0, runs: [] as number[], perCall: [] as number[] };
  for (let i = 0; i < times; i++) {
    const found = await gate({
      bounds,
      baseline,
      measure: () => measure(dir, changed),
      leastRuns: 3,
      mostRuns: 10,
      signal,
      onRun: () => undefined,
    });
    if (found.outcome === 'worse') done.worse++;
    if (found.outcome === 'undecided') done.undecided++;
    done.runs.push(found.runs.length);
    done.perCall.push((found.per1000Calls ?? Number.NaN) / 1000);
    log(`keeps ${keptBytes} B, gate ${i + 1} of ${times}: ${found.outcome} after ${found.runs.length} runs`);
  }
  return done;
}

/** A repository in which commit 37 of 64 begins to keep 2 KB per call. */
async function findPlanted(
  dir: string,
  log: (line: string) => void,
): Promise<{ isRight: boolean; steps: number }> {
  const repository = join(dir, 'repository');
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  const stream: string[] = [];
  for (let i = 0; i <= commits; i++) {
    const message = i === planted ? 'Keep every request for later' : `Change ${i}`;
    const text = `${source(i >= planted ? 2048 : 0)}// change ${i}\n`;
    stream.push(
      `commit refs/heads/main\nmark :${i + 1}\ncommitter a <a@b.c> ${1_700_000_000 + i} +0000\ndata ${message.length}\n${message}\n${i === 0 ? '' : `from :${i}\n`}M 100644 inline iterate.mjs\ndata ${text.length}\n${text}\n`,
    );
  }
  execFileSync('git', ['fast-import', '--quiet'], { cwd: repository, input: stream.join('') });
  const worktrees = await Worktrees.open({
    cwd: repository,
    dir: join(dir, 'worktrees'),
    build: null,
    env: process.env,
  });
  const { first, steps } = await bisect({
    worktrees,
    good: `main~${commits}`,
    bad: 'main',
    bounds,
    mostRuns: 10,
    measure: (cwd) => measure(cwd, join(cwd, 'iterate.mjs')),
    signal,
    onStep: (commit, outcome) => log(`bisect: ${commit.subject}: ${outcome}`),
  });
  return { isRight: first?.subject === 'Keep every request for later', steps: steps.length };
}
