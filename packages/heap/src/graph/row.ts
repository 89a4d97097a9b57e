import type { Input } from './input.ts';

/** Outcome of looking for a row in the window. */
export const row = {
  /** A row and the comma after it. */
  taken: 0,
  /** The window ends before the row does. */
  needMore: 1,
  /** A row and the bracket that ends the section. */
  last: 2,
  /** The bracket of an empty section. */
  empty: 3,
} as const;

/**
 * The reference reader of one row of a section of numbers: any JSON white space, any field count, every byte checked.
 * Takes the row from the window only when it is complete.
 */
export class RowReader {
  readonly values: Float64Array;
  /** Position of each value of the last row inside the window, for error messages. */
  readonly at: Uint32Array;
  /** True when a line feed stood before the comma that ended the last row, as older V8 writes it. */
  lineFeed = false;
  readonly #fields: number;
  readonly #section: string;
  readonly #negative: boolean;

  constructor(fields: number, section: string, options: { negative?: boolean } = {}) {
    this.#fields = fields;
    this.#section = section;
    this.#negative = options.negative ?? false;
    this.values = new Float64Array(fields);
    this.at = new Uint32Array(fields);
  }

  take(input: Input, first: boolean): number {
    const { bytes, end } = input;
    let p = skipSpace(bytes, input.start, end);
    if (first && p < end && bytes[p] === 93) {
      input.start = p + 1;
      return row.empty;
    }
    for (let f = 0; f < this.#fields; f++) {
      p = this.#number(input, p, f);
      if (p < 0) return row.needMore;
      p = skipSpace(bytes, p, end);
      if (p === end) return row.needMore;
      const c = bytes[p];
      if (c === 93 && f === this.#fields - 1) {
        input.start = p + 1;
        return row.last;
      }
      if (c !== 44) throw input.unexpected(p, `a comma of section "${this.#section}"`);
      this.lineFeed = bytes[p - 1] === 10;
      p = skipSpace(bytes, p + 1, end);
    }
    input.start = p;
    return row.taken;
  }

  /** Reads one number that is followed by another byte; -1 when the window ends first. */
  #number(input: Input, from: number, field: number): number {
    const { bytes, end } = input;
    let p = from;
    const minus = this.#negative && p < end && bytes[p] === 45;
    if (minus) p++;
    const digits = p;
    let value = 0;
    while (p < end) {
      const digit = (bytes[p] as number) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      p++;
    }
    if (p === end && p - digits < maxDigits) return -1;
    if (p === digits || value > Number.MAX_SAFE_INTEGER) {
      throw input.unexpected(from, `a number of section "${this.#section}"`);
    }
    this.at[field] = from;
    this.values[field] = minus ? -value : value;
    return p;
  }
}

/** A run of digits that is longer is refused without waiting for its end. */
const maxDigits = 400;

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let p = from;
  while (p < end) {
    const c = bytes[p] as number;
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break;
    p++;
  }
  return p;
}
