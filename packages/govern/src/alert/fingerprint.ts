import { createHash } from 'node:crypto';
import type { Labels } from './alert.ts';

/** The identity of an alert: a hash over its labels in the order of their names. */
export function fingerprintOf(labels: Labels): string {
  const pairs = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(pairs)).digest('hex').slice(0, 16);
}
