import type { Severity } from '@plimsoll/heap';

export type { Severity };

/** How grave a finding is, in rising order. */
export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** The graver of two. */
export function worseSeverity(a: Severity, b: Severity): Severity {
  return severities.indexOf(a) >= severities.indexOf(b) ? a : b;
}

/** Medium or above: what people should see. What is below is a suspicion or goes with another finding. */
export function isSerious(severity: Severity): boolean {
  return severity !== 'info' && severity !== 'low';
}

/** One step of a leak trace, root first. */
export interface FindingStep {
  readonly type: string;
  readonly name: string;
  readonly via: string;
  readonly retainedBytes?: number;
  readonly scope?: string;
  readonly leaking: 'no' | 'maybe' | 'yes';
  readonly why: string;
}

/** One claim with its analysis. The same fingerprint is one finding with a count, for ever. */
export interface Finding {
  readonly id: string;
  readonly kind: 'survivor' | 'growth' | 'listener' | 'timer' | 'handle' | 'budget' | 'delegation';
  readonly severity: Severity;
  readonly scope: string;
  readonly fingerprint: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
  readonly count: number;
  readonly bytes: number;
  /** Bytes per hour. */
  readonly rate?: number;
  readonly exhaustsIn?: { readonly ms: number; readonly low: number; readonly high: number };
  readonly trace?: readonly FindingStep[];
  readonly knownLeak?: { readonly name: string; readonly cure: string; readonly link: string };
  /** What is left attached or grows, e.g. `"abort" on AbortSignal`. */
  readonly subject?: string;
  /** The place in the program that made it, e.g. `Run.start (src/run.ts:51:7)`. */
  readonly site?: string;
  /** Who holds it, as code would write it, e.g. `SessionStore.sessions`. Absent until a path is known. */
  readonly holder?: string;
  /** When it was taken back because the growth is over, ms since the epoch. Absent while it lasts. */
  readonly endedAt?: number;
  readonly fix: string;
}
