/**
 * Decides whether every call of a function keeps memory.
 *
 * First, bytes are measured. The function is called in stages, each as long as all earlier ones together, and after each round of a stage
 * the live bytes are read. A stage whose slope is certainly below the tolerance ends the check as clean. Warm-up (compiled code, caches of
 * shapes, lazy modules) slows down from stage to stage; while it does, the check goes on. Growth that does not slow down, or that is
 * undecided when the time is over, goes to the proof.
 *
 * Then, objects decide. With three snapshots, only a path that gained objects with the calls in both steps is a leak (growth-rows.ts).
 */
import { RoundTrip, type Point, type RoundTripOptions, type Work } from '../engine/round-trip.ts';
import { settle } from '../engine/settle.ts';
import type { GrowthReport, LeakRow } from '../report/leak-report.ts';
import { removeFolder, snapshotFolder } from '../report/snapshot-folder.ts';
import { proveGrowth, type GrowthProof } from './growth-proof.ts';
import { leaksIn, type Ignore } from './growth-rows.ts';
import { channels, risingRounds, slopeOf, type SlopeChannel, type Slope } from './slope.ts';

export interface GrowthSettings extends RoundTripOptions {
  readonly name: string;
  readonly per: string;
  readonly toleranceBytes: number;
  readonly warmup: number;
  readonly patienceMs: number;
  readonly ignore: readonly Ignore[];
  /** Folder of the snapshots. They are kept only when a leak is found. */
  readonly dir: string;
}

const stageRounds = 6;
/** Most calls in a stage. More calls do not make a slope more exact. */
const mostStageCalls = 12_000;
/** The first stage begins after this time or this many calls, whichever comes first. */
const pilotMs = 60;
const pilotCalls = 1500;
const fewestPilotCalls = 12;
/** Number of standard errors around a slope within which it is undecided. */
const certainty = 3;
/** Growth continues when a stage has at least this share of the pace of the previous stage. */
const leastPace = 0.6;
/** Collections after which V8 drops the bytecode of unused functions. The freed bytes must not hide a leak. */
const agingCollections = 8;
/**
 * Least bytes that count as a leak when no path explains them. They must also grow evenly, because compiled code and tables of V8 grow in
 * jumps.
 */
const unexplainedPerCall = 48;
const unexplainedBytes = 1024 * 1024;
const evenRatio = 0.5;

export async function checkGrowth(work: Work, settings: GrowthSettings): Promise<GrowthReport> {
  const started = performance.now();
  const trip = new RoundTrip(work, settings);
  await warmUp(trip, settings.warmup);
  const deadline = started + settings.patienceMs;
  let points: readonly Point[] = [await trip.read()];
  let earlier: Stage | undefined;
  for (;;) {
    const warmup = trip.calls;
    const last = points.at(-1) as Point;
    const each = Math.max(2, Math.ceil(Math.min(trip.calls, mostStageCalls) / stageRounds));
    points = [last, ...(await trip.rounds(stageRounds, each))];
    const stage = stageOf(points, settings.toleranceBytes);
    const report = (proof?: GrowthProof, leaks: readonly LeakRow[] = []): GrowthReport =>
      reportOf(settings, { trip, warmup, points: proof?.points ?? points, proof, leaks, started });
    if (stage.isClean) return report();
    // A stage takes as long as all before it, and the proof takes two such steps.
    const isLate = performance.now() + 2 * (performance.now() - started) > deadline;
    if (!isLate && !stage.isSuspect(earlier)) {
      earlier = stage;
      continue;
    }
    const dir = snapshotFolder(settings.dir, settings.name);
    const proof = await proveGrowth({
      trip,
      points,
      dir,
      patienceMs: Math.max(0, deadline - performance.now()),
      leastCalls: each,
    });
    if (proof.outcome === 'rest' && performance.now() < deadline) {
      points = proof.points.slice(-1);
      earlier = undefined;
      continue;
    }
    const { leaks, ignored } = leaksIn(proof.growth, proof.steps, settings.ignore);
    const isUnexplained = leaks.length === 0 && ignored.length === 0 && isUnexplainedGrowth(proof);
    if (leaks.length === 0 && !isUnexplained) removeFolder(dir);
    return {
      ...report(proof, leaks),
      ignored,
      ...(isUnexplained && { verdict: 'leak', by: 'unexplained bytes' }),
    };
  }
}

async function warmUp(trip: RoundTrip, least: number): Promise<void> {
  await trip.run(1);
  const started = performance.now();
  while (trip.calls < least || !isPiloted(trip, performance.now() - started))
    await trip.run(Math.max(1, Math.min(trip.calls, pilotCalls)));
  await settle(agingCollections);
}

/** True when the pilot is long enough. A function that takes seconds is not called twelve times. */
function isPiloted({ calls }: RoundTrip, ms: number): boolean {
  return calls >= pilotCalls || (ms >= pilotMs && calls >= fewestPilotCalls) || ms >= 20 * pilotMs;
}

interface Stage {
  readonly slopes: Readonly<Record<SlopeChannel, Slope>>;
  /** True when no channel can grow by more than the tolerance. */
  readonly isClean: boolean;
  /** True when a channel certainly grows, and not slower than in the previous stage. */
  isSuspect(earlier: Stage | undefined): boolean;
}

function stageOf(points: readonly Point[], tolerance: number): Stage {
  const slopes = { heap: slopeOf(points, 'heap'), external: slopeOf(points, 'external') };
  const isBelow = ({ perCall, error }: Slope): boolean => perCall + certainty * error < tolerance;
  const isRising = (channel: SlopeChannel): boolean => {
    const { perCall, error } = slopes[channel];
    return (
      perCall - certainty * error > tolerance / 2 ||
      (perCall > tolerance && risingRounds(points, channel, tolerance / 2) >= stageRounds - 1)
    );
  };
  return {
    slopes,
    isClean: channels.every((channel) => isBelow(slopes[channel])),
    isSuspect: (earlier) =>
      earlier !== undefined &&
      channels.some(
        (channel) =>
          isRising(channel) && slopes[channel].perCall >= leastPace * earlier.slopes[channel].perCall,
      ),
  };
}

function isUnexplainedGrowth({ outcome, points }: GrowthProof): boolean {
  if (outcome === 'rest') return false;
  const late = points.slice(-1 - stageRounds);
  return channels.some((channel) => {
    const { perCall, error } = slopeOf(late, channel);
    const gained = (late.at(-1) as Point)[channel] - (late[0] as Point)[channel];
    return (
      perCall - certainty * error > unexplainedPerCall &&
      gained > unexplainedBytes &&
      risingRounds(late, channel, evenRatio * perCall) === late.length - 1
    );
  });
}

interface Told {
  readonly trip: RoundTrip;
  readonly warmup: number;
  readonly points: readonly Point[];
  readonly proof: GrowthProof | undefined;
  readonly leaks: readonly LeakRow[];
  readonly started: number;
}

function reportOf({ name, per }: GrowthSettings, told: Told): GrowthReport {
  const { trip, warmup, proof, leaks, started } = told;
  const points = told.points.slice(-1 - stageRounds);
  const [before, after] = points.slice(-2) as [Point, Point];
  const site = proof?.site;
  return {
    verdict: leaks.length > 0 ? 'leak' : 'clean',
    by: proof === undefined ? 'bytes' : 'objects',
    name,
    per,
    calls: trip.calls,
    warmup,
    rounds: points.slice(1).map((point, i) => {
      const { heap, external } = points[i] as Point;
      return point.heap - heap + (point.external - external);
    }),
    callsPerRound: after.calls - before.calls,
    bytesPerCall: slopeOf(points, 'heap').perCall,
    externalBytesPerCall: slopeOf(points, 'external').perCall,
    steps: proof?.steps ?? [],
    leaks: leaks.map((row, i) => (i === 0 && site !== undefined ? { ...row, site } : row)),
    ignored: [],
    snapshots: proof?.captures.map(({ file }) => file) ?? [],
    ms: Math.round(performance.now() - started),
  };
}
