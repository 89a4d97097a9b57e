import { channel } from 'node:diagnostics_channel';
import { severities, type Finding } from './finding.ts';

const findingChannel = channel('plimsoll:finding');
const mostFindings = 100;

/** The findings of this process, one per fingerprint, gravest first; bounded, the least grave leave first. */
export class FindingLog {
  readonly #found = new Map<string, Finding>();
  readonly #onNew: (finding: Finding) => void;

  /** `onNew` is told of a fingerprint's first finding and of each rise in severity. */
  constructor(onNew: (finding: Finding) => void) {
    this.#onNew = onNew;
  }

  get rows(): readonly Finding[] {
    return [...this.#found.values()].sort((a, b) => rank(b) - rank(a) || b.bytes - a.bytes);
  }

  /** Takes a finding of ours and publishes it on the channel `plimsoll:finding`. */
  publish(finding: Finding): void {
    this.take(finding);
    if (findingChannel.hasSubscribers) findingChannel.publish(finding);
  }

  /** Takes a finding that someone else published, or a newer state of one that is known. */
  take(finding: Finding): void {
    const known = this.#found.get(finding.fingerprint);
    const merged = known === undefined ? finding : merge(known, finding);
    this.#found.set(finding.fingerprint, merged);
    if (this.#found.size > mostFindings) this.#found.delete(this.rows.at(-1)?.fingerprint ?? '');
    if (
      known === undefined ||
      rank(merged) > rank(known) ||
      (known.trace === undefined && merged.trace !== undefined)
    ) {
      this.#onNew(merged);
    }
  }

  /** Forgets a suspicion that turned out to be nothing. */
  clear(fingerprint: string): void {
    this.#found.delete(fingerprint);
  }
}

function merge(known: Finding, next: Finding): Finding {
  const trace = next.trace ?? known.trace;
  return {
    ...next,
    firstSeen: Math.min(known.firstSeen, next.firstSeen),
    count: Math.max(known.count, next.count),
    ...(trace !== undefined && { trace }),
  };
}

function rank({ severity }: Finding): number {
  return severities.indexOf(severity);
}
