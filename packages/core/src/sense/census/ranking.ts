import type { CensusTarget } from './scope-walk.ts';

/** How urgent a scope is: never measured, used since it was measured, or idle. */
type Urgency = 'new' | 'used' | 'idle';

const offset: Readonly<Record<Urgency, number>> = { idle: 0, used: 64, new: 128 };

/** Scopes in the order they are measured in: by urgency, then the larger ones. Buckets of doubling size, for sorting would not fit a slice. */
export class Ranking {
  readonly #buckets: CensusTarget[][] = [];
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add(target: CensusTarget, urgency: Urgency, bytes: number): void {
    const at = offset[urgency] + Math.min(63, Math.floor(Math.log2(bytes + 1)));
    while (this.#buckets.length <= at) this.#buckets.push([]);
    (this.#buckets[at] as CensusTarget[]).push(target);
    this.#count++;
  }

  /** Takes the most urgent one out. */
  take(): CensusTarget | undefined {
    for (let bucket = this.#buckets.at(-1); bucket !== undefined; bucket = this.#buckets.at(-1)) {
      const target = bucket.pop();
      if (target !== undefined) {
        this.#count--;
        return target;
      }
      this.#buckets.pop();
    }
    return undefined;
  }
}
