import v8 from 'node:v8';
import { rules } from './rules.ts';

const twoByte = /[\u0100-\uffff]/;

/** True when V8 stores the string with one byte per character; exact from Node 22.15 on, before that by looking at the characters. */
export const isOneByte: (text: string) => boolean =
  (v8 as { isStringOneByteRepresentation?: (text: string) => boolean }).isStringOneByteRepresentation ??
  ((text) => !twoByte.test(text));

/** Longest string that JSON.parse internalises, so that equal ones share one copy. */
const internedLength = 10;

/** Bytes of a flat string of its own; V8 keeps the empty string and one-byte single characters in a table. */
export function stringBytes(text: string): number {
  const length = text.length;
  if (length < 2) return 0;
  return (rules.stringHeader + (isOneByte(text) ? length : length + length) + 7) & ~7;
}

/**
 * True for short words such as "user" or "text": field values of this kind are literals or were internalised by JSON.parse, so that many
 * objects share one copy. A digit marks an id, which is unique and counted.
 */
export function isSharedWord(text: string): boolean {
  const length = text.length;
  if (length > internedLength) return false;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code >= 48 && code <= 57) return false;
  }
  return true;
}
