import { failure } from '@plimsoll/core/internal/errors';
import type { Severity } from '@plimsoll/heap';
import { severities } from '@plimsoll/host/protocol/text';

/** The bar of `--fail-on`. */
export function severityOption(value: string): Severity {
  if ((severities as readonly string[]).includes(value)) return value as Severity;
  throw failure('PLM_CLI_BAD_OPTION', {
    option: '--fail-on',
    value,
    accepted: `one of ${severities.join(', ')}`,
  });
}

/** A whole number of at least 1. */
export function countOption(option: string, value: string): number {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw failure('PLM_CLI_BAD_OPTION', { option, value, accepted: 'a whole number of 1 or more' });
}
