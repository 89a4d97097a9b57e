import type { HeapGraph } from '../snapshot.ts';

/** V8's ids of objects in the heap are odd; one in 32 objects is compared. */
const sampled = 64;
const leastAlike = 0.8;

/** The objects of a snapshot by id, which outlive the snapshot: 12 bytes each, and one bit per id. V8 counts ids up, so they are dense. */
export class ObjectIds {
  readonly #ids: Uint32Array;
  readonly #bytes: Float64Array;
  readonly #bits: Uint32Array;

  constructor(graph: HeapGraph) {
    this.#ids = new Uint32Array(graph.nodeCount);
    this.#bytes = new Float64Array(graph.nodeCount);
    let largest = 0;
    for (let node = 0; node < graph.nodeCount; node++) {
      const id = graph.nodeId(node);
      this.#ids[node] = id;
      this.#bytes[node] = graph.selfBytes(node);
      if (id > largest) largest = id;
    }
    this.#bits = new Uint32Array((largest >>> 5) + 1);
    for (const id of this.#ids) this.#bits[id >>> 5] = (this.#bits[id >>> 5] as number) | (1 << (id & 31));
  }

  get count(): number {
    return this.#ids.length;
  }

  has(id: number): boolean {
    return (((this.#bits[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
  }

  /**
   * Whether an id means the same object in both: objects that both have keep their size. Snapshots of two processes differ, and so do
   * two of one process when a session of the inspector ended between them, because V8 then numbers all objects anew.
   */
  isSameAs(other: ObjectIds): boolean {
    const mine = new Map(this.#sample());
    let both = 0;
    let alike = 0;
    for (const [id, bytes] of other.#sample()) {
      const here = mine.get(id);
      if (here === undefined) continue;
      both++;
      if (here === bytes) alike++;
    }
    return alike >= leastAlike * both;
  }

  /** One object in 32, with its own bytes. */
  *#sample(): Generator<readonly [id: number, bytes: number]> {
    for (let k = 0; k < this.#ids.length; k++) {
      const id = this.#ids[k] as number;
      if (id % sampled === 1) yield [id, this.#bytes[k] as number];
    }
  }

  /** Objects that another snapshot of the same process does not have. */
  missingIn(other: ObjectIds): Turnover {
    let objects = 0;
    let bytes = 0;
    for (let k = 0; k < this.#ids.length; k++) {
      if (other.has(this.#ids[k] as number)) continue;
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
