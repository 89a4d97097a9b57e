import { failure } from '../errors.ts';
import { describe, type Input } from './input.ts';
import { skipSpace } from './row.ts';

/** One section reader: takes what the window has, true when its section is finished. */
interface SectionReader {
  take(input: Input): boolean;
}

const maxHeaderBytes = 1 << 20;
const maxKeyBytes = 1024;

/** The outer JSON object of a snapshot: its header, the names of its sections, and how to get past them. */
export class Sections {
  readonly input: Input;

  constructor(input: Input) {
    this.input = input;
  }

  /** Takes `{"snapshot":` or says what the input is instead. */
  async begin(): Promise<void> {
    const { input } = this;
    if (!(await input.more())) throw failure('PLM_HEAP_EMPTY', input.place());
    while (input.end < 64 && (await input.more()));
    const text = Buffer.from(input.bytes.subarray(0, Math.min(64, input.end))).toString('latin1');
    const found = /^\s*\{\s*"snapshot"\s*:/u.exec(text);
    if (found === null) {
      if (input.exhausted && '{"snapshot":'.startsWith(text.replaceAll(/\s/gu, '')))
        throw input.ended('the header');
      const place = input.place();
      throw failure('PLM_HEAP_NOT_A_SNAPSHOT', { ...place, found: describe(input.bytes, 0, input.end) });
    }
    input.start = found[0].length;
  }

  /** Takes the value of "snapshot" as text. */
  async headerText(): Promise<string> {
    const { input } = this;
    for (;;) {
      const from = input.start;
      if (new ValueSkipper().take(input)) {
        return Buffer.from(input.bytes.subarray(from, input.start)).toString('utf8');
      }
      input.start = from;
      if (input.end - from > maxHeaderBytes) throw input.ended('the header');
      if (!(await input.more())) {
        if (input.exhausted) throw input.ended('the header');
        input.moveTo(new Uint8Array(input.bytes.length * 2));
      }
    }
  }

  /** The name of the next section, or null at the end of the snapshot. */
  async next(): Promise<string | null> {
    const { input } = this;
    const separator = await this.#token('"," or "}" after a section');
    if (separator === 125) {
      await this.nothingMore();
      return null;
    }
    if (separator !== 44) throw input.unexpected(input.start - 1, '"," or "}" after a section');
    return this.#key();
  }

  async #key(): Promise<string> {
    const { input } = this;
    if ((await this.#token('the name of a section')) !== 34) {
      throw input.unexpected(input.start - 1, 'the name of a section');
    }
    for (;;) {
      const close = input.bytes.indexOf(34, input.start);
      if (close >= 0 && close < input.end) {
        const key = Buffer.from(input.bytes.subarray(input.start, close)).toString('latin1');
        input.start = close + 1;
        if ((await this.#token('a colon')) !== 58) {
          throw input.unexpected(input.start - 1, `a colon after "${key.slice(0, 40)}"`);
        }
        return key;
      }
      if (input.end - input.start > maxKeyBytes) throw input.unexpected(input.start, 'the name of a section');
      if (!(await input.more())) throw input.ended('the name of a section');
    }
  }

  /** Takes `[` and hands the rest of the section to `reader`. */
  async array(key: string, reader: SectionReader, detail: () => string = () => ''): Promise<void> {
    const { input } = this;
    if ((await this.#token(`section "${key}"`)) !== 91) {
      throw input.unexpected(input.start - 1, `"[" of section "${key}"`);
    }
    await this.content(key, reader, detail);
  }

  /** Hands what follows to `reader` until it is finished. */
  async content(key: string, reader: SectionReader, detail: () => string = () => ''): Promise<void> {
    const { input } = this;
    while (!reader.take(input)) {
      if (await input.more()) continue;
      // A reader that looks ahead gets one more chance, knowing that nothing follows.
      if (input.exhausted && reader.take(input)) return;
      throw input.ended(`section "${key.slice(0, 40)}"`, detail());
    }
  }

  async skip(key: string): Promise<void> {
    await this.content(key, new ValueSkipper());
  }

  /** Makes sure that only white space follows. */
  async nothingMore(): Promise<void> {
    const { input } = this;
    do {
      input.start = skipSpace(input.bytes, input.start, input.end);
      if (input.start < input.end) throw input.unexpected(input.start, 'the end of the snapshot');
    } while (await input.more());
  }

  /** The next byte that is not white space, taken. */
  async #token(expected: string): Promise<number> {
    const { input } = this;
    for (;;) {
      input.start = skipSpace(input.bytes, input.start, input.end);
      if (input.start < input.end) return input.bytes[input.start++] as number;
      if (!(await input.more())) throw input.ended(`the place of ${expected}`);
    }
  }
}

/** Skips one JSON value of any kind without keeping it; brackets and strings are matched, numbers are not checked. */
class ValueSkipper {
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
