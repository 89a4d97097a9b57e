import { join } from 'node:path';
import { severities, type Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Frame } from '@plimsoll/host/protocol';
import { isAlive, listing } from '@plimsoll/host/protocol';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import type { SnapshotAnalysis } from '@plimsoll/leak/internal/proof/snapshot-analysis';
import type { Verdict } from '@plimsoll/leak/internal/judge/verdict';
import { proofOf, type Proof } from '@plimsoll/leak/internal/proof/proof';
import { foldSurvivors, mergeGrowth, rowOf, withPath } from '@plimsoll/leak/internal/proof/survivor-merge';
import {
  takeGrowthRecords,
  type Capture,
  type GrowthRecord,
} from '@plimsoll/leak/internal/proof/growth-record';
import type { WatchedTrace } from '@plimsoll/leak/internal/proof/watched-trace';

/** What the run comes to, and what finding it out took. */
export interface Conclusion extends Proof {
  /** Snapshots taken, in order; `kept` are their files when they were to be kept. */
  readonly snapshots: readonly {
    readonly at: number;
    readonly stopMs: number;
    readonly kept: string | null;
  }[];
  readonly analysisMs: number;
  /** When growth was first suspected. */
  readonly suspectedAt: number | null;
  /** Heap floors, oldest first. */
  readonly floors: readonly number[];
  /** Exact bytes of scopes with roots, from the last snapshot. */
  readonly scopes: SnapshotAnalysis['scopes'];
}

export interface ConcludeOptions {
  readonly dir: string;
  readonly pid: number;
  readonly since: number;
  readonly frame: Frame | undefined;
  readonly keepSnapshots: boolean;
  /** Told before the snapshots are read, which may take seconds. */
  readonly onAnalysis?: (files: number) => void;
}

const order: readonly Verdict[] = ['clean', 'undecided', 'leak'];

/** The verdict over a run that has ended, from what its processes left behind. */
export async function conclude(options: ConcludeOptions): Promise<Conclusion> {
  const { dir, since, pid, frame } = options;
  const left = takeGrowthRecords(dir, since, pid);
  const records = left.length > 0 ? left : frame?.growth == null ? [] : [frame.growth];
  let worst: Conclusion | undefined;
  for (const record of records) {
    const conclusion = await concludeOne(record, options);
    if (worst === undefined || order.indexOf(conclusion.verdict) > order.indexOf(worst.verdict))
      worst = conclusion;
  }
  if (!options.keepSnapshots) removeSnapshots(dir, records);
  return withFindings(worst ?? nothingSeen(frame), frame?.findings ?? []);
}

async function concludeOne(record: GrowthRecord, options: ConcludeOptions): Promise<Conclusion> {
  const { first } = record;
  const last = record.last ?? first;
  const isGrowing = Object.values(record.channels).some(
    ({ shape }) => !['few', 'flat', 'ended'].includes(shape),
  );
  const survivors = (options.frame?.findings ?? []).filter(({ kind }) => kind === 'survivor');
  const survived = survivors.filter(({ trace }) => trace === undefined);
  let evidence: SnapshotAnalysis | undefined;
  let proof = proofOf(record, undefined);
  if ((isGrowing || survived.length > 0) && last !== null) {
    const before = last === first ? null : first;
    options.onAnalysis?.(before === null ? 1 : 2);
    const isNative = record.channels.native.shape === 'growing';
    evidence = await runAnalysis(last, before, { survived, isNative, middle: record.middle });
    proof = proofOf(record, evidence);
    // A server lets go of everything while it shuts down; what its last snapshot misses, the one taken while it ran may show.
    if (before !== null && isGrowing && proof.verdict !== 'leak')
      proof = proveEarly(record, before, await runAnalysis(before, null)) ?? proof;
  }
  return {
    ...proof,
    findings: [...proof.findings, ...tracedSurvivors(survivors, evidence?.watched ?? [])],
    snapshots: [first, record.middle, record.last]
      .filter((capture) => capture != null)
      .map(({ at, stopMs, file }) => ({ at, stopMs, kept: options.keepSnapshots ? file : null })),
    analysisMs: evidence?.ms ?? 0,
    suspectedAt: record.suspectedAt,
    floors: record.floors,
    scopes: evidence?.scopes ?? [],
  };
}

/** The verdict by the first snapshot alone: it shows what had accumulated by then. */
function proveEarly(
  record: GrowthRecord,
  first: Capture,
  evidence: SnapshotAnalysis | undefined,
): Proof | undefined {
  const { heap } = record.channels;
  const growthBytes = first.heapBytes - Math.min(...record.floors);
  const early: GrowthRecord = {
    ...record,
    first: null,
    last: first,
    channels: { ...record.channels, heap: { ...heap, growthBytes } },
  };
  const proof = proofOf(early, evidence);
  return proof.verdict === 'leak' ? proof : undefined;
}

/** Survivors with the paths that hold them, as far as a snapshot has them; those that go with another one step back. */
function tracedSurvivors(survivors: readonly Finding[], rows: readonly WatchedTrace[]): readonly Finding[] {
  const traced = survivors.map((finding) => {
    const row = finding.trace === undefined ? rowOf(finding, rows) : undefined;
    return row === undefined
      ? finding
      : withPath({ ...finding, bytes: row.retainedBytes * finding.count }, row);
  });
  return foldSurvivors(traced, rows);
}

function nothingSeen(frame: Frame | undefined): Conclusion {
  const why =
    frame === undefined
      ? 'no reading arrived: the program ended before its first one, or it is not a Node.js program.'
      : 'no verdict was asked for: growth was not watched. Ask for one with --report FILE, --json, --fail-on or --proof.';
  return {
    verdict: 'undecided',
    why,
    findings: [],
    snapshots: [],
    analysisMs: 0,
    suspectedAt: null,
    floors: [],
    scopes: [],
  };
}

/** Survivors are confirmed by themselves: a closed scope that is still there after three major GCs is a leak. */
function withFindings(conclusion: Conclusion, found: readonly Finding[]): Conclusion {
  const known = new Set(conclusion.findings.map((each) => each.fingerprint));
  // Growth that was told while the program ran has been judged again with its whole life: only that verdict counts.
  const others = found.filter(
    ({ fingerprint, kind }) =>
      !known.has(fingerprint) && (kind !== 'growth' || conclusion.verdict !== 'clean'),
  );
  const findings = mergeGrowth([...conclusion.findings, ...others]).toSorted((a, b) => weight(b) - weight(a));
  const confirmed = findings.find((each) => each.kind !== 'growth' && isConfirmed(each));
  if (confirmed === undefined || conclusion.verdict === 'leak') return { ...conclusion, findings };
  return {
    ...conclusion,
    verdict: 'leak',
    why: whyConfirmed(confirmed),
    findings,
  };
}

function whyConfirmed({ kind, scope, count, subject, site, fix }: Finding): string {
  return site === undefined
    ? `${subject ?? `a ${kind}`} is still alive, ${count} of them, first in ${scope}: ${fix}`
    : `${subject ?? kind}, made at ${site}: ${fix}`;
}

/** What is proved by a path comes first, what outlived its scope before what grew, then by severity. */
function weight(finding: Finding): number {
  const isProved = isConfirmed(finding) && finding.trace !== undefined;
  const certainty = isProved ? (finding.kind === 'survivor' ? 20 : 10) : 0;
  return severities.indexOf(finding.severity) + certainty;
}

/** What outlived its scope needs no path: it was asked for itself. */
const provedByThemselves: ReadonlySet<Finding['kind']> = new Set(['survivor', 'listener', 'timer', 'handle']);

function isConfirmed(finding: Finding): boolean {
  const isGrave = finding.severity !== 'info' && finding.severity !== 'low';
  return isGrave && (provedByThemselves.has(finding.kind) || finding.trace !== undefined);
}

function removeSnapshots(dir: string, records: readonly GrowthRecord[]): void {
  for (const { first, last } of records) {
    for (const capture of [first, last]) if (capture !== null) removeFile(capture.file);
  }
  for (const name of listing(dir)) {
    const pid = /^(\d+)\.(?:first|last)\.heapsnapshot(?:\.partial)?$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeFile(join(dir, name));
  }
}
