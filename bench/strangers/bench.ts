/**
 * Programs that nobody here wrote, alone and under the preload of the installed package: they have to start, print the same, end with the
 * same code and get no warning of ours, and their requests have to be seen.
 *
 *   npm run bench -- strangers [verdaccio|mcp-stdio|mcp-http|nest|express|tsx|esbuild|otel|sentry|next|langgraph]...
 *
 * Where the other releases of Node.js are installed (`npm ci` in test/runtimes), they run on those, too.
 *
 * They are installed apart by this folder's own lockfile, once. Next.js and the development server of LangGraph have folders of their own
 * without a lockfile: their optional packages for other platforms are not in every registry, and `npm ci` then refuses a lockfile that
 * names them.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { installedProject } from '../installed.ts';
import { row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';

const exec = promisify(execFile);
const here = import.meta.dirname;
const counter = join(here, 'programs/count-requests.mjs');

interface Stranger {
  readonly name: string;
  readonly args: readonly string[];
  /** Runs before, once. */
  readonly build?: () => void;
  /** Whether requests must be seen; a server in a child of its own counts in that child. */
  readonly isServer: boolean;
}

const program = (file: string): string => join(here, 'programs', file);
const bundle = join(here, 'node_modules/.bundle.cjs');

const strangers: readonly Stranger[] = [
  { name: 'verdaccio', args: [program('verdaccio.cjs')], isServer: true },
  { name: 'mcp-stdio', args: [program('mcp-stdio.mjs')], isServer: false },
  { name: 'mcp-http', args: [program('mcp-http.mjs')], isServer: false },
  { name: 'nest', args: [program('nest.cjs')], isServer: true },
  { name: 'express', args: [program('express.cjs')], isServer: true },
  { name: 'tsx', args: ['--import', 'tsx', program('typed.ts')], isServer: true },
  {
    name: 'esbuild',
    args: [bundle],
    isServer: true,
    build: () => {
      const flags = ['--bundle', '--platform=node', '--log-level=error', `--outfile=${bundle}`];
      spawnSync(join(here, 'node_modules/.bin/esbuild'), [program('express.cjs'), ...flags], {
        stdio: 'inherit',
      });
    },
  },
  { name: 'otel', args: ['--import', program('otel.mjs'), program('express.cjs')], isServer: true },
  { name: 'next', args: [program('next.cjs')], isServer: true, build: buildNext },
  { name: 'langgraph', args: [program('langgraph.mjs')], isServer: true, build: installLangGraph },
  { name: 'sentry', args: ['--import', program('sentry.mjs'), program('express.cjs')], isServer: true },
];

interface Runtime {
  /** Empty for the Node.js that runs the benchmark. */
  readonly name: string;
  readonly file: string;
}

const runtimes: readonly Runtime[] = [
  { name: '', file: process.execPath },
  ...['22', '26'].map((version) => ({
    name: ` on Node ${version}`,
    file: resolve(here, `../../test/runtimes/node_modules/node-${version}/bin/node`),
  })),
].filter(({ file }) => existsSync(file));

const benchmark: Benchmark = async ({ args, log }) => {
  install();
  const rows: Row[] = [];
  for (const stranger of strangers) {
    if (args.length > 0 && !args.includes(stranger.name)) continue;
    stranger.build?.();
    for (const runtime of runtimes) rows.push(await compare(stranger, runtime, log));
  }
  return rows;
};

async function compare(stranger: Stranger, runtime: Runtime, log: (line: string) => void): Promise<Row> {
  const name = `${stranger.name}${runtime.name}`;
  const alone = await run(stranger, runtime, []);
  const preload = join(installedProject(log), 'node_modules/@plimsoll/host/preload.js');
  const governed = await run(stranger, runtime, ['--import', preload, '--import', counter]);
  const faults = [
    ...(alone.code === governed.code ? [] : [`exit code ${governed.code} instead of ${alone.code}`]),
    ...(comparable(alone.stdout) === comparable(governed.stdout) ? [] : ['it prints something else']),
    ...(comparable(alone.stderr) === comparable(governed.stderr)
      ? []
      : [`it says on stderr: ${governed.stderr.slice(0, 400)}`]),
    ...(stranger.isServer && governed.requests === 0 ? ['no request is seen'] : []),
    ...(alone.stdout === '' ? ['alone it prints nothing, so nothing is compared'] : []),
  ];
  log(
    `${name}: exit code ${alone.code}, ${governed.requests} requests seen; ${faults.join('; ') || 'the same'}`,
  );
  return row({
    metric: `${name}: differences under the preload`,
    unit: '',
    samples: [faults.length],
    goal: { atMost: 0 },
  });
}

/** Next.js prints how long its start took, and warnings of Node.js begin with the process id. */
function comparable(text: string): string {
  return text.replaceAll(/\b\d+ms\b/g, 'some ms').replaceAll(/^\(node:\d+\)/gm, '(node)');
}

export default benchmark;

function install(): void {
  if (existsSync(join(here, 'node_modules/.package-lock.json'))) return;
  const done = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: here,
    stdio: ['ignore', 2, 2],
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** Installs Next.js and builds the app in `next`, once. */
function buildNext(): void {
  const cwd = join(here, 'next');
  if (existsSync(join(cwd, '.next/BUILD_ID'))) return;
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' };
  const stdio: ['ignore', 2, 2] = ['ignore', 2, 2];
  installUnlocked(cwd);
  spawnSync(process.execPath, [join(cwd, 'node_modules/next/dist/bin/next'), 'build'], { cwd, stdio, env });
}

/** Installs the development server of LangGraph, once. */
function installLangGraph(): void {
  const cwd = join(here, 'langgraph');
  if (!existsSync(join(cwd, 'node_modules/@langchain/langgraph-cli'))) installUnlocked(cwd);
}

function installUnlocked(cwd: string): void {
  const flags = ['--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  spawnSync('npm', ['install', ...flags], { cwd, stdio: ['ignore', 2, 2] });
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: number;
}

async function run({ args }: Stranger, { file }: Runtime, preload: readonly string[]): Promise<Ran> {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-strangers-'));
  const count = join(dir, 'requests');
  const { NODE_OPTIONS: _, ...outer } = process.env;
  const env = {
    ...outer,
    NODE_ENV: 'production',
    NO_COLOR: '1',
    PLIMSOLL_DIR: dir,
    STRANGER_COUNT: count,
    OTEL_SDK_DISABLED: '',
  };
  try {
    const ran = await exec(file, [...preload, ...args], {
      cwd: here,
      env,
      timeout: 120_000,
      maxBuffer: 1e8,
    }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: Ran) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
    );
    const requests = existsSync(count) ? (await import('node:fs')).statSync(count).size : 0;
    return { ...ran, requests };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
