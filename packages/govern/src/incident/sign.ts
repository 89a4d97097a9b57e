import { isSerious, type Finding } from '@plimsoll/leak/internal/findings/finding';
import type { IncidentFacts } from './incident-book.ts';

/** Whether there is a sign of trouble: a raised level, refused work, or a grave finding. */
export function hasSign({
  level,
  findings,
  admission,
}: Pick<IncidentFacts, 'level' | 'findings' | 'admission'>): boolean {
  return level !== 'normal' || admission.state !== 'open' || findings.some(isGrave);
}

/** True for findings of severity medium or above that were not withdrawn. */
export function isGrave({ severity, endedAt }: Pick<Finding, 'severity' | 'endedAt'>): boolean {
  return endedAt === undefined && isSerious(severity);
}
