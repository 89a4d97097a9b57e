import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { failure } from '@plimsoll/core/internal/errors';
import { costNow, type SnapshotCost } from '@plimsoll/heap/capture-cost';
import { refusalOf, type Refusal } from '@plimsoll/leak/internal/proof/capture';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import type { SnapshotAnalysis } from '@plimsoll/leak/internal/proof/snapshot-analysis';
import {
  evenPoints,
  externalChannel,
  heapChannel,
  judgeGrowth,
  nativeChannel,
} from '@plimsoll/leak/internal/judge/growth-shape';
import { ScriptFactsReader } from '@plimsoll/heap/internal/trace/script-facts';
import { proofOf, refusalText, type Proof } from '@plimsoll/leak/internal/proof/proof';
import type { Capture, GrowthRecord } from '@plimsoll/leak/internal/proof/growth-record';
import type { Attached } from './attached.ts';
import type { AttachedSite } from './site-rows.ts';
import type { AttachedVitals } from './vitals.ts';

/** What to measure, and for how long. */
export interface LookOptions {
  readonly forMs: number;
  /** `one` snapshot at the end, or a `pair` at the start and the end with a full GC before each reading. Only a pair shows growth. */
  readonly snapshots: 'none' | 'one' | 'pair';
  readonly force: boolean;
  readonly maxStopMs: number;
  /** Folder in which snapshots are kept; undefined deletes them. */
  readonly keepIn: string | undefined;
  readonly onVitals: (vitals: AttachedVitals) => void;
}

/** The result of attaching to a process. */
export interface Look extends Proof {
  readonly readings: readonly AttachedVitals[];
  readonly sites: readonly AttachedSite[];
  readonly evidence: SnapshotAnalysis | undefined;
  readonly captures: readonly Capture[];
}

const pairReadings = 12;

/** The cost of a snapshot of the target, or why it is refused. */
export function snapshotCost(
  vitals: AttachedVitals,
  maxStopMs: number,
): SnapshotCost & { readonly refusal: Refusal | undefined } {
  const cost = costNow(vitals.spaces.map(({ name, used }) => ({ space_name: name, space_used_size: used })));
  return { ...cost, refusal: refusalOf(cost, { freeBytes: vitals.availableBytes, maxStopMs }) };
}

/** Measures a process for a while: readings, the allocation profile, and snapshots on request. */
export async function look(target: Attached, pid: number, options: LookOptions): Promise<Look> {
  const before = await target.vitals();
  const { refusal } = snapshotCost(before, options.maxStopMs);
  if (options.snapshots !== 'none' && refusal !== undefined && !options.force) {
    throw failure('PLM_ATTACH_REFUSED', { pid, reason: refusalText(refusal) });
  }
  const folder = options.keepIn ?? mkdtempSync(join(tmpdir(), 'plimsoll-attach-'));
  const captures: Capture[] = [];
  const capture = async (which: string, heapBytes: number): Promise<void> => {
    const file = join(folder, `${pid}.${which}.heapsnapshot`);
    captures.push({ file, at: Date.now(), stopMs: await target.snapshot(file), heapBytes });
  };
  try {
    if (options.snapshots === 'pair') await capture('first', before.heapUsed);
    await target.startSampling();
    const readings = await watch(target, options);
    const sites = await target.stopSampling();
    if (options.snapshots !== 'none') await capture('last', readings.at(-1)?.heapUsed ?? 0);
    const last = captures.at(-1);
    const evidence =
      last === undefined
        ? undefined
        : await runAnalysis(last, captures.length > 1 ? (captures[0] as Capture) : null);
    return { ...conclude(pid, readings, captures, evidence, options), readings, sites, evidence, captures };
  } finally {
    if (options.keepIn === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function watch(target: Attached, options: LookOptions): Promise<readonly AttachedVitals[]> {
  const isPair = options.snapshots === 'pair';
  const count = isPair ? pairReadings : Math.max(2, Math.round(options.forMs / 1000));
  const readings: AttachedVitals[] = [];
  for (let i = 0; i < count; i++) {
    if (isPair) await target.collectGarbage();
    const vitals = await target.vitals();
    readings.push(vitals);
    options.onVitals(vitals);
    if (i < count - 1) await sleep(options.forMs / (count - 1));
  }
  return readings;
}

/** The verdict. Without a pair of snapshots with collections between them it is undecided. */
function conclude(
  pid: number,
  readings: readonly AttachedVitals[],
  captures: readonly Capture[],
  evidence: SnapshotAnalysis | undefined,
  options: LookOptions,
): Proof {
  if (options.snapshots !== 'pair') {
    return {
      verdict: 'undecided',
      why: 'without two snapshots and collections between them growth cannot be told from garbage (--pair).',
      findings: [],
    };
  }
  const [first, last] = captures as [Capture, Capture];
  const floors = readings.map((each) => each.heapUsed);
  const record: GrowthRecord = {
    v: 1,
    pid,
    node: readings[0]?.node ?? '',
    startedAt: first.at,
    at: last.at,
    channels: {
      heap: judgeGrowth(evenPoints(floors), heapChannel),
      external: judgeGrowth(evenPoints(readings.map((each) => each.external)), externalChannel),
      native: judgeGrowth(
        evenPoints(readings.map((each) => each.rss - each.heapTotal - each.external)),
        nativeChannel,
      ),
    },
    suspectedAt: null,
    first: { ...first, heapBytes: floors[0] ?? 0 },
    last,
    refused: null,
    floors,
  };
  return proofOf(record, evidence, new ScriptFactsReader());
}
