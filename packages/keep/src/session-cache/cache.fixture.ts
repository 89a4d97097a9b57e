import { onTestFinished } from 'vitest';
import { SessionCache } from './session-cache.ts';
import type { SessionCacheOptions } from './settings.ts';

export interface Session {
  readonly id: string;
  readonly bytes: number;
}

/** A cache that ends with its test. */
export function cacheOf<V = Session>(options: SessionCacheOptions<V>): SessionCache<V> {
  const cache = new SessionCache<V>(options);
  onTestFinished(async () => {
    await cache.drain(1);
  });
  return cache;
}

export const session = (id: string, bytes = 100): Session => ({ id, bytes });

export const metered = { meter: (value: Session) => value } as const;

export const later = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
