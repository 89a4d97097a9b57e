/**
 * The known leaks of the frameworks in programs that run under `plimsoll run --report` with all adapters off: each has to be a leak by its
 * verdict, with its holder and the known leak with its cure. 100 s each, two at a time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Report } from '../../packages/plimsoll/src/run/report.ts';
import { row } from '../row.ts';
import type { BenchOptions, Row } from '../row.ts';

const root = resolve(import.meta.dirname, '../..');

interface Leak {
  readonly name: string;
  /** What the trace has to name. */
  readonly holder: RegExp;
  /** What the known leak is called. */
  readonly known: RegExp;
}

const leaks: readonly Leak[] = [
  { name: 'ai-left', holder: /cancelOnAbort/, known: /streamText keeps/ },
  { name: 'langgraph-signal', holder: /listener\(\)/, known: /leaves a listener on the AbortSignal/ },
  { name: 'memory-saver', holder: /MemorySaver/, known: /MemorySaver keeps every checkpoint/ },
  { name: 'mastra-unstarted', holder: /Workflow/, known: /never started/ },
  {
    name: 'mastra-suspended',
    holder: /internalMastraWorkflows|runScopes/i,
    known: /waits for an approval|suspended/,
  },
  { name: 'mcp-sessions', holder: /transports|StreamableHTTPServerTransport/, known: /map of transports/ },
];

interface Outcome {
  readonly verdict: string;
  readonly isNamed: boolean;
  readonly isKnown: boolean;
}

export async function found({ quick, args, log }: BenchOptions): Promise<readonly Row[]> {
  const seconds = Number(process.env['FOR_SECONDS'] ?? (quick ? 20 : 100));
  const wanted = args.filter((each) => each !== 'found');
  const waiting = leaks.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const outcomes: Outcome[] = [];
  const total = waiting.length;
  const lane = async (): Promise<void> => {
    for (let leak = waiting.shift(); leak !== undefined; leak = waiting.shift())
      outcomes.push(await look(leak, seconds, log));
  };
  await Promise.all([lane(), lane()]);
  const share = (is: (each: Outcome) => boolean): readonly number[] => [outcomes.filter(is).length / total];
  return [
    row({
      metric: `leaks of frameworks found without adapters, of ${total}`,
      unit: 'share',
      samples: share(({ verdict }) => verdict === 'leak'),
      goal: { atLeast: 1 },
    }),
    row({
      metric: 'with their holder',
      unit: 'share',
      samples: share(({ isNamed }) => isNamed),
      goal: { atLeast: 1 },
    }),
    row({
      metric: 'with the known leak and its cure',
      unit: 'share',
      samples: share(({ isKnown }) => isKnown),
      goal: { atLeast: 1 },
    }),
  ];
}

async function look(
  { name, holder, known }: Leak,
  seconds: number,
  log: (line: string) => void,
): Promise<Outcome> {
  const work = mkdtempSync(join(process.env['KEEP_REPORTS'] || tmpdir(), `plimsoll-found-${name}-`));
  const file = join(work, 'report.json');
  const program = resolve(root, 'test/frameworks/programs/leaking.mjs');
  const cli = resolve(root, 'packages/plimsoll/src/cli.ts');
  const command = [
    'run',
    '--dir',
    join(work, 'run'),
    '--report',
    file,
    '--',
    process.execPath,
    program,
    name,
  ];
  const child = spawn(process.execPath, ['--conditions=plimsoll-source', cli, ...command], {
    cwd: resolve(root, 'test/frameworks'),
    stdio: 'ignore',
    env: { ...process.env, NODE_OPTIONS: '', NODE_ENV: 'production', PLIMSOLL_ADAPTERS: 'off' },
  });
  const ended = once(child, 'exit');
  await wait(seconds * 1000);
  child.kill('SIGTERM');
  if (!(await Promise.race([ended.then(() => true), wait(180_000, false)]))) child.kill('SIGKILL');
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  if (process.env['KEEP_REPORTS'] === undefined) rmSync(work, { recursive: true, force: true });
  const findings = (report?.findings ?? []).filter(({ kind }) => kind !== 'budget');
  const verdict = report?.verdict ?? 'no report';
  const isNamed = findings.some(({ trace }) => holder.test(JSON.stringify(trace ?? [])));
  const leak = findings.find(({ knownLeak }) => known.test(knownLeak?.name ?? ''))?.knownLeak;
  log(
    `${name}: ${verdict}${isNamed ? ', holder named' : ''}${leak === undefined ? '' : `, known: ${leak.name}; cure: ${leak.cure}`}: ${report?.why ?? ''}`,
  );
  return { verdict, isNamed, isKnown: leak !== undefined };
}
