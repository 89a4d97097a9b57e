/** Number of major GCs in the share. */
const window = 8;

/**
 * Effectiveness of the last major GCs: garbage / (garbage + growth of the floor). A healthy server is above 0.9. A floor that grows by as
 * much as each collection frees lowers it.
 */
export class GcEffectiveness {
  readonly #garbage: number[] = [];
  readonly #growth: number[] = [];
  #majors = -1;
  #floor: number | undefined;
  #peak = 0;

  /** Number of collections in the current share. */
  get collections(): number {
    return this.#garbage.length;
  }

  /** Null before two collections were seen. */
  get ratio(): number | null {
    if (this.#garbage.length < 2) return null;
    const garbage = sum(this.#garbage);
    const all = garbage + sum(this.#growth);
    return all === 0 ? 1 : garbage / all;
  }

  take(reading: {
    readonly heapUsed: number;
    readonly floor?: number | undefined;
    readonly majors: number;
  }): void {
    const { heapUsed, floor, majors } = reading;
    if (floor !== undefined && majors !== this.#majors) {
      this.#note(floor);
      this.#majors = majors;
      this.#floor = floor;
      this.#peak = heapUsed;
    } else this.#peak = Math.max(this.#peak, heapUsed);
  }

  #note(floor: number): void {
    if (this.#floor === undefined) return;
    this.#garbage.push(Math.max(0, this.#peak - floor));
    this.#growth.push(Math.max(0, floor - this.#floor));
    if (this.#garbage.length <= window) return;
    this.#garbage.shift();
    this.#growth.shift();
  }
}

/** Collections after which the share can be judged. */
export const judgedCollections = window;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
