/** A list of ids that left: that of the entries seen once, or that of the entries seen again. */
type GhostList = 0 | 1;

const firstSlots = 512;
/** An id may be in any slot of its bucket, so that few ids push out others before their time. */
const bucketSlots = 8;
/** The two lists together remember at most twice as many ids as there are entries. */
const slotsPerEntry = 3;
/** 2^18 slots take 3 MiB and remember 131,072 ids. */
const mostSlots = 2 ** 18;

/**
 * The ids that left the cache lately, as hashes in a fixed table: no id is held, and nothing is allocated when one is added. An id is
 * forgotten when so many others left the same list after it, or when another id takes its slot. Two ids with one hash are taken for one,
 * which costs a wrong guess and nothing else.
 */
export class GhostTable {
  #hashes = new Int32Array(firstSlots);
  #weights = new Float64Array(firstSlots);
  /** When it left, counted per list, with the list in the lowest bit; 0 for an empty slot. */
  #times = new Int32Array(firstSlots);
  readonly #clocks = [1, 1];
  readonly #known = [0, 0];

  /** How many ids of a list may be remembered at most. */
  count(list: GhostList, most: number): number {
    return Math.min(this.#known[list] as number, Math.max(0, most));
  }

  /** Remembers an id that left. `entries` is how many the cache holds; the table grows with it and then begins anew. */
  add(id: string, weight: number, list: GhostList, entries: number): void {
    if (slotsPerEntry * entries > this.#hashes.length && this.#hashes.length < mostSlots)
      this.#grow(slotsPerEntry * entries);
    const hash = hashOf(id);
    const slot = this.#oldestSlot(hash);
    const time = this.#clocks[list] as number;
    this.#clocks[list] = (time + 1) & lastTime;
    this.#known[list] = (this.#known[list] as number) + 1;
    this.#hashes[slot] = hash;
    this.#weights[slot] = weight;
    this.#times[slot] = (time << 1) | list;
  }

  /** Forgets an id of either list; its weight and list, or undefined when it is not known or left too long ago. */
  take(
    id: string,
    most: readonly [number, number],
  ): { readonly weight: number; readonly list: GhostList } | undefined {
    const hash = hashOf(id);
    const first = this.#bucketOf(hash);
    for (let slot = first; slot < first + bucketSlots; slot++) {
      const stamp = this.#times[slot] as number;
      if (stamp === 0 || this.#hashes[slot] !== hash) continue;
      const list = (stamp & 1) as GhostList;
      if (this.#ageOf(stamp) > most[list]) return undefined;
      this.#times[slot] = 0;
      return { weight: this.#weights[slot] as number, list };
    }
    return undefined;
  }

  #bucketOf(hash: number): number {
    return (hash & (this.#hashes.length / bucketSlots - 1)) * bucketSlots;
  }

  /** The slot of a bucket that is empty, or that of the id that left longest ago. */
  #oldestSlot(hash: number): number {
    const first = this.#bucketOf(hash);
    let oldest = first;
    let most = -1;
    for (let slot = first; slot < first + bucketSlots; slot++) {
      const stamp = this.#times[slot] as number;
      if (stamp === 0 || this.#hashes[slot] === hash) return slot;
      const age = this.#ageOf(stamp);
      if (age <= most) continue;
      most = age;
      oldest = slot;
    }
    return oldest;
  }

  /** How many ids left the same list since. */
  #ageOf(stamp: number): number {
    return ((this.#clocks[stamp & 1] as number) - (stamp >>> 1)) & lastTime;
  }

  #grow(least: number): void {
    let slots = this.#hashes.length;
    while (slots < least && slots < mostSlots) slots *= 2;
    this.#hashes = new Int32Array(slots);
    this.#weights = new Float64Array(slots);
    this.#times = new Int32Array(slots);
    this.#known.fill(0);
  }
}

/** Times are 30 bits, and come round. */
const lastTime = 2 ** 30 - 1;

/** A number for an id: of a long one from its ends, of which a UUID's are as random as its middle. */
function hashOf(id: string): number {
  const { length } = id;
  const head = length > headChars + tailChars ? headChars : length;
  let hash = length;
  for (let i = 0; i < head; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  if (head < length)
    for (let i = length - tailChars; i < length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

const headChars = 6;
const tailChars = 12;
