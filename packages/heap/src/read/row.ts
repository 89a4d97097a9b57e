import type { Input } from './input.ts';

/** Outcome of looking for a row in the window. */
export const row = { taken: 0, needMore: 1, sectionEnd: 2 } as const;

const maxExact = Number.MAX_SAFE_INTEGER;

/**
 * The reference reader of one row of a section of numbers: any JSON white space, any field count, every byte checked.
 * Takes the row (and the comma before it) from the window only when it is complete.
 */
export class RowReader {
  readonly values: Float64Array;
  /** Position of each value of the last row inside the window, for error messages. */
  readonly at: Uint32Array;
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
    if (p === end) return row.needMore;
    if (bytes[p] === 93) {
      input.start = p + 1;
      return row.sectionEnd;
    }
    for (let f = 0; f < this.#fields; f++) {
      if (f > 0 || !first) {
        p = skipSpace(bytes, p, end);
        if (p === end) return row.needMore;
        if (bytes[p] !== 44) throw input.unexpected(p, `a comma of section "${this.#section}"`);
        p++;
      }
      p = this.#number(input, skipSpace(bytes, p, end), f);
      if (p < 0) return row.needMore;
    }
    input.start = p;
    return row.taken;
  }

  /** Reads one number that is followed by another byte; -1 when the window ends first. */
  #number(input: Input, from: number, field: number): number {
    const { bytes, end } = input;
    let p = from;
    const minus = this.#negative && bytes[p] === 45 && p < end;
    if (minus) p++;
    const digits = p;
    let value = 0;
    while (p < end) {
      const digit = (bytes[p] as number) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      p++;
    }
    if (p === end) return -1;
    if (p === digits || value > maxExact) {
      throw input.unexpected(from, `a number of section "${this.#section}"`);
    }
    this.at[field] = from;
    this.values[field] = minus ? -value : value;
    return p;
  }
}

export function skipSpace(bytes: Uint8Array, from: number, end: number): number {
  let p = from;
  while (p < end) {
    const c = bytes[p] as number;
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) break;
    p++;
  }
  return p;
}
