import type { LevelName } from './protocol/frame.ts';

const denseMs = 5 * 60_000;
const sparseMs = 10_000;

/**
 * Which readings are worth a row: every one in the first minutes and above normal, one in ten seconds otherwise.
 * A month of a quiet server is then 260,000 rows instead of 2.6 million, and an incident keeps its detail.
 */
export class SampleRhythm {
  readonly #startedAt: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  /** `at` is monotonic; a clock that jumps must not silence the ledger. */
  due(at: number, level: LevelName): boolean {
    const dense = level !== 'normal' || at - this.#startedAt < denseMs;
    if (!dense && at - this.#lastAt < sparseMs) return false;
    this.#lastAt = at;
    return true;
  }
}
