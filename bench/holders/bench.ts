/**
 * Does the first suspect name the holder? Runs every leaky driver of a folder of planted leaks, takes its snapshots, and
 * looks for the holder of the folder's manifest in the first suspect's trace, and in the first growth of a comparison.
 *
 *   npm run bench -- holders PATH-TO-LEAKS [name,name]     or PLIMSOLL_LEAKS=PATH
 *
 * The folder is not part of the repository: manifest.json, drivers that honour LEAKS_SNAPSHOT, and installed packages.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { analyze, diff, type TraceStep } from '@plimsoll/heap';
import { row, type Benchmark, type Row } from '../row.ts';

interface Leak {
  readonly name: string;
  readonly driver: string;
  readonly leaky: string;
  readonly expect: { readonly holder: string; readonly objects: readonly string[] };
}

interface Outcome {
  readonly name: string;
  readonly suspect: boolean;
  readonly growth: boolean;
  readonly code: string;
  readonly knownLeak: string;
  readonly ms: number;
}

const generic = new Set([
  'also',
  'used',
  'dictionary',
  'array',
  'map',
  'set',
  'object',
  'list',
  'long',
  'lived',
  'caller',
  'behind',
  'native',
  'resolver',
  'recursive',
  'promise',
  'leaked',
  'wrappers',
  'the',
  'listener',
  'string',
  'few',
  'bytes',
  'each',
  'of',
]);

/** The words of the manifest's holder that have to appear: names of classes and properties, alternatives by "/" and "(also …)". */
export function holderWords(holder: string): string[] {
  const main = holder.replaceAll(/\(also [^)]*\)/g, '');
  const words = main.match(/[#$A-Za-z_][\w$]{2,}/g) ?? [];
  return [...new Set(words)].filter((word) => !generic.has(word.toLowerCase()));
}

/** True when the trace names the holder: most of its words, or one of the objects that a correct report names. */
export function namesHolder(steps: readonly TraceStep[], { holder, objects }: Leak['expect']): boolean {
  const text = steps.map((step) => `${step.via} ${step.name}`).join(' ');
  const words = holderWords(holder);
  const found = words.filter((word) =>
    text.includes(word.replace(/^k([A-Z])/, (_, first: string) => first.toLowerCase())),
  );
  const classes = objects
    .map((name) => name.replace(/ \(.*/, ''))
    .filter((name) => /^[A-Z]\w{3,}/.test(name) && !generic.has(name.toLowerCase()));
  return (
    found.length * 2 >= Math.max(1, words.length) ||
    classes.some((name) => steps.some((step) => step.name === name))
  );
}

const benchmark: Benchmark = async ({ args, quick, log }) => {
  const folder = args[0] ?? process.env['PLIMSOLL_LEAKS'];
  if (folder === undefined || !existsSync(join(folder, 'manifest.json'))) {
    log(
      'holders: pass the folder of planted leaks (npm run bench -- holders PATH) or set PLIMSOLL_LEAKS; it is not part of the repository.',
    );
    process.exit(1);
  }
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as { pairs: Leak[] };
  const chosen = args[1]?.split(',');
  const leaks = manifest.pairs
    .filter((leak) => chosen?.includes(leak.name) ?? true)
    .slice(0, quick ? 3 : undefined);
  const outcomes: Outcome[] = [];
  for (const leak of leaks) {
    const outcome = await examine(resolve(folder), leak, log);
    if (outcome !== undefined) outcomes.push(outcome);
  }
  const width = Math.max(...outcomes.map((outcome) => outcome.name.length));
  for (const { name, suspect, growth, code, knownLeak, ms } of outcomes) {
    log(
      `${name.padEnd(width)}  suspect ${suspect ? 'yes' : 'NO '}  growth ${growth ? 'yes' : 'NO '}  ${String(ms).padStart(6)} ms  ${knownLeak.padEnd(30)} ${code}`,
    );
  }
  return rows(outcomes, leaks.length);
};

export default benchmark;

async function examine(
  folder: string,
  leak: Leak,
  log: (line: string) => void,
): Promise<Outcome | undefined> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-holders-'));
  try {
    const done = spawnSync(process.execPath, ['--expose-gc', leak.driver, 'leaky'], {
      cwd: folder,
      env: { ...process.env, LEAKS_SNAPSHOT: join(dir, 'leak') },
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: 240_000,
    });
    if (done.status !== 0) {
      log(`${leak.name}: the driver ended with ${done.status}`);
      return undefined;
    }
    const files = [1, 2].map((n) => join(dir, `leak.${n}.heapsnapshot`));
    const started = performance.now();
    const analysis = await analyze(files[1] as string);
    const ms = Math.round(performance.now() - started);
    const { growth } = await diff(files);
    const [first] = analysis.suspects;
    return {
      name: leak.name,
      suspect: first !== undefined && namesHolder(first.trace, leak.expect),
      growth: growth[0] !== undefined && namesHolder(growth[0].trace, leak.expect),
      code: first?.code ?? '',
      knownLeak: first?.knownLeak?.id ?? '-',
      ms,
    };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function rows(outcomes: readonly Outcome[], count: number): Row[] {
  const share = (key: 'suspect' | 'growth'): number =>
    outcomes.filter((outcome) => outcome[key]).length / count;
  return [
    row({
      metric: 'holder in the first suspect',
      unit: 'of leaks',
      samples: [share('suspect')],
      goal: { atLeast: 1 },
    }),
    row({
      metric: 'holder in the first growth',
      unit: 'of leaks',
      samples: [share('growth')],
      goal: { atLeast: 1 },
    }),
    row({ metric: 'analysis', unit: 'ms', samples: outcomes.map((outcome) => outcome.ms) }),
  ];
}
