/**
 * What snapshots taught about scopes of one kind: how many bytes they really retain for each byte that the walk found.
 *
 * Nothing in JavaScript shows that a short string is a slice of a long one, what a suspended generator holds, or how many slots a list has.
 * A snapshot that is taken anyway, to prove a leak, shows it for every scope at once. The ratio of one kind then holds for its other
 * scopes, too, until the next snapshot.
 */

/** One scope in a snapshot: what the walk found about the same time, and what the scope retains. Both without external bytes. */
export interface CalibrationPair {
  readonly group: string;
  readonly walked: number;
  readonly retained: number;
}

/** Bytes per byte that was walked, and how far single scopes are off that, as a share of it. */
export interface Factor {
  readonly ratio: number;
  readonly spread: number;
}

/** Fewer scopes of a kind say nothing about the others. */
const fewestScopes = 3;
/**
 * Smaller differences are the noise of a walk. A scope that retains less than was walked is none: what the program or its framework holds
 * as well, and names that V8 has interned, a snapshot charges to nobody.
 */
const leastExcess = 0.03;
/** Beyond this the two did not look at the same things. A piece of a page keeps the page: 40 characters of 3 KB are a ratio of 38. */
const mostRatio = 1000;
const leastSpread = 0.03;
const mostGroups = 1000;

export class Calibration {
  #factors = new Map<string, Factor>();

  get size(): number {
    return this.#factors.size;
  }

  /** Takes the scopes of one snapshot. A kind that is among them often enough is learned anew. */
  learn(pairs: readonly CalibrationPair[]): void {
    for (const [group, rows] of Map.groupBy(pairs, (pair) => pair.group)) {
      const walked = rows.reduce((sum, row) => sum + row.walked, 0);
      if (rows.length < fewestScopes || walked <= 0) continue;
      const ratio = rows.reduce((sum, row) => sum + row.retained, 0) / walked;
      if (ratio < 1 + leastExcess || ratio > mostRatio) {
        this.#factors.delete(group);
        continue;
      }
      // Larger scopes count for more: a session that has just begun says little.
      const squares = rows.reduce(
        (sum, row) => sum + (row.retained - ratio * row.walked) ** 2 / Math.max(1, row.walked),
        0,
      );
      const spread = Math.max(leastSpread, Math.sqrt(squares / walked) / ratio);
      if (this.#factors.size >= mostGroups) this.#factors = new Map();
      this.#factors.set(group, { ratio, spread });
    }
  }

  of(group: string): Factor | undefined {
    return this.#factors.get(group);
  }
}
