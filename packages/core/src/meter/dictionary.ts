/**
 * Tells fast objects from dictionaries, which take up to five times the bytes for the same properties.
 *
 * No public API says in which mode V8 keeps an object, but listing its keys does: a fast object hands out the list cached in its hidden
 * class, a dictionary collects and sorts it, ten times slower from about twenty keys on. So the listing, which a walker needs anyway, is
 * timed and compared with the time of two objects whose mode is known. A pause can only make a fast object look slow, never the reverse,
 * so the best of a few tries decides.
 */
const tries = 6;
const yardstickKeys = 64;

interface Yardstick {
  /** What reading the clock twice takes. */
  readonly clockNs: number;
  /** Two fifths of a dictionary's time per key: well above a fast object's, well below a dictionary's. */
  readonly nsPerKey: number;
}

let yardstick: Yardstick | undefined;

/** True when V8 keeps the object's properties in a hash table. Meaningful above sixteen properties. */
export function isDictionary(node: object, count: number): boolean {
  yardstick ??= calibrate();
  const bound = yardstick.clockNs + yardstick.nsPerKey * count;
  // The first listing of a fast object fills the cache of its hidden class.
  Object.keys(node);
  for (let i = 0; i < tries; i++) if (listingNs(node) < bound) return false;
  return true;
}

/** Slots of the hash table that holds `count` properties; V8 keeps at least a third of them free. */
export function dictionaryCapacity(count: number): number {
  let capacity = 4;
  while (capacity < count + (count >> 1)) capacity *= 2;
  return capacity;
}

function listingNs(node: object): number {
  const start = process.hrtime.bigint();
  Object.keys(node);
  return Number(process.hrtime.bigint() - start);
}

function calibrate(): Yardstick {
  const table: Record<string, number> = {};
  for (let i = 0; i < yardstickKeys; i++) table[`yardstick${i}`] = i;
  // Removing a property that was not the last one added turns an object into a dictionary.
  delete table['yardstick1'];
  const clockNs = best({});
  return { clockNs, nsPerKey: (0.4 * Math.max(1, best(table) - clockNs)) / yardstickKeys };
}

function best(node: object): number {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 20; i++) least = Math.min(least, listingNs(node));
  return least;
}
