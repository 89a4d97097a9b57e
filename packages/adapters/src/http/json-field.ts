/** Longest string that is an id. */
const longest = 512;
const deepest = 16;

const quote = 0x22;
const backslash = 0x5c;

interface JsonLevel {
  readonly isObject: boolean;
  key: string;
  expectsKey: boolean;
}

/** A field that was looked for, and its value as it stands in the text. */
interface FoundField {
  readonly field: string;
  readonly value: string;
}

/** Names of fields; dots go deeper, as in `chat.threadId`. */
export class WantedFields {
  readonly names: ReadonlySet<string>;
  /** The last parts of the names. Most values of a body have another key, and their path need not be made. */
  readonly keys: ReadonlySet<string>;

  constructor(names: readonly string[]) {
    this.names = new Set(names);
    this.keys = new Set(names.map((name) => name.slice(name.lastIndexOf('.') + 1)));
  }
}

/**
 * Finds fields in a JSON text that comes in pieces, without keeping the text. Every character is looked at once, so that small pieces cost
 * no more than large ones.
 */
export class JsonField {
  readonly #wanted: WantedFields;
  readonly #levels: JsonLevel[] = [];
  /** The string or number that is being read, as far as it has come. */
  #token = '';
  #reads: 'nothing' | 'string' | 'number' = 'nothing';
  #isEscaped = false;
  #isOver = false;

  constructor(wanted: WantedFields) {
    this.#wanted = wanted;
  }

  /** True when no further piece can matter. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes the next piece; returns the first wanted field once it has been read. */
  take(text: string): FoundField | undefined {
    let at = 0;
    while (at < text.length && !this.#isOver) {
      if (this.#reads === 'nothing') {
        this.#outside(text.charCodeAt(at), text[at] as string);
        at += 1;
        continue;
      }
      const end = this.#reads === 'string' ? this.#stringEnd(text, at) : numberEnd(text, at);
      if (this.#token.length <= longest) this.#token += text.slice(at, end);
      if (end === text.length) return undefined;
      // The quote that ends a string is part of it; what ends a number is not.
      at = this.#reads === 'string' ? end + 1 : end;
      const found = this.#finish();
      if (found === undefined) continue;
      this.#isOver = true;
      return found;
    }
    return undefined;
  }

  /** Where the string ends, or the length of the text. A quote after an odd number of backslashes is part of the string. */
  #stringEnd(text: string, from: number): number {
    let at = this.#isEscaped ? from + 1 : from;
    for (;;) {
      const next = text.indexOf('"', at);
      const end = next < 0 ? text.length : next;
      let slashes = 0;
      while (end - slashes > at && text.charCodeAt(end - slashes - 1) === backslash) slashes += 1;
      this.#isEscaped = next < 0 && slashes % 2 === 1;
      if (next < 0 || slashes % 2 === 0) return end;
      at = next + 1;
    }
  }

  #outside(code: number, char: string): void {
    if (code === quote) this.#begin('string', '');
    else if (char === '{' || char === '[') this.#open(char === '{');
    else if (char === '}' || char === ']') {
      this.#levels.pop();
      this.#isOver = this.#levels.length === 0;
    } else if (char === ',') {
      const level = this.#levels.at(-1);
      if (level?.isObject === true) level.expectsKey = true;
    } else if (isOfNumber(code)) this.#begin('number', char);
  }

  #begin(what: 'string' | 'number', first: string): void {
    this.#reads = what;
    this.#token = first;
    this.#isEscaped = false;
  }

  #open(isObject: boolean): void {
    if (this.#levels.length >= deepest) this.#isOver = true;
    else this.#levels.push({ isObject, key: '', expectsKey: isObject });
  }

  #finish(): FoundField | undefined {
    const value = this.#token;
    const level = this.#levels.at(-1);
    const isKey = this.#reads === 'string' && level?.expectsKey === true;
    this.#reads = 'nothing';
    if (level !== undefined && isKey) {
      level.key = value;
      level.expectsKey = false;
      return undefined;
    }
    if (value === '' || value.length > longest) return undefined;
    if (!this.#wanted.keys.has(level?.isObject === true ? level.key : '[]')) return undefined;
    const field = this.#path();
    return this.#wanted.names.has(field) ? { field, value } : undefined;
  }

  /** Names of the objects around the value; a list on the way is no name. */
  #path(): string {
    return this.#levels.map(({ isObject, key }) => (isObject ? key : '[]')).join('.');
  }
}

function numberEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

/** Digits and the signs `+`, `-` and `.`; an exponent makes no id. */
function isOfNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2b || code === 0x2e;
}
