import { channel } from 'node:diagnostics_channel';
import { createHash } from 'node:crypto';
import { severities } from './finding.ts';
import type { Finding, Severity } from './finding.ts';

const findingChannel = channel('plimsoll:finding');

/** What a claim says; the book adds its identity, its dates and its count. */
export type Claim = Omit<Finding, 'id' | 'firstSeen' | 'lastSeen' | 'count'> & {
  /** How many at once, e.g. survivors; default 1. */
  readonly times?: number;
};

const maxFindings = 256;

/**
 * The findings of a process, one per fingerprint: the same claim again raises the count and the date.
 *
 * A finding is published on `plimsoll:finding` when it is new and whenever its severity changes; a repeated claim alone is silent, so
 * that a listener may page on every message. Bounded: beyond 256 fingerprints the one seen longest ago makes room.
 */
export class FindingBook {
  private readonly byFingerprint = new Map<string, Finding>();

  /** Begins with what the ledger knows, so that a finding keeps its id, first date and count across restarts. */
  constructor(known: Iterable<Finding> = []) {
    for (const finding of known) this.byFingerprint.set(finding.fingerprint, finding);
  }

  get findings(): readonly Finding[] {
    return [...this.byFingerprint.values()];
  }

  get(fingerprint: string): Finding | undefined {
    return this.byFingerprint.get(fingerprint);
  }

  /**
   * Enters a claim made at a time in ms since the epoch and returns its finding. `isAgain` says that this is another occurrence; the
   * same one told again does not count, and its severity only rises, so that a forecast near a threshold does not flap.
   */
  enter(claim: Claim, at: number, isAgain = true): Finding {
    const { times = 1, ...rest } = claim;
    const before = this.byFingerprint.get(claim.fingerprint);
    const finding: Finding = {
      ...rest,
      severity:
        isAgain || before === undefined ? rest.severity : worseSeverity(rest.severity, before.severity),
      id: before?.id ?? findingId(claim.fingerprint),
      firstSeen: before?.firstSeen ?? at,
      lastSeen: at,
      count:
        before === undefined
          ? times
          : isAgain
            ? Math.max(before.count + 1, times)
            : Math.max(before.count, times),
      ...(before?.trace !== undefined && rest.trace === undefined && { trace: before.trace }),
      ...(before?.knownLeak !== undefined && rest.knownLeak === undefined && { knownLeak: before.knownLeak }),
    };
    this.byFingerprint.delete(claim.fingerprint);
    this.byFingerprint.set(claim.fingerprint, finding);
    if (this.byFingerprint.size > maxFindings) {
      const oldest = this.byFingerprint.keys().next().value;
      if (oldest !== undefined) this.byFingerprint.delete(oldest);
    }
    if (before?.severity !== finding.severity) publish(finding);
    return finding;
  }
}

/** The graver of two. */
export function worseSeverity(a: Severity, b: Severity): Severity {
  return severities.indexOf(a) >= severities.indexOf(b) ? a : b;
}

function publish(finding: Finding): void {
  if (!findingChannel.hasSubscribers) return;
  try {
    findingChannel.publish(finding);
  } catch {
    // diagnostics_channel reports a subscriber's error by itself; it must not stop the detector.
  }
}

/** A claim made at a time as a finding of its own, for where no book is kept. */
export function findingOf(claim: Claim, at: number): Finding {
  const { times = 1, ...rest } = claim;
  return { ...rest, id: findingId(claim.fingerprint), firstSeen: at, lastSeen: at, count: times };
}

/** Short id for people, e.g. `F-3f9a1c`. */
function findingId(fingerprint: string): string {
  return `F-${createHash('sha256').update(fingerprint).digest('hex').slice(0, 6)}`;
}
