import type { HeapGraph } from '../snapshot.ts';

/** The ids of a snapshot's objects, one bit each: V8 counts them up, so they are dense. */
export class ObjectIds {
  readonly #bits: Uint32Array;
  readonly largest: number;

  constructor(graph: HeapGraph) {
    let largest = 0;
    for (let node = 0; node < graph.nodeCount; node++) largest = Math.max(largest, graph.nodeId(node));
    this.largest = largest;
    this.#bits = new Uint32Array((largest >>> 5) + 1);
    for (let node = 0; node < graph.nodeCount; node++) {
      const id = graph.nodeId(node);
      this.#bits[id >>> 5] = (this.#bits[id >>> 5] as number) | (1 << (id & 31));
    }
  }

  has(id: number): boolean {
    return (((this.#bits[id >>> 5] ?? 0) >>> (id & 31)) & 1) === 1;
  }
}

export interface Turnover {
  readonly objects: number;
  readonly bytes: number;
}

/** Objects of a snapshot that another one of the same process does not have. */
export function missingIn(graph: HeapGraph, other: ObjectIds): Turnover {
  let objects = 0;
  let bytes = 0;
  for (let node = 0; node < graph.nodeCount; node++) {
    if (other.has(graph.nodeId(node))) continue;
    objects++;
    bytes += graph.selfBytes(node);
  }
  return { objects, bytes };
}
