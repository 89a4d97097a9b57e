/** A few keys of an object and how many it has: an object with very many keys takes long to list. */
export interface KeySample {
  readonly keys: readonly string[];
  readonly size: number;
}

/** To list so many keys takes 25 ms; objects with more are not listed again. */
export const mostKeys = 100_000;
const sampledKeys = 64;

/** Keys from all parts of an object. */
export function sampleOf(keys: readonly (string | symbol)[]): KeySample {
  const length = Math.min(sampledKeys, keys.length);
  const all = Array.from({ length }, (_, i) => keys[Math.floor((i * keys.length) / length)]);
  return { keys: all.filter((key) => typeof key === 'string'), size: keys.length };
}

/** The values of an object at some of its keys. */
export function sampledValues(object: object, { keys }: KeySample): readonly unknown[] {
  return keys.map((key) => valueAt(object, key));
}

/** Getters belong to the program and are not run. */
export function valueAt(object: object, key: string): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown;
}
