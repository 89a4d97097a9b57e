import v8 from 'node:v8';
import { takeSnapshot } from '@plimsoll/leak/internal/proof/capture';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import type { Capture } from '@plimsoll/leak/internal/proof/growth-record';
import type { Growth } from '@plimsoll/heap';
import type { Point, RoundTrip } from '../engine/round-trip.ts';
import { slopeOf, channels } from './slope.ts';
import { removeFolder } from '../report/snapshot-folder.ts';
import { SiteTap } from './site-tap.ts';

/** The result of three snapshots and of the calls between them. */
export interface GrowthProof {
  /** `rest`: the growth ended while more calls were made. `blind`: there is no memory for a snapshot. */
  readonly outcome: 'looked' | 'rest' | 'blind';
  readonly growth: readonly Growth[];
  /** Calls in each step. */
  readonly steps: readonly [number, number];
  readonly points: readonly Point[];
  readonly captures: readonly Capture[];
  readonly site: string | undefined;
}

interface ProofRequest {
  readonly trip: RoundTrip;
  /** Earlier measurements, at least two points. */
  readonly points: readonly Point[];
  readonly dir: string;
  /** Time that the calls of the second step may take. */
  readonly patienceMs: number;
  /** Least number of calls between the first two snapshots. */
  readonly leastCalls: number;
}

const stepRounds = 3;
/** The first step may take this long, even when less of the patience is left. */
const leastStepMs = 1000;
const patienceRounds = 6;
/** A fast function is called for this long before it counts as a leak. A cache of tens of thousands of entries is full by then. */
const usualPatienceMs = 1500;
const mostPatienceCalls = 60_000;
/** Most bytes that the calls may add to the heap, so that a leak does not end the test run. */
const mostBytes = 24 * 1024 * 1024;
const mostNativeBytes = 512 * 1024 * 1024;
const mostOfRoom = 0.2;
/** Growth has ended when the last rounds grow by less than this share of the growth in the first step. */
const restRatio = 0.4;

/** Takes a snapshot, calls, takes another, calls for longer, takes the third, and compares them in another process. */
export async function proveGrowth(request: ProofRequest): Promise<GrowthProof> {
  const { trip, points: before, dir, leastCalls } = request;
  const perCall = Math.max(
    1,
    channels.reduce((sum, channel) => sum + Math.max(0, slopeOf(before, channel).perCall), 0),
  );
  const room = Math.min(mostCalls(perCall), mostNativeCalls(before));
  const stepCalls = Math.max(
    stepRounds * 3,
    Math.min(Math.max(leastCalls, trip.calls), Math.ceil(room / 4), stepCallsInTime(request)),
  );
  const captures: Capture[] = [];
  await using tap = await SiteTap.start();
  if (!capture(dir, 'a', captures, before)) return blind(before);
  const first = await trip.read();
  const step = [first, ...(await trip.rounds(stepRounds, Math.ceil(stepCalls / stepRounds)))];
  capture(dir, 'b', captures, step);
  const wanted = patienceCalls(request, room, stepCalls);
  const start = await trip.read();
  const patience = [start, ...(await trip.rounds(patienceRounds, Math.ceil(wanted / patienceRounds)))];
  const points = [...step, ...patience];
  const steps = [start.calls - first.calls, (patience.at(-1) as Point).calls - start.calls] as const;
  if (hasComeToRest(step, patience)) {
    removeFolder(dir);
    return { outcome: 'rest', growth: [], steps, points, captures: [], site: undefined };
  }
  const site = tap.site();
  capture(dir, 'c', captures, patience);
  const [a, b, c] = captures;
  if (a === undefined || b === undefined || c === undefined) {
    removeFolder(dir);
    return blind(points);
  }
  const analysis = await runAnalysis(c, a, { middle: b, isTest: true });
  return { outcome: 'looked', growth: analysis?.growth ?? [], steps, points, captures, site };
}

function blind(points: readonly Point[]): GrowthProof {
  return { outcome: 'blind', growth: [], steps: [1, 1], points, captures: [], site: undefined };
}

/** Number of calls that fit into the free memory, by the growth per call so far. */
function mostCalls(perCall: number): number {
  const { heap_size_limit: limit, used_heap_size: used } = v8.getHeapStatistics();
  return Math.max(40, Math.min(mostBytes, mostOfRoom * (limit - used)) / perCall);
}

/** Calls that fit into the memory of the machine. It uses the growth of the process, because a native leak is visible nowhere else. */
function mostNativeCalls(points: readonly Point[]): number {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  const perCall = (last.rss - first.rss) / Math.max(1, last.calls - first.calls);
  const room = Math.min(mostNativeBytes, mostOfRoom * process.availableMemory());
  return perCall <= 0 ? Number.POSITIVE_INFINITY : Math.max(40, room / perCall);
}

/** Objects are counted exactly, so a slow function needs few calls. The second step has twice as many. */
function stepCallsInTime({ trip, patienceMs }: ProofRequest): number {
  return Math.ceil(Math.max(leastStepMs, patienceMs / 3) / Math.max(trip.msPerCall, 1e-4));
}

function patienceCalls({ trip, patienceMs }: ProofRequest, room: number, stepCalls: number): number {
  const byTime = Math.min(usualPatienceMs, patienceMs) / Math.max(trip.msPerCall, 1e-4);
  const wanted = Math.max(2 * stepCalls, Math.min(byTime, mostPatienceCalls));
  return Math.max(patienceRounds, Math.min(wanted, room));
}

/** Takes a snapshot right after the last point; false when there is no memory for it. */
function capture(dir: string, name: string, captures: Capture[], points: readonly Point[]): boolean {
  const heapBytes = points.at(-1)?.heap ?? 0;
  const { capture } = takeSnapshot({ dir, name, maxStopMs: Number.POSITIVE_INFINITY, heapBytes });
  if (capture !== null) captures.push(capture);
  return capture !== null;
}

/** Compares the pace of the last rounds with that of the first step, in the channel that grew. */
function hasComeToRest(step: readonly Point[], patience: readonly Point[]): boolean {
  const late = patience.slice(-1 - (patienceRounds >> 1));
  return channels.every((channel) => {
    const early = slopeOf(step, channel);
    const now = slopeOf(late, channel);
    return early.perCall <= 0 || now.perCall + 2 * now.error < restRatio * early.perCall;
  });
}
