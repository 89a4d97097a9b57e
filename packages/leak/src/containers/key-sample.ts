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
  return { keys: spread(keys, sampledKeys).filter((key) => typeof key === 'string'), size: keys.length };
}

/** At most so many of a list, from all its parts. */
export function spread<T>(all: readonly T[], most: number): T[] {
  const length = Math.min(most, all.length);
  return Array.from({ length }, (_, i) => all[Math.floor((i * all.length) / length)] as T);
}

/** The values of an object at some of its keys. */
export function sampledValues(object: object, { keys }: KeySample): readonly unknown[] {
  return keys.map((key) => valueAt(object, key));
}

/** Getters belong to the program and are not run. */
export function valueAt(object: object, key: string): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown;
}
