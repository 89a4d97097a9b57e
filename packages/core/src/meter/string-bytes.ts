import v8 from 'node:v8';
import { joinedString, stringHeader } from './rules.ts';

const twoByte = /[\u0100-\uffff]/;

/** True when V8 stores the string with one byte per character; exact from Node 22.15 on, before that by looking at the characters. */
export const isOneByte: (text: string) => boolean =
  (v8 as { isStringOneByteRepresentation?: (text: string) => boolean }).isStringOneByteRepresentation ??
  ((text) => !twoByte.test(text));

/** Longest string that JSON.parse internalises, so that equal ones share one copy. */
export const internedLength = 10;

/** Length below which a string is judged by its first character. */
export const judgedByFirst = 32;

/**
 * Bytes of a flat string of its own; V8 keeps the empty string and single characters in a table. Short strings are judged by their first
 * character, which is faster than asking and wrong by a few bytes at most.
 */
export function stringBytes(text: string): number {
  const length = text.length;
  if (length < 2) return 0;
  const narrow = text.charCodeAt(0) < 256 && (length < judgedByFirst || isOneByte(text));
  const bytes = (stringHeader + (narrow ? length : length + length) + 7) & ~7;
  return isUuid(text) ? bytes + joinedString : bytes;
}

/** Characters of an UUID. */
export const uuidLength = 36;
const dash = 45;

/** `crypto.randomUUID` joins its result from pieces, and the joint stays beside the characters. */
export function isUuid(text: string): boolean {
  if (text.length !== uuidLength) return false;
  return text.charCodeAt(8) === dash && text.charCodeAt(13) === dash && text.charCodeAt(23) === dash;
}

/** Longer strings were mostly received or parsed; paths and keys that a program puts together are short. */
const mostJoined = 64;

/**
 * True for a string that a program put together from pieces, by its look: `/products/SKU-17` or `user 4: done`. It has a digit and, before
 * it, a sign or a space. Times and plain hexadecimal ids are made in one piece.
 */
export function looksJoined(text: string): boolean {
  const { length } = text;
  if (length > mostJoined || length === uuidLength) return false;
  if (text.charCodeAt(4) === dash && text.charCodeAt(7) === dash) return false;
  let hasSign = false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    const isDigit = code >= 48 && code <= 57;
    if (isDigit && hasSign) return true;
    const isLetter = (code | 32) >= 97 && (code | 32) <= 122;
    if (!isDigit && !isLetter) hasSign = true;
  }
  return false;
}

/** True for a name that was made for one thing, such as an UUID or `session-48213`: it has four digits or more. */
export function isIdLike(name: string): boolean {
  const { length } = name;
  if (length < 5) return false;
  const last = name.charCodeAt(length - 1);
  // Most ids end with a digit or are hexadecimal; the usual name of a field ends with another letter and needs no closer look.
  if (!(last >= 48 && last <= 57) && length < 20) return false;
  let digits = 0;
  for (let i = 0; i < length; i++) {
    const code = name.charCodeAt(i);
    if (code >= 48 && code <= 57 && ++digits === 4) return true;
  }
  return false;
}

/**
 * True for short words such as "user" or "text": field values of this kind are literals or were internalised by JSON.parse, so that many
 * objects share one copy. A digit at the end marks an id, which is unique and counted, and so is a piece of text with a space in it.
 */
export function isSharedWord(text: string): boolean {
  if (text.length > internedLength) return false;
  const last = text.charCodeAt(text.length - 1);
  return (last < 48 || last > 57) && !text.includes(' ');
}

/** Makes V8 store the string in one piece: text built with `+=` is a tree of its pieces until something looks at its characters. */
export function flatten(text: string): string {
  // Optimised code leaves out a read whose result is not used.
  sink = (sink + text.charCodeAt(0)) | 0;
  return text;
}

let sink = 0;

/** A copy of the string that does not keep a longer one alive: a slice of 13 characters or more points into its parent. */
export function unslice(text: string): string {
  return text.length < 13 ? text : flatten(` ${text}`).slice(1);
}
