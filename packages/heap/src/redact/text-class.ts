import type { TextClass } from './placeholder.ts';

const digit = 1;
const hex = 2;
const word = 4;
const space = 8;
/** Characters by which an address is known. */
const colon = 16;
const atSign = 64;
/** An escape, a control character or a part of a character that is no ASCII: the text has to be decoded first. */
const coded = 32;

const kinds = new Uint8Array(256).fill(coded, 0, 32).fill(coded, 127);
for (const [characters, kind] of [
  ['0123456789', digit | hex | word],
  ['abcdefABCDEF', hex | word],
  ['ghijklmnopqrstuvwxyzGHIJKLMNOPQRSTUVWXYZ_$#-', word],
  [' ', space],
  [':', colon],
  ['@', atSign],
  ['\\', coded],
] as const)
  for (const character of characters) kinds[character.charCodeAt(0)] = kind;

/** A prefix may be this long where a text is a name with a number at its end. */
const longestPrefix = 61;

/**
 * What `textClassOf` says of a string of the file, by its bytes between the quotes, from `start` to `end`: most strings of a heap need no decoding for that.
 * Undefined where only the text can tell.
 */
export function plainClassOf(bytes: Uint8Array, start = 0, end = bytes.length): TextClass | undefined {
  const length = end - start;
  let any = 0;
  let all = digit | hex | word;
  for (let i = start; i < end; i++) {
    const kind = kinds[bytes[i] as number] as number;
    any |= kind;
    all &= kind;
  }
  const first = bytes[start] as number;
  const isNumbered = (kinds[first] as number) & digit;
  // A placeholder, or a date.
  if (any & coded || length === 0 || first === 60 || (isNumbered && bytes[start + 4] === 45))
    return undefined;
  if (any & space) return isList(bytes[firstWord(bytes, start)]) ? 'json' : 'text';
  if (all & digit) return isTime(bytes, start, length) ? 'timestamp' : 'integer';
  // A UUID, an address or a path.
  if (
    bytes[start + 8] === 45 ||
    any & atSign ||
    (any & colon && hasScheme(bytes, start, end)) ||
    first === 46 ||
    first === 47
  )
    return undefined;
  if (all & hex && length >= 12) return 'hex';
  if (!isNumbered && startOfNumber(bytes, start, end) - start <= Math.min(longestPrefix, length - 1))
    return 'serial';
  if (isList(first)) return 'json';
  return all & word ? 'word' : 'text';
}

/** True for a text with `://` in it. */
function hasScheme(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + 2 < end; at++)
    if (bytes[at] === 58 && bytes[at + 1] === 47 && bytes[at + 2] === 47) return true;
  return false;
}

function firstWord(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] === 32) at++;
  return at;
}

/** True for the bracket with which a list or an object begins. */
function isList(byte: number | undefined): boolean {
  return byte === 91 || byte === 123;
}

/** Seconds or milliseconds since 1970, from 2014 on. */
function isTime(bytes: Uint8Array, start: number, length: number): boolean {
  const first = bytes[start] as number;
  const second = bytes[start + 1] as number;
  return (length === 10 || length === 13) && (first === 50 || (first === 49 && second >= 52));
}

/** Where the digits at the end begin; the end when there are none. */
function startOfNumber(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at > start && (kinds[bytes[at - 1] as number] as number) & digit) at--;
  return at;
}
