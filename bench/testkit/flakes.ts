/** How often a check errs: clean functions and a planted leak of 64 B per call, on an idle and on a busy machine. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { row, type Row } from '../row.ts';

export interface Flake {
  readonly name: string;
  readonly verdict: 'leak' | 'clean';
  readonly ms: number;
  readonly by: string;
  readonly isNamed: boolean;
}

const worker = join(import.meta.dirname, 'flake-worker.ts');
/** Checks in one process: a test file has some. */
const perProcess = { clean: 20, leak: 4 } as const;

export async function flakes(
  runs: number,
  isBusy: boolean,
  log: (line: string) => void,
): Promise<readonly Row[]> {
  const hogs = isBusy ? startHogs(2 * availableParallelism()) : [];
  const state = isBusy ? 'busy' : 'idle';
  try {
    const clean = await many('clean', runs, log);
    const leaks = await many('leak', runs, log);
    return rowsOf(state, runs, clean, leaks);
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
}

function rowsOf(
  state: string,
  runs: number,
  clean: readonly Flake[],
  leaks: readonly Flake[],
): readonly Row[] {
  const alarms = clean.filter(({ verdict }) => verdict === 'leak');
  const found = leaks.filter(({ verdict }) => verdict === 'leak');
  return [
    row({
      metric: `${state}: false alarms in ${clean.length} clean checks`,
      unit: 'alarms',
      samples: [alarms.length + (runs - clean.length)],
      goal: { atMost: 0 },
    }),
    row({
      metric: `${state}: planted 64 B per call found (of ${leaks.length})`,
      unit: 'share',
      samples: [found.length / runs],
      goal: { atLeast: 0.995 },
    }),
    row({
      metric: `${state}: holder named`,
      unit: 'share',
      samples: [leaks.filter(({ isNamed }) => isNamed).length / runs],
      goal: { atLeast: 0.995 },
    }),
    row({
      metric: `${state}: a clean check`,
      unit: 's',
      samples: clean.map(({ ms }) => ms / 1000),
      goal: { atMost: 2 },
    }),
    row({ metric: `${state}: a check that fails`, unit: 's', samples: leaks.map(({ ms }) => ms / 1000) }),
  ];
}

/** Busy processes, as many as asked for, at the usual priority. */
function startHogs(count: number): readonly ChildProcess[] {
  return Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', 'for (;;) Math.sqrt(2);'], { stdio: 'ignore' }),
  );
}

async function many(
  kind: keyof typeof perProcess,
  runs: number,
  log: (line: string) => void,
): Promise<readonly Flake[]> {
  const all: Flake[] = [];
  for (let done = 0; done < runs; done += perProcess[kind]) {
    const count = Math.min(perProcess[kind], runs - done);
    const told = await one(kind, count, done);
    all.push(...told);
    for (const { name, verdict, ms } of told)
      if ((verdict === 'leak') !== (kind === 'leak'))
        log(`wrong: ${name} is said to be ${verdict} (${ms} ms)`);
    if (told.length < count) log(`${kind}: ${count - told.length} checks gave no answer`);
  }
  return all;
}

async function one(kind: string, count: number, offset: number): Promise<readonly Flake[]> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-flakes-'));
  const child = spawn(
    process.execPath,
    ['--conditions=plimsoll-source', worker, kind, String(count), String(offset), dir],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await new Promise((resolve) => void child.once('close', resolve));
  rmSync(dir, { recursive: true, force: true });
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Flake);
}
