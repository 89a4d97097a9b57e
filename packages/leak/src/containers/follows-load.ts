import type { WorkPoint } from '../judge/growth-shape.ts';

/** Parts of the time for which the number of entries is held against the pace of the work. */
const parts = 4;
/** The load rose by this much from the first to the last part. */
const leastRise = 1.5;
/** Entries per pace differ by at most this much from part to part. */
const mostSpread = 1.25;
/** The lowest number of entries is at most this share of the last one: what was there before does not follow the load. */
const mostAtFirst = 0.4;

/**
 * Whether a container has as many entries as the load makes them: sessions that each stay for a while are more with more load, and their
 * number divided by the pace of the work stays the same. In a leak it rises with the time.
 */
export function followsLoad(points: readonly WorkPoint[]): boolean {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.at <= first.at) return false;
  if (Math.min(...points.map(({ bytes }) => bytes)) > mostAtFirst * last.bytes) return false;
  const edges = Array.from({ length: parts + 1 }, (_, i) => first.at + ((last.at - first.at) * i) / parts);
  const paces: number[] = [];
  const ratios: number[] = [];
  for (let i = 0; i < parts; i++) {
    const from = edges[i] as number;
    const to = edges[i + 1] as number;
    const inside = points.filter(({ at }) => at >= from && at <= to);
    const pace = (valueAt(points, to, work) - valueAt(points, from, work)) / (to - from);
    if (inside.length < 2 || pace <= 0) return false;
    paces.push(pace);
    ratios.push(inside.reduce((sum, { bytes }) => sum + bytes, 0) / inside.length / pace);
  }
  // Entries begin to go only after some time, so that the first part may have fewer than its pace makes.
  const settled = ratios.slice(1);
  const isEven = Math.max(...settled) <= mostSpread * Math.min(...settled);
  return isEven && (paces.at(-1) as number) >= leastRise * (paces[0] as number);
}

const work = (point: WorkPoint): number => point.work;
const count = (point: WorkPoint): number => point.bytes;

/** The load rose by this much between two halves. */
const leastLaterRise = 1.25;
/** What waits became more by at most this much faster. */
const mostLaterSlope = 1.1;
/** The first part of the time is start-up. */
const startShare = 0.25;

/**
 * Whether timers become more no faster although the load rose. Timers that nobody clears become more with each request; those that each
 * wait for a while only follow the load.
 */
export function lagsBehindLoad(points: readonly WorkPoint[]): boolean {
  const first = points[0];
  const last = points.at(-1);
  if (first === undefined || last === undefined || last.at <= first.at) return false;
  const from = first.at + startShare * (last.at - first.at);
  const middle = (from + last.at) / 2;
  const rate = (of: (point: WorkPoint) => number, a: number, b: number): number =>
    (valueAt(points, b, of) - valueAt(points, a, of)) / (b - a);
  const early = rate(work, from, middle);
  const hasRisen = early > 0 && rate(work, middle, last.at) >= leastLaterRise * early;
  return hasRisen && rate(count, middle, last.at) <= mostLaterSlope * rate(count, from, middle);
}

/** What was between two points. */
function valueAt(points: readonly WorkPoint[], at: number, of: (point: WorkPoint) => number): number {
  const after = points.findIndex((point) => point.at >= at);
  const b = points[after < 0 ? points.length - 1 : after] as WorkPoint;
  const a = points[Math.max(0, after - 1)] as WorkPoint;
  return b.at <= a.at ? of(b) : of(a) + (of(b) - of(a)) * Math.min(1, (at - a.at) / (b.at - a.at));
}
