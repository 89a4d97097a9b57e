import { createHash } from 'node:crypto';

/** Ids may hold secrets, be long or contain what a text column refuses, so the row of a session is named by their hash. */
export function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 40);
}

/** Who holds a session, as people read it: host and process without the part that only tells caches apart. */
export function holderName(stored: unknown): string {
  const text = stored instanceof Uint8Array ? Buffer.from(stored).toString() : stored;
  return typeof text === 'string' ? (text.split('#')[0] as string) : 'another process';
}
