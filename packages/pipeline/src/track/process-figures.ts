import { getHeapStatistics } from 'node:v8';

/** Bytes of the process, with garbage. */
export interface ProcessFigures {
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

/**
 * `process.memoryUsage` takes 70 to 140 µs between two stages of some ms, because it reads the resident size, too. It is called for
 * ArrayBuffers only after external memory changed by this much, and not twice within this time.
 */
const movedBytes = 64 * 1024;
const apartMs = 250;

let askedAt = Number.NEGATIVE_INFINITY;
let last: ProcessFigures | undefined;

/** Reads the figures of the process. With `isFresh` the part of external memory is also read now; otherwise it may be 250 ms old. */
export function readProcess(now: number, isFresh: boolean): ProcessFigures {
  const { used_heap_size: heapUsed, external_memory: external } = getHeapStatistics();
  const isDue = isFresh || now - askedAt >= apartMs;
  const hasMoved = last === undefined || (isDue && Math.abs(external - last.external) >= movedBytes);
  if (!hasMoved && last !== undefined)
    // Small moves are summed up until they are worth a reading.
    return (last = { heapUsed, external: last.external, arrayBuffers: last.arrayBuffers });
  askedAt = now;
  return (last = { heapUsed, external, arrayBuffers: process.memoryUsage().arrayBuffers });
}

/** The change between two readings, as a stage reports it. */
export function figuresBetween(
  from: ProcessFigures,
  to: ProcessFigures,
  isAlone: boolean,
): ProcessFigures & { readonly isAlone: boolean } {
  // Stages that begin and end within one reading share one result.
  if (from === to) return isAlone ? unmovedAlone : unmoved;
  return {
    heapUsed: to.heapUsed - from.heapUsed,
    external: to.external - from.external,
    arrayBuffers: to.arrayBuffers - from.arrayBuffers,
    isAlone,
  };
}

const unmoved = Object.freeze({ heapUsed: 0, external: 0, arrayBuffers: 0, isAlone: false });
const unmovedAlone = Object.freeze({ ...unmoved, isAlone: true });
