import { removeFile } from '@plimsoll/core/internal/remove-file';
import type { Finding } from '@plimsoll/leak/internal/findings/finding';
import { runAnalysis } from '@plimsoll/leak/internal/proof/analysis-process';
import { cureOf } from '@plimsoll/leak/internal/proof/cure';
import type { Capture } from '@plimsoll/leak/internal/proof/growth-record';

const mostFindings = 3;

/** Two snapshots of one process, between which it grew. */
export interface SnapshotPair {
  readonly first: Capture;
  readonly last: Capture;
}

/**
 * The holders of the growth between two snapshots. It is for a life that was too short for the process's own proof although the
 * measurements show growth.
 */
export async function holdersIn({ first, last }: SnapshotPair): Promise<readonly Finding[]> {
  const analysis = await runAnalysis(last, first);
  const hours = (last.at - first.at) / 3_600_000;
  const found = (analysis?.growth ?? []).filter(
    ({ severity }, i) => i === 0 || (severity !== 'low' && severity !== 'info'),
  );
  return found.slice(0, mostFindings).map((growth) => ({
    id: `F-${growth.fingerprint.slice(0, 6)}`,
    kind: 'growth',
    severity: growth.severity,
    scope: 'process',
    fingerprint: growth.fingerprint,
    firstSeen: first.at,
    lastSeen: last.at,
    count: 1,
    bytes: growth.newBytes,
    rate: growth.newBytes / hours,
    trace: growth.trace,
    subject: growth.summary,
    fix: growth.knownLeak?.cure ?? cureOf(growth.trace),
  }));
}

export function removePair({ first, last }: Partial<SnapshotPair>): void {
  for (const capture of [first, last]) if (capture !== undefined) removeFile(capture.file);
}
