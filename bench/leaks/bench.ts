/**
 * Real leaks of published packages, each driver run as the target of `plimsoll run --report`: does the verdict fit, and does the first
 * trace name the holder? The folder with the drivers (manifest.json, one `npm install` done) is named by PLIMSOLL_LEAKS.
 * The manifest is read here to score; the process under test never sees it.
 *
 *   PLIMSOLL_LEAKS=/path/to/leaks npm run bench -- leaks [name ...]
 *
 * The same drivers then run as tests of the test kit, see kit.ts. The words `kit` or `run` among the names choose one of the two.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { row, type Benchmark, type Row } from '../row.ts';
import { namesHolder, type Expectation } from './holder.ts';
import { kitRows, runKit, type KitOutcome } from './kit.ts';

interface Manifest {
  readonly pairs: readonly {
    readonly name: string;
    readonly driver: string;
    readonly fixedIsClean: boolean;
    readonly expect: Expectation;
  }[];
  readonly nonLeaks: readonly { readonly name: string; readonly driver: string }[];
}

interface Outcome {
  readonly name: string;
  readonly variant: 'leaky' | 'fixed' | 'non-leak';
  readonly counts: boolean;
  readonly report: Report | undefined;
  readonly isNamed: boolean;
  readonly wallMs: number;
}

const root = resolve(import.meta.dirname, '../..');
const cli = join(root, 'packages/plimsoll/dist/cli.js');

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const folder = process.env['PLIMSOLL_LEAKS'];
  if (folder === undefined || !existsSync(join(folder, 'manifest.json'))) {
    log(
      'leaks: set PLIMSOLL_LEAKS to a folder with manifest.json and the installed drivers; nothing was measured.',
    );
    return [];
  }
  if (!existsSync(join(folder, 'node_modules'))) {
    log(`leaks: ${folder} has no node_modules; run npm install there first. Nothing was measured.`);
    return [];
  }
  // A pair runs on an older Node.js, which loads built files only.
  spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const names = args.filter((arg) => arg !== 'kit' && arg !== 'run');
  const chosen = (name: string): boolean => names.length === 0 || names.includes(name);
  const isKit = args.includes('kit') || !args.includes('run');
  const isRun = args.includes('run') || !args.includes('kit');
  const pairs = manifest.pairs.filter(({ name }) => chosen(name)).slice(0, quick ? 3 : undefined);
  const outcomes: Outcome[] = [];
  const note = (outcome: Outcome): void => {
    outcomes.push(outcome);
    log(outcomeText(outcome));
  };
  const tests: KitOutcome[] = [];
  const both = (
    name: string,
    driver: string,
    variant: Outcome['variant'],
    expect: Expectation | undefined,
    counts: boolean,
  ): void => {
    if (isRun) note(runDriver(folder, name, driver, variant, expect, counts));
    if (!isKit) return;
    const test = runKit(folder, name, driver, variant, expect, counts);
    tests.push(test);
    log(test.text);
  };
  for (const { name, driver, fixedIsClean, expect } of pairs) {
    both(name, driver, 'leaky', expect, true);
    both(name, driver, 'fixed', expect, fixedIsClean);
  }
  for (const { name, driver } of manifest.nonLeaks
    .filter((each) => chosen(each.name))
    .slice(0, quick ? 2 : undefined)) {
    both(name, driver, 'non-leak', undefined, true);
  }
  return [...rows(outcomes), ...kitRows(tests)];
};

export default benchmark;

function runDriver(
  folder: string,
  name: string,
  driver: string,
  variant: Outcome['variant'],
  expect: Expectation | undefined,
  counts: boolean,
): Outcome {
  const work = mkdtempSync(join(tmpdir(), 'plimsoll-leaks-'));
  const file = join(work, 'report.json');
  const started = performance.now();
  spawnSync(
    process.execPath,
    [
      cli,
      'run',
      '--dir',
      join(work, 'run'),
      '--report',
      file,
      '--',
      process.execPath,
      '--expose-gc',
      driver,
      variant === 'leaky' ? 'leaky' : 'fixed',
    ],
    { cwd: folder, stdio: 'ignore', env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const wallMs = performance.now() - started;
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(work, { recursive: true, force: true });
  const trace = report?.findings.find((each) => each.trace !== undefined)?.trace ?? [];
  return {
    name,
    variant,
    counts,
    report,
    isNamed: expect !== undefined && namesHolder(trace, expect),
    wallMs,
  };
}

function outcomeText({ name, variant, report, isNamed, wallMs, counts }: Outcome): string {
  const first = report?.findings[0];
  const suspected = report?.proof?.suspectedAt ?? null;
  const alarm =
    suspected === null || report === undefined
      ? '-'
      : `${((suspected - Date.parse(report.started)) / 1000).toFixed(1)} s`;
  const holder = (first?.trace ?? []).map((step) => `${step.via}:${step.name}`).join(' > ');
  return [
    name.padEnd(30),
    variant.padEnd(8),
    `${report?.verdict ?? 'no report'}${counts ? '' : ' (not counted)'}`.padEnd(10),
    variant === 'leaky' ? (isNamed ? 'named' : 'NOT NAMED') : '',
    `first alarm ${alarm}`,
    `wall ${(wallMs / 1000).toFixed(1)} s`,
    `stops ${(report?.proof?.snapshots ?? []).map((each) => `${each.stopMs} ms`).join(', ') || '-'}`,
    `\n    ${report?.why ?? ''}`,
    holder === '' ? '' : `\n    ${holder.slice(0, 600)}`,
  ].join('  ');
}

function rows(outcomes: readonly Outcome[]): readonly Row[] {
  const counted = outcomes.filter(({ counts }) => counts);
  const share = (of: readonly Outcome[], is: (outcome: Outcome) => boolean): number[] =>
    of.length === 0 ? [] : [of.filter((each) => is(each)).length / of.length];
  const leaky = counted.filter(({ variant }) => variant === 'leaky');
  const healthy = counted.filter(({ variant }) => variant !== 'leaky');
  const claim = (metric: string, samples: number[], atLeast: number): Row[] =>
    samples.length === 0 ? [] : [row({ metric, unit: 'share', samples, goal: { atLeast } })];
  return [
    ...claim(
      `leaky said to leak (of ${leaky.length})`,
      share(leaky, ({ report }) => report?.verdict === 'leak'),
      1,
    ),
    ...claim(
      `holder named in the first trace (of ${leaky.length})`,
      share(leaky, ({ isNamed }) => isNamed),
      1,
    ),
    ...claim(
      `healthy said to be clean (of ${healthy.length})`,
      share(healthy, ({ report }) => report?.verdict === 'clean'),
      1,
    ),
  ];
}
