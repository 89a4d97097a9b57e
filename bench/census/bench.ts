/** Census against the truth: 1,000 live sessions under load, dominators of a snapshot of the same process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Reading } from '@plimsoll/core/sense';
import { quantile, row } from '../row.ts';
import type { Benchmark, Row } from '../row.ts';
import { readTruth } from './truth.ts';
import type { Truth } from './truth.ts';

interface Measured {
  readonly bytes: number;
  readonly external: number;
  readonly ageMs: number;
}

interface Evidence {
  readonly underLoad: Readonly<Record<string, Measured>>;
  readonly fresh: Readonly<Record<string, Measured>>;
  readonly peer: Readonly<Record<string, number | null>>;
  readonly peerMs: number;
  readonly fullMs: number;
  readonly objects: number;
  readonly ropes: number;
  readonly offShares: readonly number[];
  readonly onShares: readonly number[];
  readonly turns: number;
  readonly total: { readonly cpuRatio: number; readonly rotationMs: number; readonly rotations: number };
  readonly finalTotal: { readonly bytes: number; readonly external: number };
  readonly reading: Reading;
}

const benchmark: Benchmark = async ({ quick, args, log }) => {
  const [sessions = quick ? '200' : '1000', seconds = quick ? '10' : '60'] = args;
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-census-'));
  try {
    const snapshot = join(dir, 'heap.heapsnapshot');
    const out = join(dir, 'evidence.json');
    log(`running ${sessions} sessions under load for at least ${seconds} s ...`);
    await runSubject([snapshot, out, sessions, seconds]);
    log('computing dominators of the snapshot ...');
    const truth = readTruth(snapshot);
    const reading: unknown = JSON.parse(readFileSync(`${out}.reading`, 'utf8'));
    const evidence = { ...(JSON.parse(readFileSync(out, 'utf8')) as object), reading } as Evidence;
    return judge(evidence, truth, log);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
};

export default benchmark;

async function runSubject(args: readonly string[]): Promise<void> {
  const subject = resolve(import.meta.dirname, 'subject.ts');
  const child = spawn(
    process.execPath,
    ['--conditions=plimsoll-source', '--expose-gc', '--max-old-space-size=4096', subject, ...args],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the subject ended with exit code ${code}`);
}

function judge(evidence: Evidence, truth: Truth, log: (line: string) => void): Row[] {
  const mib = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  const scopes = truth.scopes.filter(({ bytes }) => bytes > 0);
  const sumHeap = scopes.reduce((sum, { heapBytes }) => sum + heapBytes, 0);
  const { total, finalTotal, reading } = evidence;
  log(
    `${truth.nodes} nodes, ${scopes.length} scopes hold ${mib(sumHeap)} of ${mib(truth.heapBytes)} heap; ${evidence.turns} turns, ${evidence.ropes} ropes met, ${evidence.objects} objects, ${((1e6 * evidence.fullMs) / evidence.objects).toFixed(0)} ns each, rotation ${(total.rotationMs / 1000).toFixed(1)} s`,
  );
  const ratios = (of: (path: string) => number | null | undefined): number[] =>
    scopes.flatMap(({ path, bytes }) => {
      const found = of(path);
      return found == null ? [] : [found / bytes];
    });
  const ages = Object.values(evidence.underLoad).map(({ ageMs }) => ageMs);
  const live = ratios((path) => evidence.underLoad[path]?.bytes);
  const fresh = ratios((path) => evidence.fresh[path]?.bytes);
  const peer = ratios((path) => evidence.peer[path]);
  const floor = reading.floor as number;
  const heapOfScopes = finalTotal.bytes - finalTotal.external;
  const gap = heapOfScopes + (truth.heapBytes - sumHeap) - floor;
  log(
    `floor ${mib(floor)}, snapshot heap ${mib(truth.heapBytes)}, scopes by census ${mib(heapOfScopes)}, by dominators ${mib(sumHeap)}; age of a measurement p50 ${quantile(ages, 0.5).toFixed(0)} ms, p90 ${quantile(ages, 0.9).toFixed(0)} ms`,
  );
  const share = evidence.onShares.map((on, i) => 100 * (on - (evidence.offShares[i] as number)));
  const name = 'object-sizeof';
  const spot = (metric: string, unit: string, value: number, goal?: object): Row =>
    row({ metric, unit, samples: [value], ...(goal && { goal }) });
  const quantiles = (label: string, list: readonly number[], goal: boolean): Row[] =>
    [0.1, 0.5, 0.9].map((q) =>
      row({
        metric: `${label}, bytes / truth, p${100 * q}`,
        unit: 'x',
        samples: [quantile(list, q)],
        peer: { name, samples: [quantile(peer, q)] },
        ...(goal && { goal: { of: 'ours' as const, atLeast: 0.95, atMost: 1.05 } }),
      }),
    );
  return [
    ...quantiles('under load', live, true),
    ...quantiles('just measured', fresh, false),
    spot('under load, scopes measured', '%', (100 * live.length) / scopes.length, { atLeast: 95 }),
    spot(
      'under load, top-100 recall',
      'x',
      recall(scopes, (path) => evidence.underLoad[path]?.bytes),
      {
        atLeast: 0.95,
      },
    ),
    row({ metric: 'CPU share, every session always in use', unit: '%', samples: share, goal: { atMost: 1 } }),
    spot('CPU share around slices, under load', '%', 100 * total.cpuRatio, { atMost: 1 }),
    spot('|scopes + truly unattributed - floor|', 'MB', Math.abs(gap) / 1e6, { atMost: 3 }),
    spot('Plimsoll, share of a core by its own account', '%', 100 * reading.self.cpuRatio),
    row({
      metric: 'one full measurement of all sessions',
      unit: 'ms',
      samples: [evidence.fullMs],
      peer: { name, samples: [evidence.peerMs] },
    }),
  ];
}

function recall(
  scopes: readonly { readonly path: string; readonly bytes: number }[],
  found: (path: string) => number | undefined,
): number {
  const size = Math.min(100, Math.ceil(scopes.length / 10));
  const top = (bytes: (scope: { path: string; bytes: number }) => number): string[] =>
    [...scopes]
      .sort((a, b) => bytes(b) - bytes(a))
      .slice(0, size)
      .map(({ path }) => path);
  const truth = new Set(top(({ bytes }) => bytes));
  return top(({ path }) => found(path) ?? 0).filter((path) => truth.has(path)).length / size;
}
