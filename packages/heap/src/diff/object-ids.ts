import type { HeapGraph } from '../snapshot.ts';

/** V8's ids of objects in the heap are odd; one in 32 objects is compared. */
const sampleShift = 6;
const sampleMask = 2 ** sampleShift - 1;
const leastAlike = 0.8;

/** What became of the objects of one snapshot in another. */
interface Exchange {
  /**
   * Whether an id means the same object in both: most are in both, and keep their size. Snapshots of two processes differ, and so do two of
   * one process when a session of the inspector ended between them, because V8 then numbers all objects anew.
   */
  readonly sameProcess: boolean;
  readonly appeared: Turnover;
  readonly vanished: Turnover;
}

export interface Turnover {
  readonly objects: number;
  readonly bytes: number;
}

/**
 * The objects of a snapshot by id: 8 bytes each (12 in a heap with an object of 4 GiB), one bit per id, and a word for one id in 64. V8
 * counts ids up, so they are dense.
 */
export class ObjectIds {
  /** One bit per id: set where the snapshot has the object. */
  readonly bits: Uint32Array;
  /** By the id without its lower bits: 1 more than the number of the object that is compared, 0 without. */
  readonly #places: Uint32Array;
  readonly #ids: Uint32Array;
  readonly #bytes: Uint32Array | Float64Array;

  constructor(graph: HeapGraph) {
    const { ids, bytes } = graph.identities();
    this.#ids = ids.slice();
    this.#bytes = bytes.slice();
    [this.bits, this.#places] = indexed(ids);
  }

  /** What changed from this snapshot to a later one, which is open. One pass over each, for there are millions of objects. */
  exchangedFor(later: HeapGraph): Exchange {
    const { ids, bytes } = later.identities();
    const here = this.bits;
    const places = this.#places;
    let bits = new Uint32Array(here.length);
    let objects = 0;
    let sum = 0;
    let both = 0;
    let alike = 0;
    for (let k = 0; k < ids.length; k++) {
      const id = ids[k] as number;
      const word = id >>> 5;
      const bit = 1 << (id & 31);
      if (word >= bits.length) bits = longer(bits, Math.max(word + 1, 2 * bits.length));
      bits[word] = (bits[word] as number) | bit;
      if (word >= here.length || ((here[word] as number) & bit) === 0) {
        objects++;
        sum += bytes[k] as number;
      } else if ((id & sampleMask) === 1) {
        both++;
        if (this.#bytes[(places[id >>> sampleShift] as number) - 1] === bytes[k]) alike++;
      }
    }
    const vanished = missing(this.#ids, this.#bytes, bits);
    const sameProcess = vanished.objects < this.#ids.length / 2 && alike >= leastAlike * both;
    return { sameProcess, appeared: { objects, bytes: sum }, vanished };
  }
}

/** The objects whose ids are not among the bits. */
function missing(ids: Uint32Array, bytes: Uint32Array | Float64Array, bits: Uint32Array): Turnover {
  let objects = 0;
  let sum = 0;
  for (let k = 0; k < ids.length; k++) {
    const id = ids[k] as number;
    const word = id >>> 5;
    if (word < bits.length && (((bits[word] as number) >>> (id & 31)) & 1) === 1) continue;
    objects++;
    sum += bytes[k] as number;
  }
  return { objects, bytes: sum };
}

/** One bit per id, and the places of those that are compared, 1 more than the number of the object; in one pass, for there are millions. */
function indexed(ids: Uint32Array): [bits: Uint32Array, places: Uint32Array] {
  let bits = new Uint32Array((ids.length >>> 3) + 1);
  let places = new Uint32Array((bits.length >>> 1) + 1);
  for (let k = 0; k < ids.length; k++) {
    const id = ids[k] as number;
    const word = id >>> 5;
    if (word >= bits.length) {
      bits = longer(bits, Math.max(word + 1, 2 * bits.length));
      places = longer(places, (bits.length >>> 1) + 1);
    }
    bits[word] = (bits[word] as number) | (1 << (id & 31));
    if ((id & sampleMask) === 1) places[id >>> sampleShift] = k + 1;
  }
  return [bits, places];
}

function longer(words: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const made = new Uint32Array(length);
  made.set(words);
  return made;
}
