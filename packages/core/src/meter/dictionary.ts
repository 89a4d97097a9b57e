/**
 * Tells fast objects from dictionaries, which take up to five times the bytes for the same properties.
 *
 * No public API says in which mode V8 keeps an object, but listing its keys does: a fast object hands out the list cached in its hidden
 * class, a dictionary collects and sorts it, ten times slower from about twenty keys on. So the listing, which a walker needs anyway, is
 * timed and compared with the time of two objects whose mode is known. A pause can only make a fast object look slow, never the reverse,
 * so the best of a few tries decides.
 */
const tries = 4;
const yardstickKeys = 64;

let nsPerKeyBound: number | undefined;

/** True when V8 keeps the object's properties in a hash table. Meaningful above sixteen properties. */
export function isDictionary(node: object, count: number): boolean {
  nsPerKeyBound ??= calibrate();
  const bound = nsPerKeyBound * count;
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

/** Nanoseconds per key half-way (geometrically) between a fast object and a dictionary on this machine. */
function calibrate(): number {
  const text = JSON.stringify(
    Object.fromEntries(Array.from({ length: yardstickKeys }, (_, i) => [`yardstick${i}`, i])),
  );
  const fast = JSON.parse(text) as Record<string, unknown>;
  const slow = JSON.parse(text) as Record<string, unknown>;
  // Removing a property that was not the last one added turns an object into a dictionary.
  delete slow['yardstick1'];
  const best = (node: object): number => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 20; i++) least = Math.min(least, listingNs(node));
    return Math.max(least, 1) / yardstickKeys;
  };
  return Math.sqrt(best(fast) * best(slow));
}
