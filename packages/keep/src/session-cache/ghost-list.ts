const firstSlots = 256;
/** Each id has one slot. With twice as many slots as entries an id that left lately is seldom overwritten before its time. */
const slotsPerEntry = 2;
/** 2^18 slots take 1 MiB, and remember about 131,072 ids. */
const mostSlots = 2 ** 18;
/** Times have 16 bits and come round when four times as many ids were added as a table of 2^14 slots has; a larger one counts in steps. */
const exactSlotBits = 14;

/**
 * The ids that left a list of the cache lately, as half a hash each in a fixed table: no id is held, and nothing is allocated when one is
 * added. An id is forgotten when so many others left after it, or when another id takes its slot. Two ids with the same half are taken for
 * one, which costs a wrong guess and nothing else.
 */
export class GhostList {
  /** For each slot the upper half of a hash, and below it the time at which the id left. */
  #words = new Int32Array(firstSlots);
  #mostEntries = firstSlots / slotsPerEntry;
  /** How many ids were added; the time is this without its lowest `#shift` bits. */
  #added = 0;
  #shift = 0;

  /** How many ids it remembers of the latest `most`. */
  count(most: number): number {
    return Math.min(most, this.#added);
  }

  /** Remembers an id that left. `entries` is how many the cache holds; the table grows with it and then begins anew. */
  add(hash: number, entries: number): void {
    if (entries > this.#mostEntries) this.#grow(entries);
    this.#words[hash & (this.#words.length - 1)] =
      (hash & 0xffff0000) | ((this.#added >>> this.#shift) & 0xffff);
    this.#added = this.#added === mostAdded ? 0 : this.#added + 1;
  }

  /** Forgets an id; true when it was among the latest `most` that left. */
  take(hash: number, most: number): boolean {
    if (this.#added === 0) return false;
    const slot = hash & (this.#words.length - 1);
    const word = this.#words[slot] as number;
    if (((word ^ hash) & 0xffff0000) !== 0) return false;
    this.#words[slot] = 0;
    return (((this.#added >>> this.#shift) - word) & 0xffff) <= most >>> this.#shift;
  }

  #grow(entries: number): void {
    let slots = this.#words.length;
    while (slots < slotsPerEntry * entries && slots < mostSlots) slots *= 2;
    this.#mostEntries = slots === mostSlots ? Number.POSITIVE_INFINITY : slots / slotsPerEntry;
    this.#words = new Int32Array(slots);
    this.#added = 0;
    this.#shift = Math.max(0, Math.log2(slots) - exactSlotBits);
  }
}

/** After so many ids the count begins anew. The times go on, for it is a multiple of what they count to. */
const mostAdded = 2 ** 30 - 1;

/** Shorter ids are read one character at a time. */
const shortChars = 12;
/** So many characters of an id are read: the first four, eight between them and the end, and the last eight. */
const readChars = 20;

/** A number for an id. Of a long one it reads both ends and the middle, for ids such as `user:42/session` differ nowhere else. */
export function hashOf(id: string): number {
  const { length } = id;
  let hash = length;
  if (length < shortChars) {
    for (let i = 0; i < length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  } else {
    const middle = 4 + ((length - readChars) >> 1);
    hash = mixed(hash, wordAt(id, 0));
    hash = mixed(hash, wordAt(id, middle));
    hash = mixed(hash, wordAt(id, middle + 4));
    hash = mixed(hash, wordAt(id, length - 8));
    hash = mixed(hash, wordAt(id, length - 4));
  }
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return hash ^ (hash >>> 13);
}

/** Four characters as a number: they are read side by side, where a hash that takes one at a time waits for each. */
function wordAt(id: string, at: number): number {
  return (
    id.charCodeAt(at) ^
    (id.charCodeAt(at + 1) << 8) ^
    (id.charCodeAt(at + 2) << 16) ^
    (id.charCodeAt(at + 3) << 24)
  );
}

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return product ^ (product >>> 15);
}
