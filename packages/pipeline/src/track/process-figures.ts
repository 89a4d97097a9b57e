/** Bytes of the process as a stage sees them: live objects and garbage alike. */
export interface ProcessFigures {
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
}

/** `process.memoryUsage` takes 15 to 50 µs, so stages that begin or end within this time share one reading. */
const keptMs = 20;

let readAt = Number.NEGATIVE_INFINITY;
let last: ProcessFigures | undefined;

/** The figures of the process, at most 20 ms old. */
export function processFigures(now = performance.now()): ProcessFigures {
  if (last !== undefined && now - readAt < keptMs) return last;
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  readAt = now;
  return (last = { heapUsed, external, arrayBuffers });
}
