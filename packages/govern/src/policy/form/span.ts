import { formatDuration, parseDuration } from '@plimsoll/core/units';
import { parsePercent, whole } from './quantity.ts';
import type { Leaf } from './shape.ts';

/** From one value to another, both included. */
export interface Span {
  readonly min: number;
  readonly max: number;
}

/** At most `count` in any period of `perMs`. */
export interface Rate {
  readonly count: number;
  readonly perMs: number;
}

const percentForm = String.raw`\d+(\.\d+)?\s*%`;
const durationForm = String.raw`\d+(\.\d+)?\s*(ms|s|m|h|d|y)`;
const bounds =
  'The loader also checks that the first is below the second and the bounds that the description names.';

/** "80%..95%". */
export function percentSpan(example: string): Leaf<Span> {
  const accepted = `two percentages up to 100 with ".." between them, the smaller first, such as ${example}`;
  return {
    kind: 'leaf',
    accepted,
    example,
    read: (value) => {
      const span = spanOf(value, parsePercent);
      return span !== undefined && span.max <= 1 ? span : undefined;
    },
    json: {
      type: 'string',
      pattern: String.raw`^\s*${percentForm}\s*\.\.\s*${percentForm}\s*$`,
      description: `${accepted}. ${bounds}`,
    },
  };
}

/** "5s..20s". */
export function durationSpan(example: string, atMostMs: number): Leaf<Span> {
  const accepted = `two durations up to ${formatDuration(atMostMs)} with ".." between them, the smaller first, such as ${example}`;
  return {
    kind: 'leaf',
    accepted,
    example,
    read: (value) => {
      const span = spanOf(value, parseDuration);
      return span !== undefined && span.max <= atMostMs ? span : undefined;
    },
    json: {
      type: 'string',
      pattern: String.raw`^\s*${durationForm}\s*\.\.\s*${durationForm}\s*$`,
      description: `${accepted}. ${bounds}`,
    },
  };
}

const periods: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const mostPerPeriod = 1000;

/** "10/m": a number per second, minute, hour or day. */
export function rate(example: string): Leaf<Rate> {
  const accepted = `a number from 1 to ${mostPerPeriod} per s, m, h or d, such as ${example}`;
  return {
    kind: 'leaf',
    accepted,
    example,
    read: (value) => {
      const match = typeof value === 'string' ? /^\s*(\d{1,4})\s*\/\s*([smhd])\s*$/.exec(value) : null;
      const count = Number(match?.[1] ?? 0);
      if (match === null || count < 1 || count > mostPerPeriod) return undefined;
      return { count, perMs: periods[match[2] as string] as number };
    },
    json: {
      type: 'string',
      pattern: String.raw`^\s*0*(?!0+\s*\/)(\d{1,3}|1000)\s*\/\s*[smhd]\s*$`,
      description: `${accepted}.`,
    },
  };
}

/** "10/m" of a rate, as people read it. */
export function formatRate({ count, perMs }: Rate): string {
  const unit = Object.keys(periods).find((name) => periods[name] === perMs);
  return unit === undefined ? `${count} per ${formatDuration(perMs)}` : `${count}/${unit}`;
}

/** A number from 1 up, with a bound, that counts something. */
export function countUpTo(noun: string, example: string, atMost: number): Leaf<number> {
  return whole(`${noun}, a whole number`, example, 1, atMost);
}

/** A name that the author of a policy or a program chose. */
export function name(noun: string, example: string): Leaf<string> {
  return {
    kind: 'leaf',
    accepted: `${noun}, a name of letters, digits, "-", "_", "." and ":", such as ${example}`,
    example,
    read: (value) => (typeof value === 'string' && /^[\w.:-]{1,64}$/.test(value) ? value : undefined),
    json: { type: 'string', pattern: String.raw`^[\w.:-]{1,64}$` },
  };
}

function spanOf(value: unknown, parse: (text: string) => number | undefined): Span | undefined {
  const parts = typeof value === 'string' ? value.split('..') : [];
  if (parts.length !== 2) return undefined;
  const min = parse(parts[0] as string);
  const max = parse(parts[1] as string);
  return min === undefined || max === undefined || min >= max ? undefined : { min, max };
}
