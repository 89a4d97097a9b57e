import { isSerious, type Finding } from '@plimsoll/leak/internal/findings/finding';
import type { IncidentFacts } from './incident-book.ts';

/** Whether something goes wrong: a raised level, work that is refused, or a finding that people should see. */
export function hasSign({
  level,
  findings,
  admission,
}: Pick<IncidentFacts, 'level' | 'findings' | 'admission'>): boolean {
  return level !== 'normal' || admission.state !== 'open' || findings.some(isGrave);
}

/** Of severity medium or above, and not taken back. */
export function isGrave({ severity, endedAt }: Pick<Finding, 'severity' | 'endedAt'>): boolean {
  return endedAt === undefined && isSerious(severity);
}
