/**
 * 26 ways to end, five times each: is the cause right, is a wrong one never said as sure, and is the holder named where growth was slow?
 * `npm run bench -- deaths [--quick] [words of some ways]`: each once when quick, about 5 minutes; the whole takes about 25.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { autopsiesIn } from 'plimsoll/internal/autopsy/examine';
import { cgroupFolder } from '../limits/cgroup-folder.ts';
import type { Benchmark } from '../row.ts';
import { row } from '../row.ts';
import { ways } from './ways.ts';
import type { Way } from './ways.ts';

const root = resolve(import.meta.dirname, '../..');
const command = [
  process.execPath,
  '--conditions=plimsoll-source',
  '--no-warnings',
  join(root, 'packages/plimsoll/src/cli.ts'),
];
const endMs = 180_000;

interface Outcome {
  readonly cause: string;
  readonly sure: string;
  readonly isRight: boolean;
  /** Null where no holder has to be named. */
  readonly isNamed: boolean | null;
}

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const asked = ways.filter(({ name }) => args.length === 0 || args.some((word) => name.includes(word)));
  const outcomes: Outcome[] = [];
  for (let round = 0; round < (quick ? 1 : 5); round++)
    for (const way of asked) {
      const outcome = await die(way);
      if (outcome === undefined) {
        log(`${way.name}: no control group can be made here`);
        continue;
      }
      outcomes.push(outcome);
      const named = outcome.isNamed === null ? '' : outcome.isNamed ? ', holder named' : ', HOLDER NOT NAMED';
      const verdict = outcome.isRight ? 'right' : `WRONG, it is ${way.cause}`;
      log(`${way.name}: ${outcome.cause} (${outcome.sure}): ${verdict}${named}`);
    }
  const wrong = outcomes.filter(({ isRight }) => !isRight);
  const slow = outcomes.filter(({ isNamed }) => isNamed !== null);
  return [
    row({
      metric: `cause right, of ${outcomes.length} deaths`,
      unit: 'deaths',
      samples: [outcomes.length - wrong.length],
      goal: { atLeast: Math.ceil((118 / 120) * outcomes.length) },
    }),
    row({
      metric: 'wrong cause said as sure',
      unit: 'deaths',
      samples: [wrong.filter(({ sure }) => sure === 'sure').length],
      goal: { atMost: 0 },
    }),
    row({
      metric: `holder named, of ${slow.length} slow deaths`,
      unit: 'deaths',
      samples: [slow.filter(({ isNamed }) => isNamed).length],
      goal: { atLeast: slow.length },
    }),
  ];
};
export default benchmark;

async function die(way: Way): Promise<Outcome | undefined> {
  using group = way.groupMib === undefined ? undefined : cgroupFolder(way.groupMib * 1024 ** 2);
  if (way.groupMib !== undefined && group === undefined) return undefined;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-bench-deaths-'));
  const [ready, folder, report] = ['ready', '.plimsoll', 'out.json'].map((name) => join(dir, name));
  writeFileSync(join(dir, 'program.mjs'), programOf(way, ready as string));
  // A program in a control group of its own is what a container is: its supervisor is inside, too.
  const join_ = group === undefined ? [] : ['sh', '-c', `echo $$ > ${group.procs}; exec "$@"`, 'sh'];
  const proof = way.holder === undefined && way.isProved !== true ? ['--no-proof'] : ['--proof'];
  const flags = ['run', '--no-restart', ...proof, '--report', 'out.json', '--', 'node', ...(way.flags ?? [])];
  const [file, ...args] = [...join_, ...command, ...flags, 'program.mjs'];
  const run = spawn(file, args, { cwd: dir, stdio: ['ignore', 'ignore', 'ignore'], detached: true });
  const ended = once(run, 'exit') as Promise<[number | null, NodeJS.Signals | null]>;
  const timer = setTimeout(() => process.kill(-(run.pid as number), 'SIGKILL'), endMs);
  try {
    if (way.outside !== undefined) await act(way.outside, run.pid as number, ready as string, ended);
    const [code] = await ended;
    return judge(way, dir, folder as string, report as string, code);
  } finally {
    clearTimeout(timer);
    try {
      process.kill(-(run.pid as number), 'SIGKILL');
    } catch {
      // All of it has ended.
    }
    rmSync(dir, { recursive: true, force: true });
  }
}

function programOf({ program }: Way, ready: string): string {
  return `import { writeFileSync as writeReady } from 'node:fs';
import { setTimeout as sleepFirst } from 'node:timers/promises';
await sleepFirst(2500);
function ready() { writeReady(${JSON.stringify(ready)}, String(process.pid)); }
${program}
`;
}

async function act(
  deed: NonNullable<Way['outside']>,
  supervisor: number,
  ready: string,
  ended: Promise<unknown>,
): Promise<void> {
  const end = { isOver: false };
  void ended.then(() => (end.isOver = true));
  while (!existsSync(ready) && !end.isOver) await sleep(50);
  await sleep(2500);
  if (end.isOver) return;
  const program = Number(readFileSync(ready, 'utf8'));
  if ('act' in deed)
    execFileSync(command[0] as string, [...command.slice(1), 'act', ...deed.act], { cwd: dirname(ready) });
  else if ('send' in deed) process.kill(deed.to === 'program' ? program : supervisor, deed.send);
  else {
    process.kill(supervisor, 'SIGKILL');
    await sleep(500);
    try {
      process.kill(program, 'SIGKILL');
    } catch {
      // It ended with its supervisor.
    }
    await sleep(200);
  }
}

function judge(way: Way, dir: string, folder: string, report: string, code: number | null): Outcome {
  // Later than the last reading of a process whose number may already be another's.
  const deaths = autopsiesIn(folder, Date.now() + 60_000);
  const [death] = deaths;
  const cause = death?.cause.name ?? 'none';
  const told = existsSync(report) ? readFileSync(report, 'utf8') : '';
  const isRight =
    (cause === way.cause || way.or?.includes(cause) === true) &&
    (way.code === undefined || way.code === code || (way.code === 143 && code === null));
  return {
    cause: way.cause === 'none' && !isRight ? `${cause}, code ${code}` : cause,
    sure: death?.cause.sure ?? 'unknown',
    isRight,
    isNamed:
      way.holder === undefined ? null : way.holder.test(`${JSON.stringify(deaths)}${findingsOf(told)}`),
  };
}

function findingsOf(report: string): string {
  try {
    return JSON.stringify((JSON.parse(report) as { findings?: unknown }).findings ?? []);
  } catch {
    return '';
  }
}
