/** Where sense gets its time and its turns from, so that a test can own both. */
export interface Clock {
  /** Wall time in ms since the epoch; may jump. Only ever shown, never subtracted. */
  now(): number;
  /** Monotonic time in ms with an arbitrary zero; for every difference. */
  monotonic(): number;
  /** CPU time of the process in ms; a clock without it lets wall time stand in. */
  cpu?(): number;
  /** Runs the callback once after `ms`, or in the next turn of the loop for 0, without keeping the process alive. Returns its cancellation. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  cpu() {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  after(ms, callback) {
    if (ms <= 0) {
      // Referenced, for an unreferenced immediate waits until something else wakes the loop; it holds a process for one turn at most.
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, coalesced(ms, performance.now())).unref();
    return () => clearTimeout(timer);
  },
};

/** Waits from this on are coalesced. */
const coalescedFromMs = 900;

/**
 * The wait, changed by a quarter at most so that it ends with a whole second if it can. Waking an idle process costs as much as what most of
 * our timers do then, and so they wake it together.
 */
export function coalesced(ms: number, nowMs: number): number {
  if (ms < coalescedFromMs) return ms;
  const due = nowMs + ms;
  const whole = Math.round(due / 1000) * 1000;
  return ms + Math.min(ms / 4, Math.max(-ms / 4, whole - due));
}

/**
 * Begins to time our own work; the returned function says what it took, in ms.
 *
 * Wall time alone would charge us for waiting on a busy machine, CPU time alone for what other threads did meanwhile, so it is the lesser
 * of the two. The CPU time of the thread alone would be the right measure, but the kernel brings it up to date only at scheduler ticks
 * (steps of 0.1 to 2 ms seen), and slices that follow a timer begin right after one. A forced collection also runs on threads of V8:
 * with `allThreads` the CPU time counts whole.
 */
export function startWork(clock: Pick<Clock, 'monotonic' | 'cpu'>, allThreads = false): () => number {
  const wall = clock.monotonic();
  const cpu = clock.cpu?.() ?? Number.NEGATIVE_INFINITY;
  return () => {
    const spentCpu = (clock.cpu?.() ?? Number.POSITIVE_INFINITY) - cpu;
    if (allThreads && clock.cpu !== undefined) return spentCpu;
    return Math.min(clock.monotonic() - wall, spentCpu);
  };
}
