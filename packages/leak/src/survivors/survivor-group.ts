import { createHash } from 'node:crypto';

/** Survivors that have the same kind of scope and the same label: one suspicion, and once confirmed one finding. */
export interface SurvivorGroup {
  readonly fingerprint: string;
  /** Kind of the scope that closed. */
  readonly kind: string;
  /** Label of the watch, or `scope` for the scope object itself. */
  readonly label: string;
  /** Path of the one that closed first among those still alive. */
  readonly example: string;
  /** Alive after three major GCs, at the last look. */
  readonly alive: number;
  /** When the oldest of them closed, ms since the epoch. */
  readonly closedAt: number;
  readonly state: 'suspect' | 'confirmed';
}

/** Group key that stays the same across restarts. */
export function survivorFingerprint(kind: string, label: string): string {
  return createHash('sha256').update(`survivor\0${kind}\0${label}`).digest('hex').slice(0, 16);
}
