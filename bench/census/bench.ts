/**
 * Census against the truth: live sessions under load, dominators of a snapshot of the same process.
 * `npm run bench -- census [SESSIONS] [SECONDS]`, `npm run bench -- census held-out [SESSIONS] [SECONDS]` for ten kinds of sessions that the
 * layout rules were not made on at first (`fresh` for ten others, `kept` for twelve more, `late` for ten of which no rule knows), `composed SEED [SESSIONS] [SECONDS]` for ten kinds
 * composed at random, `sorts` for one kind per sort of value, or `npm run bench -- census example [USERS] [SECONDS]` for the example server.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { quantile, row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import type { Evidence } from './evidence.ts';
import { readTruth } from './truth.ts';
import type { ScopeTruth, Truth } from './truth.ts';

const flags = ['--conditions=plimsoll-source', '--expose-gc', '--max-old-space-size=4096'];
const peerName = 'object-sizeof';
const sets = ['held-out', 'fresh', 'kept', 'late', 'sorts'];

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-census-'));
  const out = join(dir, 'evidence.json');
  try {
    const [which = ''] = args;
    if (which === 'example') await runExample(out, args.slice(1), quick, log);
    else if (which === 'composed')
      await runSubject(out, args.slice(2), `composed${args[1] ?? '101'}`, quick, log);
    else if (sets.includes(which)) await runSubject(out, args.slice(1), which, quick, log);
    else await runSubject(out, args, 'chat', quick, log);
    log('computing dominators of the snapshot ...');
    const truth = readTruth(`${out}.heapsnapshot`);
    const reading: unknown = JSON.parse(readFileSync(`${out}.reading`, 'utf8'));
    const evidence = { ...(JSON.parse(readFileSync(out, 'utf8')) as object), reading } as Evidence;
    return judge(evidence, truth, log);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

export default benchmark;

async function runSubject(
  out: string,
  args: readonly string[],
  which: string,
  quick: boolean,
  log: (line: string) => void,
): Promise<void> {
  // Composed sessions are ten times as large as others.
  const usual = which.startsWith('composed') ? 100 : quick ? 200 : 1000;
  const [sessions = `${usual}`, seconds = quick ? '10' : '60'] = args;
  log(`running ${sessions} sessions (${which}) under load for at least ${seconds} s ...`);
  await ended(
    spawn(process.execPath, [...flags, here('subject.ts'), out, sessions, seconds, which], {
      stdio: 'inherit',
    }),
  );
}

async function runExample(
  out: string,
  args: readonly string[],
  quick: boolean,
  log: (line: string) => void,
): Promise<void> {
  const [users = quick ? '100' : '1000', seconds = quick ? '15' : '90'] = args;
  log(`running the example server with ${users} users for ${seconds} s ...`);
  const server = resolve(import.meta.dirname, '../../examples/agent-server/src/main.ts');
  const load = [
    '--port',
    '0',
    '--load',
    '--users',
    users,
    '--think',
    '30s',
    '--idle',
    '10m',
    '--abandon',
    '0',
  ];
  const env = { ...process.env, CENSUS_OUT: out, CENSUS_SECONDS: seconds };
  await ended(
    spawn(process.execPath, [...flags, `--import=${here('attach.ts')}`, server, ...load], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

function here(file: string): string {
  return resolve(import.meta.dirname, file);
}

async function ended(child: ReturnType<typeof spawn>): Promise<void> {
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the subject ended with exit code ${code}`);
}

function judge(evidence: Evidence, truth: Truth, log: (line: string) => void): Row[] {
  const scopes = truth.scopes.filter(({ bytes }) => bytes > 0);
  const sumHeap = scopes.reduce((sum, { heapBytes }) => sum + heapBytes, 0);
  const { total, finalTotal, reading, underLoad } = evidence;
  const floor = reading.floor as number;
  const heapOfScopes = finalTotal.bytes - finalTotal.external;
  const ages = Object.values(underLoad).map(({ ageMs }) => ageMs);
  log(
    `${truth.nodes} nodes; ${evidence.objects} objects walked, ${((1e6 * evidence.fullMs) / evidence.objects).toFixed(0)} ns each, ${evidence.ropes} ropes met; last rotation ${(total.rotationMs / 1000).toFixed(1)} s, age of a result p50 ${(quantile(ages, 0.5) / 1000).toFixed(1)} s`,
  );
  log(
    `floor ${mib(floor)}, snapshot ${mib(truth.heapBytes)}; ${scopes.length} scopes, by census ${mib(heapOfScopes)}, by dominators ${mib(sumHeap)} of heap`,
  );
  const ratios = (of: (path: string) => number | null | undefined): number[] =>
    scopes.flatMap(({ path, bytes }) => {
      const found = of(path);
      return found == null ? [] : [found / bytes];
    });
  const live = ratios((path) => underLoad[path]?.bytes);
  logKinds(scopes, (path) => underLoad[path]?.bytes, log);
  log('calibrated by the other half:');
  logKinds(scopes, (path) => evidence.calibrated[path]?.bytes, log);
  const peer = ratios((path) => evidence.peer[path]);
  const share = evidence.onShares.map((on, i) => 100 * (on - (evidence.offShares[i] as number)));
  return [
    ...quantileRows('under load', live, peer, true),
    ...quantileRows(
      'just measured',
      ratios((path) => evidence.fresh[path]?.bytes),
      peer,
      false,
    ),
    ...quantileRows(
      'calibrated by the other half',
      ratios((path) => evidence.calibrated[path]?.bytes),
      peer,
      false,
    ),
    one('under load, scopes measured', '%', (100 * live.length) / scopes.length, { atLeast: 95 }),
    one(
      'under load, recall of the largest',
      'x',
      recall(scopes, (path) => underLoad[path]?.bytes),
      {
        atLeast: 0.95,
      },
    ),
    ...(share.length === 0
      ? []
      : [row({ metric: 'CPU share, never at rest', unit: '%', samples: share, goal: { atMost: 1 } })]),
    one('CPU share under load, around slices', '%', 100 * total.cpuRatio, { atMost: 1 }),
    one('CPU share under load, all of sensing', '%', 100 * reading.self.cpuRatio, { atMost: 1 }),
    one('sum of all scopes / truth', 'x', sumOf(scopes, underLoad), { atLeast: 0.97, atMost: 1.03 }),
    one('scopes + true unattributed, off the floor by', 'MB', Math.abs(heapOfScopes - sumHeap) / 1e6, {
      atMost: 3,
    }),
    row({
      metric: 'one measurement of all scopes',
      unit: 'ms',
      samples: [evidence.fullMs],
      peer: { name: peerName, samples: [evidence.peerMs] },
    }),
  ];
}

function quantileRows(
  label: string,
  ours: readonly number[],
  peer: readonly number[],
  judged: boolean,
): Row[] {
  return [0.1, 0.5, 0.9].map((q) =>
    row({
      metric: `${label}, bytes / truth, p${100 * q}`,
      unit: 'x',
      samples: [quantile(ours, q)],
      peer: { name: peerName, samples: [quantile(peer, q)] },
      ...(judged && { goal: { of: 'ours' as const, atLeast: 0.95, atMost: 1.05 } }),
    }),
  );
}

function one(
  metric: string,
  unit: string,
  value: number,
  goal: { readonly atMost?: number; readonly atLeast?: number },
): Row {
  return row({ metric, unit, samples: [value], goal });
}

/** Measured scopes only: what was never walked is in the row above. */
function sumOf(scopes: readonly ScopeTruth[], underLoad: Evidence['underLoad']): number {
  const measured = scopes.filter(({ path }) => underLoad[path] !== undefined);
  const truth = measured.reduce((sum, { bytes }) => sum + bytes, 0);
  return measured.reduce((sum, { path }) => sum + (underLoad[path]?.bytes ?? 0), 0) / truth;
}

/** The figures of each kind of session, where the subject has several. */
function logKinds(
  scopes: readonly ScopeTruth[],
  found: (path: string) => number | undefined,
  log: (line: string) => void,
): void {
  const kinds = Map.groupBy(scopes, ({ path }) => /:([a-z ]+)-\d+$/.exec(path)?.[1] ?? '');
  if (kinds.size < 2) return;
  for (const [kind, rows] of kinds) {
    const ratios = rows.flatMap(({ path, bytes }) => {
      const is = found(path);
      return is === undefined ? [] : [is / bytes];
    });
    const [low, mid, high] = [0.1, 0.5, 0.9].map((q) => quantile(ratios, q).toFixed(2));
    const mean = rows.reduce((sum, { bytes }) => sum + bytes, 0) / rows.length;
    log(`${kind}: bytes / truth ${low} ${mid} ${high}, ${Math.round(mean)} bytes on average`);
  }
}

/** Share of the truly largest tenth (at most 50) that the census also puts there. */
function recall(scopes: readonly ScopeTruth[], found: (path: string) => number | undefined): number {
  const size = Math.min(50, Math.ceil(scopes.length / 10));
  const top = (bytes: (scope: ScopeTruth) => number): string[] =>
    [...scopes]
      .sort((a, b) => bytes(b) - bytes(a))
      .slice(0, size)
      .map(({ path }) => path);
  const truth = new Set(top(({ bytes }) => bytes));
  return top(({ path }) => found(path) ?? 0).filter((path) => truth.has(path)).length / size;
}

function mib(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}
