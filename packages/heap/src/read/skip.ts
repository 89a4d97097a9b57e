import type { Input } from './input.ts';

/** Skips one JSON value of any kind without keeping it; brackets and strings are matched, numbers are not checked. */
export class ValueSkipper {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #begun = false;

  /** Takes the window; true when the value is finished. */
  take(input: Input): boolean {
    const { bytes, end } = input;
    for (let p = input.start; p < end; p++) {
      const c = bytes[p] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (c === 92) this.#escaped = true;
        else if (c === 34) {
          this.#inString = false;
          if (this.#depth === 0) return done(input, p + 1);
        }
      } else if (c === 34) {
        this.#begun = true;
        this.#inString = true;
      } else if (c === 91 || c === 123) {
        this.#begun = true;
        this.#depth++;
      } else if (c === 93 || c === 125) {
        if (this.#depth === 0) return this.#scalarEnd(input, p);
        if (--this.#depth === 0) return done(input, p + 1);
      } else if (this.#depth === 0) {
        if (c === 44) return this.#scalarEnd(input, p);
        if (c > 32) this.#begun = true;
      }
    }
    input.start = end;
    return false;
  }

  #scalarEnd(input: Input, p: number): boolean {
    if (!this.#begun) throw input.unexpected(p, 'a JSON value');
    return done(input, p);
  }
}

function done(input: Input, p: number): true {
  input.start = p;
  return true;
}
