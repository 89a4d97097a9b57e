import type { Severity } from '@plimsoll/heap';

export type { Severity };

/** The severities of findings, in rising order. */
export const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** The graver of two. */
export function worseSeverity(a: Severity, b: Severity): Severity {
  return severities.indexOf(a) >= severities.indexOf(b) ? a : b;
}

/** True for medium and above, which people should see. Lower ones are suspicions or belong to another finding. */
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
  /** Part of what accumulates. */
  readonly suspect?: boolean;
  readonly leaking: 'no' | 'maybe' | 'yes';
  readonly why: string;
}

/** One finding with its analysis. The same fingerprint is always one finding with a count. */
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
  /** The object that is left attached or grows, e.g. `"abort" on AbortSignal`. */
  readonly subject?: string;
  /** The place in the program that made it, e.g. `Run.start (src/run.ts:51:7)`. */
  readonly site?: string;
  /** Its holder in the form of code, e.g. `SessionStore.sessions`. Absent until a path is known. */
  readonly holder?: string;
  /** When it was withdrawn because the growth is over, ms since the epoch. Absent while it lasts. */
  readonly endedAt?: number;
  readonly fix: string;
}
