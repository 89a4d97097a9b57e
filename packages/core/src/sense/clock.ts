/** Where sense gets its time and its turns from, so that a test can own both. */
export interface Clock {
  /** Wall time in ms since the epoch; may jump. Only ever shown, never subtracted. */
  now(): number;
  /** Monotonic time in ms with an arbitrary zero; for every difference. */
  monotonic(): number;
  /** Runs the callback once after `ms`, never keeping the process alive. Returns its cancellation. */
  after(ms: number, callback: () => void): () => void;
}

/** The clock of the process. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    // A timer of 1 ms would wait for the next tick of the timer wheel; work that is due now goes behind pending I/O instead.
    if (ms <= 0) {
      const immediate = setImmediate(callback).unref();
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, ms).unref();
    return () => clearTimeout(timer);
  },
};
