import type { Input } from './input.ts';

/** Every how many strings an offset is kept; the ones between are found by walking. */
export const stringStride = 16;

const between = 0;
const inside = 1;
const escaped = 2;
const needString = 3;

/** The reference reader of section "strings": finds where strings begin, decodes nothing. */
export class StringScan {
  /** Absolute offset of the opening quote of every 16th string. */
  readonly offsets: number[] = [];
  count = 0;
  /** Strings that begin with digits and a space, as the names of WeakMap pairs do. */
  readonly numberedNames: number[] = [];
  #state = between;
  /** How many characters of the current string were digits so far; -1 once another one came. */
  #digits = -1;

  /** Takes the window; true when the section is finished. */
  take(input: Input): boolean {
    const { bytes, end } = input;
    let p = input.start;
    let state = this.#state;
    while (p < end) {
      const c = bytes[p] as number;
      if (state === inside) {
        if (this.#digits >= 0) this.#lead(c);
        if (c === 34) state = between;
        else if (c === 92) state = escaped;
        else if (c < 32) throw input.unexpected(p, 'a character of a string without control codes');
      } else if (state === escaped) {
        state = inside;
      } else if (c === 34 && (state === needString || this.count === 0)) {
        if (this.count % stringStride === 0) this.offsets.push(input.offset(p));
        this.count++;
        this.#digits = 0;
        state = inside;
      } else if (c === 44 && state === between && this.count > 0) {
        state = needString;
      } else if (c === 93 && state === between) {
        input.start = p + 1;
        this.#state = state;
        return true;
      } else if (c !== 32 && c !== 10 && c !== 13 && c !== 9) {
        throw input.unexpected(p, 'a string or the end of section "strings"');
      }
      p++;
    }
    input.start = p;
    this.#state = state;
    return false;
  }

  #lead(c: number): void {
    if (c >= 48 && c <= 57) {
      this.#digits++;
      return;
    }
    if (c === 32 && this.#digits > 0) this.numberedNames.push(this.count - 1);
    this.#digits = -1;
  }
}
