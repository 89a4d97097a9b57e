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
    const pace = (workAt(points, to) - workAt(points, from)) / (to - from);
    if (inside.length < 2 || pace <= 0) return false;
    paces.push(pace);
    ratios.push(inside.reduce((sum, { bytes }) => sum + bytes, 0) / inside.length / pace);
  }
  // Entries begin to go only after some time, so that the first part may have fewer than its pace makes.
  const settled = ratios.slice(1);
  const isEven = Math.max(...settled) <= mostSpread * Math.min(...settled);
  return isEven && (paces.at(-1) as number) >= leastRise * (paces[0] as number);
}

/** The work at a time between two points. */
function workAt(points: readonly WorkPoint[], at: number): number {
  const after = points.findIndex((point) => point.at >= at);
  const b = points[after < 0 ? points.length - 1 : after] as WorkPoint;
  const a = points[Math.max(0, after - 1)] as WorkPoint;
  return b.at <= a.at ? b.work : a.work + (b.work - a.work) * Math.min(1, (at - a.at) / (b.at - a.at));
}
