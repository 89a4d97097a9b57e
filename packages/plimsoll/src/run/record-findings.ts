import { join } from 'node:path';
import type { Finding } from '@plimsoll/core/detect';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import { findingBody } from '../proof/finding-entry.ts';

/** What earlier runs said about a fingerprint. */
interface Earlier {
  readonly count: number;
  readonly firstSeen: number;
}

/**
 * Adds what earlier runs of this ledger know about the findings of a run that has ended, and writes those into it that the process could
 * not write itself. The same fingerprint is one finding with a count, across restarts; what this run wrote itself, since it began, is not
 * counted twice.
 */
export async function recordFindings(
  dir: string,
  pid: number,
  findings: readonly Finding[],
  written: ReadonlySet<string>,
  since: number = Date.now(),
): Promise<readonly Finding[]> {
  if (findings.length === 0) return findings;
  const earlier = earlierFindings(join(dir, 'ledger'), since);
  const merged = findings.map((finding) => withEarlier(finding, earlier.get(finding.fingerprint)));
  const unwritten = merged.filter((each) => !written.has(each.fingerprint));
  if (unwritten.length === 0) return merged;
  const ledger = openLedger({ dir: join(dir, 'ledger') });
  try {
    for (const finding of unwritten) {
      await ledger.audit({ kind: 'finding', scope: finding.scope, body: { ...findingBody(finding), pid } });
    }
  } catch {
    // The ledger said why in its own warning; the report has the findings.
  } finally {
    await ledger.close();
  }
  return merged;
}

function withEarlier(finding: Finding, earlier: Earlier | undefined): Finding {
  if (earlier === undefined) return finding;
  return {
    ...finding,
    count: finding.count + earlier.count,
    firstSeen: Math.min(finding.firstSeen, earlier.firstSeen),
  };
}

function earlierFindings(dir: string, since: number): ReadonlyMap<string, Earlier> {
  const found = new Map<string, Earlier>();
  try {
    const reader = new LedgerReader(dir);
    for (const { body, at } of reader.audit({ kinds: ['finding'] })) {
      const { fingerprint } = body;
      if (typeof fingerprint !== 'string' || at > since) continue;
      const known = found.get(fingerprint);
      const count = Number(body['count'] ?? 1);
      const firstSeen = Number(body['firstSeen'] ?? at);
      found.set(fingerprint, {
        count: Math.max(known?.count ?? 0, count),
        firstSeen: Math.min(known?.firstSeen ?? firstSeen, firstSeen),
      });
    }
    reader.close();
  } catch {
    // No ledger yet, or one that cannot be read: then nothing is known from before.
  }
  return found;
}
