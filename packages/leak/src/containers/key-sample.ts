/** A few keys of an object and their number, because listing very many keys takes long. */
export interface KeySample {
  readonly keys: readonly string[];
  readonly size: number;
}

/** Listing this many keys takes 25 ms. An object with more is not listed again. */
export const mostKeys = 100_000;
const sampledKeys = 64;

/** Keys from all parts of an object. */
export function sampleOf(keys: readonly (string | symbol)[]): KeySample {
  return { keys: spread(keys, sampledKeys).filter((key) => typeof key === 'string'), size: keys.length };
}

/** At most `most` elements of a list, from all its parts. */
export function spread<T>(all: readonly T[], most: number): T[] {
  const length = Math.min(most, all.length);
  return Array.from({ length }, (_, i) => all[Math.floor((i * all.length) / length)] as T);
}

/** The values of an object at some of its keys. */
export function sampledValues(object: object, { keys }: KeySample): readonly unknown[] {
  return keys.map((key) => valueAt(object, key));
}

/** The value of a property. Getters are code of the program and are not run. */
export function valueAt(object: object, key: string): unknown {
  return Reflect.getOwnPropertyDescriptor(object, key)?.value as unknown;
}
