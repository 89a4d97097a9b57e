import type { HeapGraph } from '../snapshot.ts';

/** V8's ids of objects in the heap are odd; one in 32 objects is compared. */
const sampled = 64;
const leastAlike = 0.8;

/**
 * The objects of a snapshot by id: 8 bytes each (12 in a heap with an object of 4 GiB), and one bit per id. V8 counts ids up, so they are
 * dense.
 */
export class ObjectIds {
  /** One bit per id: set where the snapshot has the object. */
  readonly bits: Uint32Array;
  readonly #ids: Uint32Array;
  readonly #bytes: Uint32Array | Float64Array;

  /** Without a copy they are gone when the snapshot is closed. */
  constructor(graph: HeapGraph, isCopied: boolean) {
    const { ids, bytes } = graph.identities();
    let largest = 0;
    for (let node = 0; node < ids.length; node++) {
      if ((ids[node] as number) > largest) largest = ids[node] as number;
    }
    const bits = new Uint32Array((largest >>> 5) + 1);
    for (let node = 0; node < ids.length; node++) {
      const id = ids[node] as number;
      bits[id >>> 5] = (bits[id >>> 5] as number) | (1 << (id & 31));
    }
    this.#ids = isCopied ? ids.slice() : ids;
    this.#bytes = isCopied ? bytes.slice() : bytes;
    this.bits = bits;
  }

  get count(): number {
    return this.#ids.length;
  }

  /**
   * Whether an id means the same object in both: objects that both have keep their size. Snapshots of two processes differ, and so do
   * two of one process when a session of the inspector ended between them, because V8 then numbers all objects anew.
   */
  isSameAs(other: ObjectIds): boolean {
    const mine = this.#sample();
    let both = 0;
    let alike = 0;
    for (let k = 0; k < other.#ids.length; k++) {
      const id = other.#ids[k] as number;
      if (id % sampled !== 1) continue;
      const here = mine[(id - 1) / sampled] ?? 0;
      if (here === 0) continue;
      both++;
      if (this.#bytes[here - 1] === other.#bytes[k]) alike++;
    }
    return alike >= leastAlike * both;
  }

  /** One object in 32: 1 more than its number, by the place of its id among the ids that are compared. */
  #sample(): Uint32Array {
    const places = new Uint32Array(Math.ceil((this.bits.length * 32) / sampled));
    for (let k = 0; k < this.#ids.length; k++) {
      const id = this.#ids[k] as number;
      if (id % sampled === 1) places[(id - 1) / sampled] = k + 1;
    }
    return places;
  }

  /** Objects that another snapshot of the same process does not have. */
  missingIn(other: ObjectIds): Turnover {
    let objects = 0;
    let bytes = 0;
    const theirs = other.bits;
    for (let k = 0; k < this.#ids.length; k++) {
      const id = this.#ids[k] as number;
      if ((((theirs[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1) continue;
      objects++;
      bytes += this.#bytes[k] as number;
    }
    return { objects, bytes };
  }
}

export interface Turnover {
  readonly objects: number;
  readonly bytes: number;
}
