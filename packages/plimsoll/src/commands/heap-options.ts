import type { Severity } from '@plimsoll/heap';

/** The severity of `--fail-on`. */
export async function severityOption(value: string): Promise<Severity> {
  const { severities } = await import('@plimsoll/host/protocol/text');
  if ((severities as readonly string[]).includes(value)) return value as Severity;
  throw await badOption('--fail-on', value, `one of ${severities.join(', ')}`);
}

/** A whole number of at least 1. */
export async function countOption(option: string, value: string): Promise<number> {
  const count = Number(value);
  if (Number.isSafeInteger(count) && count >= 1) return count;
  throw await badOption(option, value, 'a whole number of 1 or more');
}

/** The error for a bad value of an option. It loads the catalogue of errors on demand, because a command that succeeds does not need it. */
export async function badOption(option: string, value: string, accepted: string): Promise<Error> {
  const { failure } = await import('@plimsoll/core/internal/errors');
  return failure('PLM_CLI_BAD_OPTION', { option, value, accepted });
}
