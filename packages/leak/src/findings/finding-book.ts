import { channel } from 'node:diagnostics_channel';
import { createHash } from 'node:crypto';
import { severities, worseSeverity } from './finding.ts';
import type { Finding } from './finding.ts';

const findingChannel = channel('plimsoll:finding');

/** The content of a finding. The book adds identity, dates and count. */
export type Claim = Omit<Finding, 'id' | 'firstSeen' | 'lastSeen' | 'count' | 'endedAt'> & {
  /** Number of occurrences at once, e.g. survivors; default 1. */
  readonly times?: number;
  /** When it began, if known; default the time of the claim. */
  readonly firstSeen?: number;
  /** True when it belongs to a graver finding with the same cause. Only then may the severity fall. */
  readonly isPart?: boolean;
};

const maxFindings = 256;

/**
 * The findings of a process, one per fingerprint. Only this class publishes on `plimsoll:finding`.
 *
 * Merge rule: the same fingerprint keeps its id and its first date. Another occurrence raises the count. The severity only rises while it
 * lasts, so that a forecast near a threshold does not flap. A path and a known leak stay when a later claim brings none.
 *
 * A finding is published, to `onChange` and on the channel, when it is new, when its severity changes, when a path was found for it and
 * when it is withdrawn. A repeated claim alone is not published, so that a listener can alert on every message. Above 256 fingerprints, the
 * one with the lowest severity that was not seen for the longest time is dropped.
 */
export class FindingBook {
  readonly #byFingerprint = new Map<string, Finding>();
  readonly #onChange: ((finding: Finding) => void) | undefined;

  constructor(onChange?: (finding: Finding) => void) {
    this.#onChange = onChange;
  }

  /** Every finding, gravest first, among equals by bytes. */
  get findings(): readonly Finding[] {
    return [...this.#byFingerprint.values()].sort((a, b) => rank(b) - rank(a) || b.bytes - a.bytes);
  }

  get(fingerprint: string): Finding | undefined {
    return this.#byFingerprint.get(fingerprint);
  }

  /** Enters a claim. `at` is in ms since the epoch. `isAgain` is true for another occurrence, false for an update of the same one. */
  enter(claim: Claim, at: number, isAgain = true): Finding {
    const before = this.#byFingerprint.get(claim.fingerprint);
    const finding = before === undefined ? findingOf(claim, at) : merged(before, claim, at, isAgain);
    // The newest is moved to the end, so that the oldest of the lowest severity is found first.
    this.#byFingerprint.delete(finding.fingerprint);
    this.#byFingerprint.set(finding.fingerprint, finding);
    if (this.#byFingerprint.size > maxFindings) this.#dropLeast();
    if (before === undefined || isNews(before, finding)) this.#tell(finding);
    return finding;
  }

  /** Enters a finding from the snapshots of this process. One of severity info belongs to another finding. */
  take({ id: _id, lastSeen, count, endedAt: _endedAt, ...claim }: Finding): Finding {
    return this.enter({ ...claim, times: count, isPart: claim.severity === 'info' }, lastSeen, false);
  }

  /** Withdraws a finding whose growth is over. It stays in the book with severity info until it occurs again. */
  takeBack(fingerprint: string, at: number): void {
    const before = this.#byFingerprint.get(fingerprint);
    if (before === undefined || before.endedAt !== undefined) return;
    const { exhaustsIn: _over, ...rest } = before;
    const finding: Finding = { ...rest, severity: 'info', lastSeen: at, endedAt: at };
    this.#byFingerprint.set(fingerprint, finding);
    this.#tell(finding);
  }

  #tell(finding: Finding): void {
    try {
      this.#onChange?.(finding);
      if (findingChannel.hasSubscribers) findingChannel.publish(finding);
    } catch {
      // diagnostics_channel reports errors of subscribers itself. They must not stop the detection.
    }
  }

  #dropLeast(): void {
    const newest = [...this.#byFingerprint.keys()].at(-1);
    let least: Finding | undefined;
    for (const finding of this.#byFingerprint.values())
      if (finding.fingerprint !== newest && (least === undefined || rank(finding) < rank(least)))
        least = finding;
    if (least !== undefined) this.#byFingerprint.delete(least.fingerprint);
  }
}

function merged(before: Finding, claim: Claim, at: number, isAgain: boolean): Finding {
  const { times = 1, firstSeen = at, isPart = false, ...rest } = claim;
  const isLasting = before.endedAt === undefined && !isPart;
  const trace = rest.trace ?? before.trace;
  const knownLeak = rest.knownLeak ?? before.knownLeak;
  const holder = rest.holder ?? before.holder;
  return {
    ...rest,
    severity: isLasting ? worseSeverity(rest.severity, before.severity) : rest.severity,
    id: before.id,
    firstSeen: Math.min(before.firstSeen, firstSeen),
    lastSeen: at,
    count: Math.max(isAgain ? before.count + 1 : before.count, times),
    ...(trace !== undefined && { trace }),
    ...(knownLeak !== undefined && { knownLeak }),
    ...(holder !== undefined && { holder }),
  };
}

function isNews(before: Finding, now: Finding): boolean {
  const isProved = before.trace === undefined && now.trace !== undefined;
  return before.severity !== now.severity || isProved || before.endedAt !== now.endedAt;
}

function rank({ severity }: Finding): number {
  return severities.indexOf(severity);
}

/** A claim as a finding of its own, for code without a book. */
export function findingOf(claim: Claim, at: number): Finding {
  const { times = 1, firstSeen = at, isPart: _isPart, ...rest } = claim;
  return { ...rest, id: findingId(claim.fingerprint), firstSeen, lastSeen: at, count: times };
}

/** Short id for people, e.g. `F-3f9a1c`. */
function findingId(fingerprint: string): string {
  return `F-${createHash('sha256').update(fingerprint).digest('hex').slice(0, 6)}`;
}
