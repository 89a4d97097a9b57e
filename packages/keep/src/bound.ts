import { failure } from '@plimsoll/core/internal/errors';
import { parseByteSize, parseDuration } from '@plimsoll/core/units';

const acceptedBytes = 'bytes above 0 or a size such as "64MiB"';
const acceptedMs = 'milliseconds above 0 or a duration such as "5m"';

/** Bytes of an option; the option's error when they cannot be meant. */
export function bytesOption(
  keeper: string,
  option: string,
  value: number | string | undefined,
): number | undefined {
  return read(keeper, option, value, parseByteSize, acceptedBytes);
}

/** Milliseconds of an option. */
export function msOption(
  keeper: string,
  option: string,
  value: number | string | undefined,
): number | undefined {
  return read(keeper, option, value, parseDuration, acceptedMs);
}

/** A whole number of an option, not below `least`. */
export function countOption(
  keeper: string,
  option: string,
  value: number | undefined,
  least = 1,
): number | undefined {
  if (value === undefined) return undefined;
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw badOption(keeper, option, value, `a whole number of ${least} or more`);
}

export function badOption(keeper: string, option: string, value: unknown, accepted: string): Error {
  const shown = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return failure('PLM_KEEP_BAD_OPTION', { keeper, option, value: shown, accepted });
}

function read(
  keeper: string,
  option: string,
  value: number | string | undefined,
  parse: (text: string) => number | undefined,
  accepted: string,
): number | undefined {
  if (value === undefined) return undefined;
  const amount = typeof value === 'string' ? parse(value) : value;
  if (typeof amount === 'number' && amount > 0 && amount <= Number.MAX_SAFE_INTEGER) return amount;
  throw badOption(keeper, option, value, accepted);
}
