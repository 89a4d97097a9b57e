import { formatByteSize, parseByteSize } from '@plimsoll/core/units';
import { formatDuration, parseDuration } from '@plimsoll/core/units';
import type { Amount } from './amount.ts';
import type { Leaf } from './shape.ts';

const sizePattern = String.raw`^\s*(?!0+(\.0+)?\s*[A-Z])\d+(\.\d+)?\s*(B|KB|MB|GB|TB|KiB|MiB|GiB|TiB)\s*$`;
const durationPattern = String.raw`^\s*\d+(\.\d+)?\s*(ms|s|m|h|d|y)\s*$`;
const percentPattern = String.raw`^\s*(?!0+(\.0+)?\s*%)0*(\d{1,2}(\.\d+)?|100(\.0+)?)\s*%\s*$`;
const bounds = 'The loader also checks the bounds that the description names.';

/** Ratio of "60%"; undefined when the text is no percentage. */
export function parsePercent(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim());
  return match === null ? undefined : Number(match[1]) / 100;
}

/** "60 %", "62.5 %". */
export function formatPercent(ratio: number): string {
  return `${Math.round(ratio * 1000) / 10} %`;
}

const textOnly =
  <T>(parse: (text: string) => T | undefined): Leaf<T>['read'] =>
  (value) =>
    typeof value === 'string' ? parse(value) : undefined;

/** A leaf that is written as a text with a unit. */
function quantity<T>(
  unit: NonNullable<Leaf<T>['unit']>,
  pattern: string,
  accepted: string,
  example: string,
  parse: (text: string) => T | undefined,
): Leaf<T> {
  const json = { type: 'string', pattern, description: `${accepted}. ${bounds}` } as const;
  return { kind: 'leaf', accepted, example, unit, read: textOnly(parse), json };
}

export function size(example: string, atLeastBytes = 1): Leaf<number> {
  const from = atLeastBytes > 1 ? ` of at least ${formatByteSize(atLeastBytes)}` : '';
  return quantity('size', sizePattern, `a size with a unit${from}, such as ${example}`, example, (text) => {
    const bytes = parseByteSize(text);
    return bytes === undefined || bytes < atLeastBytes ? undefined : bytes;
  });
}

export function duration(example: string, atLeastMs: number, atMostMs: number): Leaf<number> {
  const accepted = `a duration from ${formatDuration(atLeastMs)} to ${formatDuration(atMostMs)} with a unit, such as ${example}`;
  return quantity('duration', durationPattern, accepted, example, (text) => {
    const ms = parseDuration(text);
    return ms === undefined || ms < atLeastMs || ms > atMostMs ? undefined : ms;
  });
}

export function percent(example: string): Leaf<number> {
  const accepted = `a percentage above 0 and up to 100, such as ${example}`;
  return quantity('percent', percentPattern, accepted, example, share);
}

/** A size, or a percentage of the true limit. */
export function amount(example: string): Leaf<Amount> {
  const accepted = `a size with a unit or a percentage of the true limit, such as ${example} or 25%`;
  return quantity('size', `${sizePattern}|${percentPattern}`, accepted, example, (text) => {
    const ratio = share(text);
    if (ratio !== undefined) return { ratio };
    const bytes = parseByteSize(text);
    return bytes === undefined || bytes < 1 ? undefined : { bytes };
  });
}

function share(text: string): number | undefined {
  const ratio = parsePercent(text);
  return ratio === undefined || ratio <= 0 || ratio > 1 ? undefined : ratio;
}

export function word<W extends string>(noun: string, words: readonly W[]): Leaf<W> {
  return {
    kind: 'leaf',
    accepted: `${noun}: ${words.join(', ')}`,
    example: words[0] as string,
    words,
    read: (value) => words.find((known) => known === value),
    json: { type: 'string', enum: [...words] },
  };
}

/** One of some words, or a size. */
export function sizeOr<W extends string>(words: readonly W[], example: string): Leaf<W | number> {
  const accepted = `${words.join(', ')} or a size with a unit, such as ${example}`;
  const { read } = size(example);
  return {
    kind: 'leaf',
    accepted,
    example,
    unit: 'size',
    read: (value) => words.find((known) => known === value) ?? read(value),
    json: { type: 'string', pattern: `${sizePattern}|^(${words.join('|')})$`, description: accepted },
  };
}

/** A whole number that counts something, so it has no unit. */
export function count(noun: string, example: string): Leaf<number> {
  return {
    kind: 'leaf',
    accepted: noun,
    example,
    read: (value) => (Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined),
    json: { type: 'integer', minimum: 0 },
  };
}

/** A whole number between bounds. */
export function whole(noun: string, example: string, least: number, most: number): Leaf<number> {
  return {
    kind: 'leaf',
    accepted: `${noun} from ${least} to ${most}, such as ${example}`,
    example,
    read: (value) =>
      Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
        ? (value as number)
        : undefined,
    json: { type: 'integer', minimum: least, maximum: most },
  };
}

/** "service:billing": a scope kind and a glob for its name. */
export function selector(example: string): Leaf<{ readonly kind: string; readonly name: string }> {
  return {
    kind: 'leaf',
    accepted: `a scope kind and a name or glob, such as ${example}`,
    example,
    read: textOnly((text) => {
      const match = /^([^:/*?\s]+):([^/]+)$/.exec(text);
      return match === null ? undefined : { kind: match[1] as string, name: match[2] as string };
    }),
    json: { type: 'string', pattern: String.raw`^[^:/*?\s]+:[^/]+$` },
  };
}
