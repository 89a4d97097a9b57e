/** Where a keeper gets its time and its turns from, so that a test can own both. */
export interface KeeperClock {
  /** Wall time in ms since the epoch; only ever shown. */
  now(): number;
  /** Monotonic time in ms with an arbitrary zero. */
  monotonic(): number;
  /** Runs the callback once after `ms`, never keeping the process alive. Returns its cancellation. */
  after(ms: number, callback: () => void): () => void;
}

/** Longest delay that a timer of Node takes. */
const longestDelayMs = 2 ** 31 - 1;

/** The clock of the process. */
export const systemClock: KeeperClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, Math.min(longestDelayMs, Math.max(1, ms))).unref();
    return () => clearTimeout(timer);
  },
};
