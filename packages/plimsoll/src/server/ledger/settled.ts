/** For so long after the end of a process its supervisor may still read snapshots and write down who held the memory. */
const settledAfterMs = 10 * 60_000;

/** Whether nobody writes any more about a process that was last seen then. */
export function isSettled(lastSeen: number, now: number = Date.now()): boolean {
  return now - lastSeen > settledAfterMs;
}
