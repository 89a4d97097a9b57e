/** Time after the end of a process in which its supervisor may still read snapshots and write findings. */
const settledAfterMs = 10 * 60_000;

/** Whether no more entries will be written about a process with this last sign of life. */
export function isSettled(lastSeen: number, now: number = Date.now()): boolean {
  return now - lastSeen > settledAfterMs;
}
