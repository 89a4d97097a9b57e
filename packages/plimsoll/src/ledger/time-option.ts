import { parseDuration } from '@plimsoll/core/units';
import { failure } from '@plimsoll/core/internal/errors';

/** Milliseconds since the epoch of "24h" (that long before `now`) or of a time such as "2026-07-01T10:00:00Z". */
export function timeOption(option: string, value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const ago = parseDuration(value);
  if (ago !== undefined) return now - ago;
  const at = /^\d{4}-/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isFinite(at)) return at;
  throw failure('PLM_CLI_BAD_OPTION', {
    option,
    value,
    accepted: 'a duration such as "24h" or a time such as "2026-07-01T10:00:00Z"',
  });
}

/** A time in texts: "2026-07-01 10:42:07Z". */
export const dateText = (at: number): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')}Z`;

/** Only the clock of a time: "10:42:07". */
export const clockText = (at: number): string => new Date(at).toISOString().slice(11, 19);
