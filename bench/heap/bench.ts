/**
 * The installed command `plimsoll analyze FILE --json`, from its start to its last line, beside memlab, Chrome DevTools' worker,
 * @vscode/v8-heap-parser and @heap-snapshot/tool, each in a process of its own, on snapshots that this benchmark makes:
 * `npm run bench -- heap [small|medium|large]`. The peers answer less: parse, dominators, classes and one path. `diff` and
 * `redact` are measured on the same files, without peers.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { installedCommand } from '../installed.ts';
import { row, type Benchmark, type BenchOptions, type Row } from '../row.ts';
import { devtoolsBundle } from './devtools.ts';
import { sizes, snapshotFile, type Size } from './snapshot-file.ts';

const here = import.meta.dirname;

interface Run {
  readonly cpuMs: number;
  readonly rssBytes: number;
  readonly answer: Answer;
}

/** What is looked at of what a tool prints. */
interface Answer {
  readonly edges?: number;
}

interface Peer {
  readonly name: string;
  readonly command: (file: string) => readonly string[];
}

const node =
  (script: string): Peer['command'] =>
  (file) => [process.execPath, '--max-old-space-size=12000', resolve(here, 'peers', script), file];

const command = (...words: readonly string[]): readonly string[] => [
  process.execPath,
  installedCommand((line) => process.stderr.write(`${line}\n`)),
  ...words,
];
const ours: Peer = { name: 'ours', command: (file) => command('analyze', file, '--json') };
const peers: readonly Peer[] = [
  { name: 'memlab', command: node('memlab.mjs') },
  { name: 'DevTools', command: node('devtools.mjs') },
  { name: 'vscode', command: node('vscode.mjs') },
  ...nativePeer(),
];

/** The native tool, where its binary runs. */
function nativePeer(): readonly Peer[] {
  const require = createRequire(resolve(here, '../package.json'));
  try {
    const binary = require
      .resolve('@heap-snapshot/linux-x64/package.json')
      .replace('package.json', 'heap-snapshot');
    if (spawnSync(binary, ['--help']).status !== 0) return [];
    return [{ name: 'native', command: (file) => [binary, 'summary', file] }];
  } catch {
    return [];
  }
}

/** Runs a command and asks the operating system what it took; null when it failed. */
function measure(command: readonly string[]): Run | null {
  // The figures come from wait4 through time(1), so that a peer cannot count itself differently.
  const done = spawnSync('/usr/bin/time', ['-f', '\n%U %S %M', ...command], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
    timeout: 600_000,
  });
  const figures = /(\d+\.\d+) (\d+\.\d+) (\d+)\s*$/u.exec(done.stderr ?? '');
  if (done.status !== 0 || figures === null) return null;
  const [, user, system, rss] = figures.map(Number) as [number, number, number, number];
  let answer: Answer = {};
  try {
    answer = JSON.parse(done.stdout) as Answer;
  } catch {
    // A tool that prints a table answers a person; its figures still count.
  }
  return { cpuMs: (user + system) * 1000, rssBytes: rss * 1024, answer };
}

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const wanted = sizes.filter((size) => args.length === 0 || args.includes(size));
  await devtoolsBundle();
  const rows: Row[] = [];
  for (const size of wanted) rows.push(...measureSize(size, snapshotFile(size, log), quick, log));
  return rows;
};

function measureSize(size: Size, file: string, quick: boolean, log: BenchOptions['log']): readonly Row[] {
  const repeats = quick || size === 'large' ? 1 : 3;
  const mine: Run[] = [];
  const compared: Run[] = [];
  const redacted: Run[] = [];
  const theirs = new Map<string, Run[]>(peers.map((peer) => [peer.name, []]));
  for (let k = 0; k < repeats; k++) {
    // Ours runs before and after each peer, so that both see the same machine.
    take(mine, ours);
    for (const peer of peers) {
      take(theirs.get(peer.name) as Run[], peer);
      take(mine, ours);
    }
    take(compared, { name: 'diff', command: () => command('diff', file, file, '--json') });
    const copy = `${file}.redacted`;
    rmSync(copy, { force: true });
    take(redacted, { name: 'redact', command: () => command('redact', file, copy, '--json') });
    rmSync(copy, { force: true });
  }
  return [...judge(size, file, mine, theirs), ...others(size, file, mine, compared, redacted)];

  function take(runs: Run[], peer: Peer): void {
    const run = measure(peer.command(file));
    log(
      `${size} ${peer.name}: ${run === null ? 'failed' : `${Math.round(run.cpuMs)} ms, ${mib(run.rssBytes)}`}`,
    );
    if (run !== null) runs.push(run);
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

const cpu = (runs: readonly Run[]): number[] => runs.map((run) => run.cpuMs);
const rss = (runs: readonly Run[]): number[] => runs.map((run) => run.rssBytes / 2 ** 20);

function judge(
  size: Size,
  file: string,
  mine: readonly Run[],
  theirs: ReadonlyMap<string, readonly Run[]>,
): readonly Row[] {
  const bytes = statSync(file).size;
  const edges = mine[0]?.answer.edges ?? Number.NaN;
  const counts = size !== 'small';
  const alive = [...theirs].filter(([, runs]) => runs.length > 0);
  const best = (of: (runs: readonly Run[]) => number[]): [string, readonly Run[]] | undefined =>
    alive.toSorted((a, b) => Math.min(...of(a[1])) - Math.min(...of(b[1])))[0];
  const rows: Row[] = [];
  for (const [name, runs] of alive) {
    const strict = counts && (name === 'DevTools' || name === 'memlab');
    const bound = { peer: { name, samples: cpu(runs) }, ...(strict ? { goal: { atMost: 0.1 } } : {}) };
    rows.push(row({ metric: `${size} CPU`, unit: 'ms', samples: cpu(mine), ...bound }));
    const memory = {
      peer: { name, samples: rss(runs) },
      ...(counts && name === 'DevTools' ? { goal: { atMost: 0.25 } } : {}),
    };
    rows.push(row({ metric: `${size} peak memory`, unit: 'MiB', samples: rss(mine), ...memory }));
  }
  const [fastest, leanest] = [best(cpu), best(rss)];
  if (counts && fastest && leanest) {
    const fast = { name: `fastest (${fastest[0]})`, samples: cpu(fastest[1]) };
    const lean = { name: `leanest (${leanest[0]})`, samples: rss(leanest[1]) };
    rows.push(
      row({ metric: `${size} CPU`, unit: 'ms', samples: cpu(mine), peer: fast, goal: { atMost: 0.25 } }),
    );
    rows.push(
      row({
        metric: `${size} peak memory`,
        unit: 'MiB',
        samples: rss(mine),
        peer: lean,
        goal: { atMost: 0.5 },
      }),
    );
  }
  const seconds = { small: 0.35, medium: 1.6, large: 5 }[size];
  rows.push(
    row({
      metric: `${size} CPU, absolute`,
      unit: 's',
      samples: cpu(mine).map((ms) => ms / 1000),
      goal: { of: 'ours', atMost: seconds },
    }),
    row({ metric: `${size} CPU per edge`, unit: 'ns', samples: cpu(mine).map((ms) => (ms * 1e6) / edges) }),
    row({
      metric: `${size} peak memory by file size`,
      unit: 'x',
      samples: mine.map((run) => run.rssBytes / bytes),
      ...(size === 'large' ? { goal: { of: 'ours' as const, atMost: 0.9 } } : {}),
    }),
  );
  return rows;
}

/** `diff` by what one analysis takes, and `redact` by the bytes it reads. */
function others(
  size: Size,
  file: string,
  mine: readonly Run[],
  compared: readonly Run[],
  redacted: readonly Run[],
): readonly Row[] {
  const megabytes = statSync(file).size / 1e6;
  return [
    row({
      metric: `${size} diff of two, CPU`,
      unit: 'ms',
      samples: cpu(compared),
      peer: { name: 'one analyze', samples: cpu(mine) },
      goal: { atMost: 2.2 },
    }),
    row({ metric: `${size} diff of two, peak memory`, unit: 'MiB', samples: rss(compared) }),
    row({
      metric: `${size} redact per CPU second`,
      unit: 'MB',
      samples: cpu(redacted).map((ms) => megabytes / (ms / 1000)),
      ...(size === 'small' ? {} : { goal: { of: 'ours' as const, atLeast: 200 } }),
    }),
  ];
}

export default benchmark;
