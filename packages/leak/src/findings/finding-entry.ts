import { formatByteSize } from '@plimsoll/core/units';
import type { Finding } from './finding.ts';

type Body = Readonly<Record<string, string | number | null>>;

/** A finding as its entry in the ledger; the trace as one line, names only. */
export function findingBody(finding: Finding): Body {
  const { id, kind, severity, fingerprint, bytes, fix, count, firstSeen, knownLeak, rate, subject, site } =
    finding;
  const what = subject ?? formatByteSize(bytes);
  const place = site === undefined ? '' : `, made at ${site}`;
  return {
    id,
    kind,
    severity,
    fingerprint,
    bytes,
    count,
    firstSeen,
    rate: rate ?? null,
    message: `${kind} of ${what}${place}${knownLeak === undefined ? '' : ` (${knownLeak.name})`}`,
    trace: pathLine(finding),
    ...(site !== undefined && { site }),
    fix,
  };
}

/** The retaining path in one line, root first. */
function pathLine({ trace }: Finding): string | null {
  if (trace === undefined) return null;
  return trace.map((step) => (step.via === '' ? step.name : `${step.via}: ${step.name}`)).join(' > ');
}
