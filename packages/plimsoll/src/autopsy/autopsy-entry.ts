import type { AuditEntry } from '@plimsoll/ledger';
import { fewReadings } from './autopsy.ts';
import type { Autopsy } from './autopsy.ts';

/** Most readings of the last minute in an entry. */
const mostReadings = 20;

/** An autopsy as an entry of the kind `autopsy`, which goes to the fleet with the rest of the audit. `at` is the last sign of life. */
export function autopsyBody(autopsy: Autopsy): NonNullable<AuditEntry['body']> {
  const { lastMinute, endedAt } = autopsy;
  const body = { ...autopsy, lastMinute: fewReadings(lastMinute, mostReadings), at: endedAt ?? Date.now() };
  return JSON.parse(JSON.stringify(body)) as NonNullable<AuditEntry['body']>;
}

/** The autopsy in such an entry; undefined when this version cannot show it. */
export function autopsyIn(body: Readonly<Record<string, unknown>>): Autopsy | undefined {
  const { cause, lastMinute, grew, stack, running } = body as Partial<Autopsy>;
  const isOne =
    typeof cause?.name === 'string' &&
    Array.isArray(cause.evidence) &&
    [lastMinute, grew, stack, running].every(Array.isArray);
  return isOne ? (body as unknown as Autopsy) : undefined;
}
