import { join } from 'node:path';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { LedgerReader, openLedger } from '@plimsoll/ledger';
import { findingBody } from '@plimsoll/leak/internal/findings/finding-entry';

/** Entries of earlier runs about a fingerprint. */
interface Earlier {
  readonly count: number;
  readonly firstSeen: number;
}

/** The findings in the ledger of a program: those of earlier runs, and the last entries of this run. */
interface Recorded {
  readonly earlier: ReadonlyMap<string, Earlier>;
  readonly said: ReadonlyMap<string, string>;
}

/**
 * Adds the history of earlier runs to the findings of a run that has ended. It writes findings into the ledger that the process did not
 * write, or wrote without the path of its last snapshot. The same fingerprint is one finding with a count, across restarts. Entries of this
 * run are not counted twice.
 */
export async function recordFindings(
  dir: string,
  pid: number,
  findings: readonly Finding[],
  since: number = Date.now(),
): Promise<readonly Finding[]> {
  if (findings.length === 0) return findings;
  const { earlier, said } = readFindings(join(dir, 'ledger'), since);
  const merged = findings.map((finding) => withEarlier(finding, earlier.get(finding.fingerprint)));
  const unwritten = merged.filter((each) => said.get(each.fingerprint) !== gistOf(findingBody(each)));
  if (unwritten.length === 0) return merged;
  const ledger = openLedger({ dir: join(dir, 'ledger') });
  try {
    for (const finding of unwritten) {
      await ledger.audit({ kind: 'finding', scope: finding.scope, body: { ...findingBody(finding), pid } });
    }
  } catch {
    // The ledger has emitted a warning with the reason. The report has the findings.
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

/** The content of an entry. Only another content needs a new entry; a higher count does not. */
const gistOf = ({ severity, trace }: Readonly<Record<string, unknown>>): string =>
  JSON.stringify([severity, trace ?? null]);

function readFindings(dir: string, since: number): Recorded {
  const earlier = new Map<string, Earlier>();
  const said = new Map<string, string>();
  try {
    const reader = new LedgerReader(dir);
    for (const { body, at } of reader.audit({ kinds: ['finding'] })) {
      const { fingerprint } = body;
      if (typeof fingerprint !== 'string') continue;
      if (at > since) {
        said.set(fingerprint, gistOf(body));
        continue;
      }
      const known = earlier.get(fingerprint);
      const count = Number(body['count'] ?? 1);
      const firstSeen = Number(body['firstSeen'] ?? at);
      earlier.set(fingerprint, {
        count: Math.max(known?.count ?? 0, count),
        firstSeen: Math.min(known?.firstSeen ?? firstSeen, firstSeen),
      });
    }
    reader.close();
  } catch {
    // There is no ledger yet, or it cannot be read. Then there are no earlier findings.
  }
  return { earlier, said };
}
