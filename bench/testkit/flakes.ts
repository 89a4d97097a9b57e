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

/** How many checks of each kind, and the time for both kinds together. */
export interface Extent {
  readonly runs: number;
  readonly forMs: number | undefined;
}

/** The checks that were made, and those of them that were begun and gave no answer. */
interface Made {
  readonly told: readonly Flake[];
  readonly silent: number;
}

export async function flakes(
  { runs, forMs = Number.POSITIVE_INFINITY }: Extent,
  isBusy: boolean,
  log: (line: string) => void,
): Promise<readonly Row[]> {
  const hogs = isBusy ? startHogs(2 * availableParallelism()) : [];
  const state = isBusy ? 'busy' : 'idle';
  try {
    const started = performance.now();
    // A check of a leak takes some times as long as a clean one.
    const clean = await many('clean', { runs, forMs: forMs / 3 }, log);
    const leaks = await many('leak', { runs, forMs: forMs - (performance.now() - started) }, log);
    return rowsOf(state, clean, leaks);
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
}

function rowsOf(state: string, clean: Made, leaks: Made): readonly Row[] {
  const alarms = clean.told.filter(({ verdict }) => verdict === 'leak');
  const found = leaks.told.filter(({ verdict }) => verdict === 'leak');
  const cleans = clean.told.length + clean.silent;
  const planted = leaks.told.length + leaks.silent;
  return [
    row({
      metric: `${state}: false alarms in ${cleans} clean checks`,
      unit: 'alarms',
      samples: [alarms.length + clean.silent],
      goal: { atMost: 0 },
    }),
    row({
      metric: `${state}: planted 64 B per call found (of ${planted})`,
      unit: 'share',
      samples: [found.length / planted],
      goal: { atLeast: 0.995 },
    }),
    row({
      metric: `${state}: holder named`,
      unit: 'share',
      samples: [leaks.told.filter(({ isNamed }) => isNamed).length / planted],
      goal: { atLeast: 0.995 },
    }),
    row({
      metric: `${state}: a clean check`,
      unit: 's',
      samples: clean.told.map(({ ms }) => ms / 1000),
      goal: { atMost: 2 },
    }),
    row({
      metric: `${state}: a check that fails`,
      unit: 's',
      samples: leaks.told.map(({ ms }) => ms / 1000),
    }),
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
  { runs, forMs = Number.POSITIVE_INFINITY }: Extent,
  log: (line: string) => void,
): Promise<Made> {
  const told: Flake[] = [];
  const until = performance.now() + forMs;
  let begun = 0;
  while (begun < runs && performance.now() < until) {
    const count = Math.min(perProcess[kind], runs - begun);
    const answers = await one(kind, count, begun);
    begun += count;
    told.push(...answers);
    for (const { name, verdict, ms } of answers)
      if ((verdict === 'leak') !== (kind === 'leak'))
        log(`wrong: ${name} is said to be ${verdict} (${ms} ms)`);
    if (answers.length < count) log(`${kind}: ${count - answers.length} checks gave no answer`);
    if (begun % (10 * perProcess[kind]) === 0) log(`${kind}: ${begun} of ${runs}`);
  }
  return { told, silent: begun - told.length };
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
