import { formatByteSize } from '@plimsoll/core/units';
import { isSerious, severities, type Finding } from '@plimsoll/leak/internal/findings/finding';
import type { Frame } from '@plimsoll/host/protocol/frame';
import { removeFile } from '@plimsoll/core/internal/remove-file';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import type { SnapshotAnalysis } from '@plimsoll/leak/internal/proof/snapshot-analysis';
import { ShortRun } from '@plimsoll/leak/internal/judge/short-run';
import type { Verdict } from '@plimsoll/leak/internal/judge/verdict';
import { ScriptFactsReader } from '@plimsoll/heap/internal/trace/script-facts';
import { foundText, proofOf, refusalText, type Proof } from '@plimsoll/leak/internal/proof/proof';
import { foldSurvivors, mergeGrowth, rowOf, withPath } from '@plimsoll/leak/internal/proof/survivor-merge';
import { hasGrown, workerGrowth } from '@plimsoll/leak/internal/proof/worker-proofs';
import type { Capture, GrowthRecord, WorkerRecord } from '@plimsoll/leak/internal/proof/growth-record';
import type { WatchedTrace } from '@plimsoll/leak/internal/proof/watched-trace';
import { keepSnapshot } from './evidence.ts';
import { mergeFindings } from './merge-findings.ts';
import { takeTree, untilTreeEnded } from './process-tree.ts';
import type { TreeOptions, TreeProcess } from './process-tree.ts';

/** The verdict on one process of a run. */
export interface ProcessVerdict {
  readonly pid: number;
  /** The program in words; null when the process ended before it sent a frame. */
  readonly target: string | null;
  readonly verdict: Verdict;
  readonly why: string;
}

/** The verdict on a run, and the work that it took. */
export interface Conclusion extends Proof {
  /** Snapshots taken, in order; `kept` are their files if the user wants to keep them. */
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
  /** Every process of the program with a verdict of its own: first the deciding one, then the worst first. */
  readonly processes: readonly ProcessVerdict[];
}

/** The conclusion on one life, with the last frame of its process. */
export interface LifeConclusion extends Conclusion {
  readonly frame: Frame | undefined;
}

export interface ConcludeOptions extends TreeOptions {
  /** The last frame of the program itself. */
  readonly frame: Frame | undefined;
  /** The newest frames of all its processes. It is called when they have ended. */
  readonly frames?: () => ReadonlyMap<number, Frame>;
  readonly keepSnapshots: boolean;
  /** Every process leaves a record, so the run waits for processes that outlive the target. */
  readonly isJudged?: boolean | undefined;
  /** Called before the snapshots are read, which may take seconds. */
  readonly onAnalysis?: ((files: number) => void) | undefined;
  /** Called once when the run waits for processes that outlive the target. */
  readonly onWait?: ((pids: readonly number[]) => void) | undefined;
}

const order: readonly Verdict[] = ['clean', 'undecided', 'leak'];
/** Most processes whose snapshots are read, because the workers of one program leak alike. */
const mostAnalysed = 8;
const mostRows = 100;
/** Growth of a worker's live bytes between its snapshots that matters. */
const leastLiveBytes = 1024 ** 2;
/** A process that lived for less than this share of the longest life is a helper. */
const helperRatio = 0.2;

interface Judged extends TreeProcess {
  readonly conclusion: Conclusion;
}

/** The verdict on a life that has ended, from the files of its processes. The worst process decides. */
export async function conclude(options: ConcludeOptions): Promise<LifeConclusion> {
  const { frame } = options;
  if (options.isJudged === true) await untilTreeEnded(options, options.onWait ?? (() => undefined));
  const frames = new Map(options.frames?.());
  if (frame !== undefined) frames.set(frame.pid, frame);
  const judged: Judged[] = [];
  for (const each of takeTree(options, frames)) {
    const isRead = judged.filter(({ conclusion }) => conclusion.analysisMs > 0).length < mostAnalysed;
    const conclusion = await concludeOne(
      isRead ? each.record : withoutSnapshots(each.record),
      each.frame,
      options,
    );
    const found = withFindings(conclusion, each.frame?.findings ?? []);
    judged.push({ ...each, conclusion: await withWorkers(found, each) });
    if (!options.keepSnapshots) removeSnapshots(each.record);
  }
  if (judged.length === 0) return { ...withFindings(nothingSeen(frame), frame?.findings ?? []), frame };
  return concludeTree(judged, frame);
}

function concludeTree(judged: readonly Judged[], frame: Frame | undefined): LifeConclusion {
  const worst = worstOf(judged.filter((each) => counts(each, judged)));
  const { conclusion, record } = worst;
  const others = judged
    .filter((each) => each !== worst)
    .toSorted((a, b) => order.indexOf(b.conclusion.verdict) - order.indexOf(a.conclusion.verdict));
  const rows = [worst, ...others].map(({ record: { pid }, frame: own, conclusion: { verdict, why } }) => ({
    pid,
    target: own?.target ?? null,
    verdict,
    why,
  }));
  const name = worst.frame === undefined ? '' : ` (${worst.frame.target})`;
  return {
    ...conclusion,
    why: judged.length === 1 ? conclusion.why : `pid ${record.pid}${name}: ${conclusion.why}`,
    findings: mergeFindings([worst, ...others].flatMap((each) => each.conclusion.findings)),
    snapshots: judged.flatMap((each) => each.conclusion.snapshots),
    analysisMs: judged.reduce((sum, each) => sum + each.conclusion.analysisMs, 0),
    processes: rows.slice(0, mostRows),
    frame: worst.frame ?? frame,
  };
}

/** The process with the worst verdict. Among equals it is the one that held more, because it did the work. */
function worstOf(judged: readonly Judged[]): Judged {
  return judged.reduce((worst, each) => {
    const graver = order.indexOf(each.conclusion.verdict) - order.indexOf(worst.conclusion.verdict);
    return graver > 0 || (graver === 0 && heldBytes(each) > heldBytes(worst)) ? each : worst;
  });
}

/**
 * False for a process that does not represent the program: a short one, such as a script that the server calls, and one that only waits,
 * such as the parent of a program that starts itself again. The latter has too few floors to be judged and held less than another process.
 * A leak always counts.
 */
function counts(each: Judged, all: readonly Judged[]): boolean {
  if (each.conclusion.verdict === 'leak') return true;
  const longestMs = Math.max(...all.map(livedMs));
  const lasting = all.filter((other) => livedMs(other) >= helperRatio * longestMs);
  if (!lasting.includes(each)) return false;
  const isSeen = each.record.channels.heap.shape !== 'few';
  return isSeen || heldBytes(each) >= Math.max(...lasting.map(heldBytes));
}

function livedMs({ record }: TreeProcess): number {
  return record.at - record.startedAt;
}

function heldBytes({ record, frame }: TreeProcess): number {
  return Math.max(0, frame?.watermark.usedBytes ?? 0, ...record.floors);
}

function withoutSnapshots(record: GrowthRecord): GrowthRecord {
  return { ...record, first: null, middle: null, last: null };
}

async function concludeOne(
  record: GrowthRecord,
  frame: Frame | undefined,
  options: ConcludeOptions,
): Promise<Conclusion> {
  const { first } = record;
  const last = record.last ?? first;
  const isGrowing = new ShortRun(record.channels).isOpen;
  const survivors = (frame?.findings ?? []).filter(
    ({ kind, endedAt }) => kind === 'survivor' && endedAt === undefined,
  );
  const survived = survivors.filter(({ trace }) => trace === undefined);
  let evidence: SnapshotAnalysis | undefined;
  let proof = proofOf(record, undefined, new ScriptFactsReader());
  if ((isGrowing || survived.length > 0) && last !== null) {
    const before = last === first ? null : first;
    options.onAnalysis?.(before === null ? 1 : 2);
    const isNative = record.channels.native.shape === 'growing';
    evidence = await runAnalysis(last, before, { survived, isNative, middle: record.middle });
    proof = proofOf(record, evidence, new ScriptFactsReader());
    // A server releases everything while it shuts down, and a second snapshot may have been refused. Then the snapshot from while it ran
    // may show the holder.
    if (first !== null && isGrowing && !isTraced(proof))
      proof = proveEarly(record, first, before === null ? evidence : await runAnalysis(first, null)) ?? proof;
  }
  return {
    ...proof,
    findings: [
      ...proof.findings,
      ...tracedSurvivors(survivors, evidence?.watched ?? []).map((each) => withRefusal(each, record)),
    ],
    snapshots: [first, record.middle, record.last]
      .filter((capture) => capture != null)
      .map(({ at, stopMs, file }) => ({
        at,
        stopMs,
        kept: options.keepSnapshots ? keepSnapshot(file, at) : null,
      })),
    analysisMs: evidence?.ms ?? 0,
    suspectedAt: record.suspectedAt,
    floors: record.floors,
    scopes: evidence?.scopes ?? [],
    processes: [],
  };
}

/** Whether a leak has a path that names its holder. */
function isTraced({ verdict, findings }: Proof): boolean {
  return verdict === 'leak' && findings.some(({ trace }) => trace !== undefined);
}

/** The verdict by the first snapshot alone, which shows what had accumulated by then. It does not show whether the growth continued. */
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
    middle: null,
    last: first,
    channels: { ...record.channels, heap: { ...heap, growthBytes } },
  };
  const proof = proofOf(early, evidence, new ScriptFactsReader());
  return isTraced(proof) ? proof : undefined;
}

/** Survivors with the paths that hold them, if a snapshot has them. Survivors that belong to another one are ranked lower. */
function tracedSurvivors(survivors: readonly Finding[], rows: readonly WatchedTrace[]): readonly Finding[] {
  const traced = survivors.map((finding) => {
    const row = finding.trace === undefined ? rowOf(finding, rows) : undefined;
    return row === undefined
      ? finding
      : withPath({ ...finding, bytes: row.retainedBytes * finding.count }, row);
  });
  return foldSurvivors(traced, rows);
}

/** Adds to a survivor without a path why its snapshot was refused. */
function withRefusal(finding: Finding, { refused, first, last }: GrowthRecord): Finding {
  const isRefused = refused !== null && first === null && last === null;
  if (!isRefused || finding.trace !== undefined || finding.severity === 'info') return finding;
  return { ...finding, fix: `${finding.fix} Its path is missing: ${refusalText(refused)}.` };
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
    processes: [],
  };
}

/** Survivors need no further evidence. An object that outlives its closed scope by three major GCs is a leak. */
function withFindings(conclusion: Conclusion, found: readonly Finding[]): Conclusion {
  const known = new Set(conclusion.findings.map((each) => each.fingerprint));
  // Growth that was reported while the program ran was judged again over its whole life. Only the later verdict counts.
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

/** Adds the heaps of worker threads. The snapshots of a growing one name its holder. Without them the process is not clean. */
async function withWorkers(conclusion: Conclusion, { record, frame }: TreeProcess): Promise<Conclusion> {
  if (conclusion.verdict === 'leak') return conclusion;
  let most = '';
  for (const worker of record.workers ?? []) {
    const own = workerGrowth(record, worker);
    const isFloored = worker.floors !== undefined;
    if (own.last === null || (own.first === null && !isFloored)) continue;
    const middle = own.middle ?? undefined;
    const evidence = await runAnalysis(own.last, own.first, { ...(middle && { middle }) });
    // Without floors, two snapshots do not tell a leak from a cache that fills, but they tell what became more.
    const proof = (isFloored || middle !== undefined) && proofOf(own, evidence, new ScriptFactsReader());
    if (proof && proof.verdict === 'leak') return accusedWorker(conclusion, worker, proof);
    const [largest] = own.channels.heap.shape === 'ended' ? [] : (evidence?.growth ?? []);
    if (largest !== undefined && most === '') most = ` (most of it: ${foundText(largest)})`;
  }
  const calm = new Set(
    (record.workers ?? []).filter((worker) => isCalm(record, worker)).map(({ name }) => name),
  );
  const read = (frame?.workers ?? []).find((row) => hasGrown(row) && !calm.has(row.name));
  const text = liveText(record) ?? (read && grownText(read.name, read.grownBytes, read.heapUsed));
  if (text === undefined) return conclusion;
  const why = `${text}${most}, and whether it goes on cannot be told yet; run it longer. Of the main thread: ${conclusion.why}`;
  return { ...conclusion, verdict: 'undecided', why };
}

/** Whether its floors show no growth that goes on, whatever its readings with garbage show. */
function isCalm(record: GrowthRecord, worker: WorkerRecord): boolean {
  const { shape } = workerGrowth(record, worker).channels.heap;
  return worker.floors !== undefined && (shape === 'flat' || shape === 'ended');
}

/** The live growth of a worker, which may be too small to be seen in its readings with garbage. */
function liveText(record: GrowthRecord): string | undefined {
  for (const worker of record.workers ?? []) {
    const { channels, floors } = workerGrowth(record, worker);
    const { shape, growthBytes } = channels.heap;
    const hasEnded = shape === 'ended' || shape === 'flat';
    if (!hasEnded && growthBytes >= leastLiveBytes)
      return grownText(worker.name, growthBytes, floors.at(-1) ?? 0);
  }
  return undefined;
}

function grownText(name: string, grownBytes: number, heapBytes: number): string {
  return `the heap of the worker thread ${name} grew by ${formatByteSize(grownBytes)} to ${formatByteSize(heapBytes)}`;
}

function accusedWorker(conclusion: Conclusion, { name, captures }: WorkerRecord, proof: Proof): Conclusion {
  const findings = proof.findings.map((finding) => ({
    ...finding,
    holder: `${finding.holder ?? 'what grows'} in the worker thread ${name}`,
  }));
  return {
    ...conclusion,
    verdict: 'leak',
    why: `in the worker thread ${name} ${proof.why}`,
    findings: [...findings, ...conclusion.findings],
    snapshots: [...conclusion.snapshots, ...captures.map(({ at, stopMs }) => ({ at, stopMs, kept: null }))],
  };
}

function whyConfirmed({ kind, scope, count, subject, site, fix }: Finding): string {
  return site === undefined
    ? `${subject ?? `a ${kind}`} is still alive, ${count} of them, first in ${scope}: ${fix}`
    : `${subject ?? kind}, made at ${site}: ${fix}`;
}

/** Sort key of a finding. A path comes first, then survivors before growth, then the severity. */
function weight(finding: Finding): number {
  const isProved = isConfirmed(finding) && finding.trace !== undefined;
  const certainty = isProved ? (finding.kind === 'survivor' ? 20 : 10) : 0;
  return severities.indexOf(finding.severity) + certainty;
}

/** Kinds that need no path, because the object itself outlived its scope. */
const provedByThemselves: ReadonlySet<Finding['kind']> = new Set(['survivor', 'listener', 'timer', 'handle']);

function isConfirmed(finding: Finding): boolean {
  return isSerious(finding.severity) && (provedByThemselves.has(finding.kind) || finding.trace !== undefined);
}

function removeSnapshots({ first, middle, last, workers = [] }: GrowthRecord): void {
  for (const capture of [first, middle, last, ...workers.flatMap(({ captures }) => captures)])
    if (capture != null) removeFile(capture.file);
}
