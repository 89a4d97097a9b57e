import type { HistoryCurve } from '@plimsoll/leak/internal/judge/waterline/waterline';
import { LedgerReader } from '@plimsoll/ledger';
import type { AuditRecord } from '@plimsoll/ledger';

const mostRuns = 5;
const stepMs = 10 * 60_000;
const longestMs = 7 * 24 * 3_600_000;
/** A run shorter than this says nothing about how the program warms up. */
const fewestSteps = 12;
/** Most of the whole rise that the last third of the curve may have. Above it the curve still rises. */
const restRatio = 0.15;

/**
 * How the floor rose with the age in earlier runs of the same program, from the ledger: the median of up to five healthy ones.
 *
 * Runs with a confirmed leak are left out, and a curve that still rises at its end is not used at all: a leak that every run has would
 * otherwise explain itself away.
 */
export function earlierCurve(ledgerDir: string, target: string, startedAt: number): HistoryCurve {
  const reader = new LedgerReader(ledgerDir, { asWritten: true });
  try {
    const starts = reader.audit({ kinds: ['start'], until: startedAt });
    const leaking = leakingRuns(reader);
    const runs = starts
      .filter(({ body, run }) => body['command'] === target && !leaking.has(run))
      .slice(-mostRuns)
      .map((start) => floorsOf(reader, start))
      .filter((floors) => floors.size >= fewestSteps);
    const curve = medianOf(runs);
    return isAtRest(curve) ? curve : [];
  } finally {
    reader.close();
  }
}

function leakingRuns(reader: LedgerReader): ReadonlySet<number> {
  const isGrave = ({ body }: AuditRecord): boolean =>
    body['severity'] !== 'low' && body['severity'] !== 'info';
  const findings = reader.audit({ kinds: ['finding'] }).filter(isGrave);
  const runs = new Set(findings.map(({ run }) => run));
  // An entry that `plimsoll run` wrote after the end has its own run number and names the process in its body.
  const pids = new Set(findings.map(({ body }) => body['pid']));
  for (const { run, body } of reader.audit({ kinds: ['start'] })) if (pids.has(body['pid'])) runs.add(run);
  return runs;
}

/** Floors of one run by the number of its step. */
function floorsOf(reader: LedgerReader, { run, at }: AuditRecord): ReadonlyMap<number, number> {
  const until = at + longestMs;
  const { points } = reader.range({ scope: 'process', run, since: at, until, points: longestMs / stepMs });
  const floors = new Map<number, number>();
  // Points begin at whole steps of the wall clock. A run begins anywhere between two.
  const first = Math.floor(at / stepMs);
  for (const point of points)
    if (point.floor !== undefined) floors.set(Math.floor(point.at / stepMs) - first, point.floor);
  return floors;
}

function medianOf(runs: readonly ReadonlyMap<number, number>[]): HistoryCurve {
  const longest = Math.max(-1, ...runs.flatMap((run) => [...run.keys()]));
  const curve: { uptimeMs: number; floorBytes: number }[] = [];
  for (let step = 0; step <= longest; step++) {
    const floors = runs.map((run) => run.get(step)).filter((floor) => floor !== undefined);
    if (floors.length === 0) continue;
    floors.sort((a, b) => a - b);
    curve.push({ uptimeMs: step * stepMs, floorBytes: floors[floors.length >> 1] as number });
  }
  return curve;
}

function isAtRest(curve: HistoryCurve): boolean {
  if (curve.length < fewestSteps) return false;
  const at = (share: number): number => {
    const near = Math.min(curve.length - 3, Math.floor(share * curve.length));
    const three = curve.slice(near, near + 3).map(({ floorBytes }) => floorBytes);
    return three.sort((a, b) => a - b)[1] as number;
  };
  const rise = at(1) - at(0);
  return at(1) - at(2 / 3) <= restRatio * Math.max(0, rise);
}
