import type { Finding } from '@plimsoll/leak/internal/findings/finding';

/** One finding per fingerprint over processes and lives, with the counts added up. */
export function mergeFindings(findings: readonly Finding[]): readonly Finding[] {
  const merged = new Map<string, Finding>();
  for (const finding of findings) {
    const known = merged.get(finding.fingerprint);
    merged.set(
      finding.fingerprint,
      known === undefined
        ? finding
        : {
            ...(known.trace === undefined ? finding : known),
            count: known.count + finding.count,
            firstSeen: Math.min(known.firstSeen, finding.firstSeen),
            lastSeen: Math.max(known.lastSeen, finding.lastSeen),
          },
    );
  }
  return [...merged.values()];
}
