import { setBit } from '../kernel/typescript/rows.ts';
import type { StringTable } from './string-table.ts';

/** Strings that mean something to the analysis, by index; 0xffffffff where the snapshot has no such string. */
export interface KnownNames {
  readonly object: number;
  /** The string without characters. */
  readonly empty: number;
  readonly externalStringData: number;
  readonly documentTrees: number;
  /** What V8 calls the scope of a function. */
  readonly context: number;
  /** Table id by string index of the name of a WeakMap pair. */
  readonly pairs: ReadonlyMap<number, number>;
}

const absent = 0xffff_ffff;
const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const objectText = ascii('Object');
const externalText = ascii('system / ExternalStringData');
const documentText = ascii('(Document DOM trees)');
const contextText = ascii('system / Context');
const pairHead = ascii(' / part of key ');
const pairTail = ascii(' pair in WeakMap ');
const tableText = ascii('table @');

/** Looks at the strings that the scan noted, while they are in the window. */
export class NameFinder {
  #object = absent;
  #empty = absent;
  #external = absent;
  #document = absent;
  #context = absent;
  readonly #pairs = new Map<number, number>();
  /** Strings that the window did not hold to their end. */
  readonly #later: number[] = [];

  /** `p` is where the content of string `index` begins. */
  look(index: number, bytes: Uint8Array, p: number, end: number): void {
    const close = closingQuote(bytes, p, end);
    if (close < 0) this.#later.push(index);
    else this.#judge(index, bytes, p, close);
  }

  finish(strings: StringTable): KnownNames {
    for (const index of this.#later) {
      const text = Buffer.from(strings.get(index), 'utf8');
      this.#judge(index, text, 0, text.length);
    }
    return {
      object: this.#object,
      empty: this.#empty,
      externalStringData: this.#external,
      documentTrees: this.#document,
      context: this.#context,
      pairs: this.#pairs,
    };
  }

  #judge(index: number, bytes: Uint8Array, p: number, end: number): void {
    const is = (text: Uint8Array): boolean => end - p === text.length && matches(bytes, p, text);
    if (p === end) this.#empty = Math.min(this.#empty, index);
    else if (is(objectText)) this.#object = Math.min(this.#object, index);
    else if (is(externalText)) this.#external = Math.min(this.#external, index);
    else if (is(documentText)) this.#document = Math.min(this.#document, index);
    else if (is(contextText)) this.#context = Math.min(this.#context, index);
    else {
      const table = pairTable(bytes, p, end);
      if (table >= 0) this.#pairs.set(index, table);
    }
  }
}

/**
 * The id of the table when a string is the name V8 gives to both edges of a WeakMap pair, one from the key and one from
 * the table: `7 / part of key (K @1) -> value (V @3) pair in WeakMap (table @5)`, in older V8 without parentheses.
 * A pair lives only while both live, so one edge is enough for dominators; as in Chrome DevTools the key's is kept.
 */
function pairTable(bytes: Uint8Array, p: number, end: number): number {
  let head = p;
  while (head < end && isDigit(bytes[head] as number)) head++;
  if (head === p || !matches(bytes, head, pairHead)) return -1;
  let tail = bytes[end - 1] === 41 ? end - 1 : end;
  let id = 0;
  let scale = 1;
  while (tail > head && isDigit(bytes[tail - 1] as number)) {
    id += ((bytes[--tail] as number) - 48) * scale;
    scale *= 10;
  }
  tail -= tableText.length;
  if (scale === 1 || !matches(bytes, tail, tableText)) return -1;
  if (bytes[tail - 1] === 40) tail--;
  tail -= pairTail.length;
  return tail > head && matches(bytes, tail, pairTail) ? id : -1;
}

function isDigit(c: number): boolean {
  return c >= 48 && c <= 57;
}

function matches(bytes: Uint8Array, p: number, text: Uint8Array): boolean {
  for (let k = 0; k < text.length; k++) if (bytes[p + k] !== text[k]) return false;
  return true;
}

function closingQuote(bytes: Uint8Array, from: number, end: number): number {
  for (let p = from; p < end; p++) {
    const c = bytes[p] as number;
    if (c === 34) return p;
    if (c === 92) p++;
  }
  return -1;
}

/** 65536 bits: the low 16 bits of the ids of all tables of WeakMap pairs. */
export function watchBits(names: KnownNames, bits: Uint8Array): void {
  for (const table of names.pairs.values()) setBit(bits, table & 0xffff);
}

/** One bit per string: set for names of WeakMap pairs. */
export function pairBits(names: KnownNames, bits: Uint8Array): void {
  for (const index of names.pairs.keys()) setBit(bits, index);
}
