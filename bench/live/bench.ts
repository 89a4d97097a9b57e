/**
 * The verdict on live servers: each program is started by the built command without flags, loaded by another process, ended by SIGTERM,
 * and judged by its report. Every kind comes from a generator with a seed, so that no rule can know its figures.
 *
 *   npm run bench -- live [stacks|agents|services|frameworks|builds|patterns] [idle] [busy] [name ...]     SEED=7 PARALLEL=2 COUNT=20 in the environment
 *
 * COUNT takes so many leaking and so many healthy kinds, chosen by the seed. `SEED=7 COUNT=20 PARALLEL=6 npm run bench -- live idle` takes
 * 12 minutes. `npm run bench -- live deaths` is about forecasts (deaths.ts). With REFUSED=1 every snapshot is refused, as on a machine that
 * is far too busy.
 */
import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { installFrameworks } from '../../test/frameworks/frameworks.ts';
import { row, type Benchmark, type Row } from '../row.ts';
import { agents } from './agents.ts';
import { builds } from './builds.ts';
import { deaths } from './deaths.ts';
import { frameworks } from './frameworks.ts';
import { healthy, healthyNames } from './healthy.ts';
import { leaky, leakyNames } from './leaky.ts';
import { patterns } from './patterns.ts';
import { Dice, type Program } from './program.ts';
import { services } from './services.ts';
import { stacks } from './stacks.ts';

type Machine = 'idle' | 'busy';

interface Outcome {
  readonly program: Program;
  readonly machine: Machine;
  readonly verdict: Report['verdict'] | 'no report';
  readonly isNamed: boolean;
  readonly reason: string;
  /** Seconds from the start to the first finding; null when there is none. */
  readonly firstWordS: number | null;
  /** Longest stop for a snapshot, ms. */
  readonly stopMs: number;
}

const root = resolve(import.meta.dirname, '../..');
const cli = join(root, 'packages/plimsoll/dist/cli.js');
const frameworkModules = join(root, 'test/frameworks/node_modules');
const seed = Number(process.env['SEED'] ?? 1);
/** With KEEP_REPORTS the evidence stays beside the report, so that a judgement can be made again without the machine. */
const isKept = process.env['KEEP_REPORTS'] !== undefined;
const keeping = isKept ? ['--import', join(import.meta.dirname, 'keep-evidence.mjs')] : [];
/** The judge has to do without snapshots, as on a machine that is far too busy. */
const refusing =
  process.env['REFUSED'] === undefined ? [] : ['--import', join(import.meta.dirname, 'hold-up.mjs')];
const parallel = Number(process.env['PARALLEL'] ?? 1);
const count = Number(process.env['COUNT'] ?? Number.POSITIVE_INFINITY);

/** Sets of programs apart from the first one. */
const groups = { stacks, agents, services, frameworks, builds, patterns } as const;

const benchmark: Benchmark = async (options) => {
  const { quick, args, log } = options;
  spawnSync('npx', ['tsc', '-b'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  if (args[0] === 'deaths') return await deaths(options);
  const asked = (['idle', 'busy'] as const).filter((machine) => args.includes(machine));
  const machines: readonly Machine[] = asked.length > 0 ? asked : ['idle', 'busy'];
  const names = args.filter((each) => !['idle', 'busy', 'both'].includes(each) && !(each in groups));
  const group = Object.entries(groups).find(([name]) => args.includes(name))?.[1];
  const all = group?.(seed) ?? [
    ...chosenOf(leakyNames).map((name) => leaky(name, seed)),
    ...chosenOf(healthyNames).map((name) => healthy(name, seed)),
  ];
  const chosen = all.filter(({ name }) => names.length === 0 || names.includes(name));
  const programs = quick ? chosen.filter((_, i) => i % 8 === 0) : chosen;
  if (programs.some(({ usesFrameworks }) => usesFrameworks)) await installFrameworks();
  const outcomes: Outcome[] = [];
  for (const machine of machines) {
    const others = machine === 'busy' ? keepBusy() : [];
    const waiting = [...programs];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const outcome = await runProgram(next, machine);
        outcomes.push(outcome);
        log(outcomeText(outcome));
      }
    };
    await Promise.all(Array.from({ length: parallel }, lane));
    for (const other of others) other.kill('SIGKILL');
    for (const line of summaryOf(outcomes.filter((each) => each.machine === machine))) log(line);
  }
  return machines.flatMap((machine) =>
    rowsOf(
      outcomes.filter((each) => each.machine === machine),
      machine,
    ),
  );
};

export default benchmark;

/** So many names as were asked for, by the seed. */
function chosenOf(names: readonly string[]): readonly string[] {
  const order = new Map(names.map((name) => [name, new Dice(seed, `choice of ${name}`).next()]));
  return names.toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0)).slice(0, count);
}

/** How many were found, named, accused and left open, and what is not as it should be with its reason. */
function summaryOf(outcomes: readonly Outcome[]): readonly string[] {
  const leaks = outcomes.filter(({ program }) => program.leaks);
  const healthyOnes = outcomes.filter(({ program }) => !program.leaks);
  const many = (all: readonly Outcome[], verdict: Outcome['verdict']): number =>
    all.filter((each) => each.verdict === verdict).length;
  const named = leaks.filter(({ verdict, isNamed }) => verdict === 'leak' && isNamed).length;
  const stop = Math.max(0, ...outcomes.map(({ stopMs }) => stopMs));
  return [
    '',
    `${leaks.length} leaks: ${many(leaks, 'leak')} found, ${named} named, ${many(leaks, 'undecided')} undecided, ${many(leaks, 'clean')} called clean, ${many(leaks, 'no report')} without a report`,
    `${healthyOnes.length} healthy: ${many(healthyOnes, 'leak')} accused, ${many(healthyOnes, 'undecided')} undecided, ${many(healthyOnes, 'clean')} clean, ${many(healthyOnes, 'no report')} without a report`,
    `longest stop ${stop.toFixed(0)} ms`,
    ...outcomes.filter((each) => !isRight(each)).map(outcomeText),
  ];
}

function isRight({ program, verdict, isNamed }: Outcome): boolean {
  return program.leaks ? verdict === 'leak' && isNamed : verdict === 'clean';
}

/** Twice as many busy processes as cores. */
function keepBusy(): readonly ChildProcess[] {
  const code = 'for (;;) JSON.parse(JSON.stringify(Array.from({ length: 500 }, (_, i) => ({ i }))));';
  return Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', code], { stdio: 'ignore' }),
  );
}

async function runProgram(program: Program, machine: Machine): Promise<Outcome> {
  const work = mkdtempSync(join(process.env['KEEP_REPORTS'] || tmpdir(), `${program.name}-`));
  const file = join(work, 'server.mjs');
  const reportFile = join(work, 'report.json');
  writeFileSync(file, program.source);
  if (program.usesFrameworks) symlinkSync(frameworkModules, join(work, 'node_modules'));
  const startedAt = Date.now();
  const server = spawn(
    process.execPath,
    [
      ...keeping,
      cli,
      'run',
      '--dir',
      join(work, 'run'),
      '--report',
      reportFile,
      '--',
      process.execPath,
      ...refusing,
      file,
    ],
    { cwd: work, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const ended = once(server, 'exit');
  let said = '';
  server.stderr.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const port = await portOf(server);
  const load = spawn(
    process.execPath,
    [
      join(import.meta.dirname, 'load.ts'),
      String(port),
      JSON.stringify(program.load),
      String(program.seconds),
    ],
    { stdio: 'ignore' },
  );
  await wait(program.seconds * 1000);
  server.kill('SIGTERM');
  const gone = await Promise.race([ended.then(() => true), wait(180_000, false, { ref: false })]);
  if (!gone) server.kill('SIGKILL');
  load.kill('SIGKILL');
  const report = existsSync(reportFile)
    ? (JSON.parse(readFileSync(reportFile, 'utf8')) as Report)
    : undefined;
  if (!isKept) rmSync(work, { recursive: true, force: true });
  return outcomeOf(program, machine, report, said, startedAt);
}

async function portOf(server: ChildProcess): Promise<number> {
  let out = '';
  for await (const chunk of server.stdout as AsyncIterable<Buffer>) {
    out += String(chunk);
    const port = /listening on (\d+)/.exec(out)?.[1];
    if (port !== undefined) {
      server.stdout?.resume();
      return Number(port);
    }
  }
  throw new Error(`the server ended before it listened: ${out}`);
}

function outcomeOf(
  program: Program,
  machine: Machine,
  report: Report | undefined,
  said: string,
  startedAt: number,
): Outcome {
  const first = report?.findings.find((each) => each.kind !== 'budget');
  const words = JSON.stringify([
    first?.trace,
    first?.fix,
    (first as { message?: string } | undefined)?.message,
  ]);
  const reason = report?.why ?? /verdict +(.*)/.exec(said)?.[1] ?? '';
  return {
    program,
    machine,
    verdict: report?.verdict ?? 'no report',
    isNamed: program.holder?.test(words) ?? false,
    reason: reason.slice(0, 200),
    firstWordS: first === undefined ? null : (first.firstSeen - startedAt) / 1000,
    stopMs: longestStop(report),
  };
}

function longestStop(report: Report | undefined): number {
  return Math.max(0, ...(report?.proof?.snapshots ?? []).map(({ stopMs }) => stopMs));
}

function outcomeText(outcome: Outcome): string {
  const { program, machine, verdict, isNamed, reason, firstWordS, stopMs } = outcome;
  const truth = program.leaks ? 'leak' : 'healthy';
  const mark = isRight(outcome) ? 'ok  ' : verdict === 'undecided' ? 'open' : 'BAD ';
  const first = firstWordS === null ? '-' : `${firstWordS.toFixed(0)} s`;
  return `${mark} ${machine} ${truth.padEnd(7)} ${program.name.padEnd(22)} ${verdict}${program.leaks ? (isNamed ? ', named' : ', not named') : ''}, first word ${first}, stop ${stopMs.toFixed(0)} ms: ${reason}`;
}

function rowsOf(outcomes: readonly Outcome[], machine: Machine): readonly Row[] {
  const leaks = outcomes.filter(({ program }) => program.leaks);
  const healthyOnes = outcomes.filter(({ program }) => !program.leaks);
  const share = (all: readonly Outcome[], is: (each: Outcome) => boolean): number =>
    all.length === 0 ? 0 : all.filter(is).length / all.length;
  const firsts = leaks.flatMap(({ firstWordS }) => (firstWordS === null ? [] : [firstWordS]));
  return [
    row({
      metric: `${machine}: leaks found and named, of ${leaks.length}`,
      unit: 'share',
      samples: [share(leaks, ({ verdict, isNamed }) => verdict === 'leak' && isNamed)],
      goal: { atLeast: machine === 'idle' ? 0.95 : 0.85 },
    }),
    row({
      metric: `${machine}: healthy accused, of ${healthyOnes.length}`,
      unit: 'share',
      samples: [share(healthyOnes, ({ verdict }) => verdict === 'leak')],
      goal: { atMost: 0 },
    }),
    row({
      metric: `${machine}: leaks called clean`,
      unit: 'share',
      samples: [share(leaks, ({ verdict }) => verdict === 'clean')],
      goal: { atMost: 0 },
    }),
    row({
      metric: `${machine}: healthy called clean`,
      unit: 'share',
      samples: [share(healthyOnes, ({ verdict }) => verdict === 'clean')],
    }),
    row({
      metric: `${machine}: first word on a leak`,
      unit: 's',
      samples: firsts.length === 0 ? [0] : firsts,
    }),
    row({
      metric: `${machine}: leaks undecided`,
      unit: 'share',
      samples: [share(leaks, ({ verdict }) => verdict === 'undecided')],
    }),
    row({
      metric: `${machine}: longest stop`,
      unit: 'ms',
      samples: [Math.max(0, ...outcomes.map(({ stopMs }) => stopMs))],
    }),
  ];
}
