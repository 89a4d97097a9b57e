import { badOption } from '../bound.ts';
import type { CacheEntry } from './entry.ts';

/** A value as an entry of a weak cache keeps it. */
export function weakly<V>(value: V): V {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function')
    throw badOption('SessionCache', 'weak', `true and the value ${typeof value}`, 'used with objects only');
  return new WeakRef(value as object) as unknown as V;
}

/** The value of an entry of a weak cache; undefined when it has been collected. */
export function derefOf<V>(entry: CacheEntry<V>): V | undefined {
  return (entry.value as unknown as WeakRef<object>).deref() as V | undefined;
}
