import { getHeapStatistics } from 'node:v8';

/** Bytes of the process as a stage sees them: live objects and garbage alike. */
export interface ProcessFigures {
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

/** Heap statistics take 5 to 20 µs between two stages of some ms, so stages that begin or end within this time share one reading. */
const keptMs = 50;
/** `process.memoryUsage` takes 70 to 140 µs there, because it reads the resident size, too. It is asked for ArrayBuffers only after external memory moved by this. */
const movedBytes = 64 * 1024;

let readAt = Number.NEGATIVE_INFINITY;
let last: ProcessFigures | undefined;

/** The figures of the process, at most 50 ms old; with `isFresh` those of now. */
export function processFigures(now: number, isFresh = false): ProcessFigures {
  if (!isFresh && last !== undefined && now - readAt < keptMs) return last;
  readAt = now;
  const { used_heap_size: heapUsed, external_memory: external } = getHeapStatistics();
  const hasMoved = last === undefined || Math.abs(external - last.external) >= movedBytes;
  const arrayBuffers =
    last === undefined || hasMoved ? process.memoryUsage().arrayBuffers : last.arrayBuffers;
  // Small moves are summed up until they are worth a reading.
  return (last = { heapUsed, external: hasMoved ? external : (last?.external ?? external), arrayBuffers });
}
