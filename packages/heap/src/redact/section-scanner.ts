import { failure } from '../errors.ts';

/** Who listens to the sections of a snapshot as they stream by. */
export interface SectionListener {
  /** The `snapshot` object, whole. */
  header(text: string): void;
  /** True for a flat section that is known to hold nothing but numbers: it is handed to `rows` as it is. Asked once per section. */
  isCopied?(section: string): boolean;
  /** Raw bytes of such a section without its brackets, and where they begin in the file. */
  rows?(section: string, bytes: Buffer, offset: number): void;
  /** Up to 8,192 numbers of a flat section; `values` is reused after the call. */
  numbers?(section: string, values: Float64Array, count: number): void;
  /** Raw bytes of a nested section of numbers (`trace_tree`), brackets included. */
  nested?(section: string, bytes: Uint8Array): void;
  /** One entry of `strings` as it stands between its quotes, in `bytes` from `start` to `end`. */
  string?(bytes: Buffer, start: number, end: number): void;
  /** After the last value of a section. */
  end?(section: string): void;
}

const flat = new Set(['nodes', 'edges', 'trace_function_infos', 'samples', 'locations']);
const headerLimit = 1 << 20;
const batch = 8192;

type State =
  | 'start'
  | 'key'
  | 'value'
  | 'header'
  | 'numbers'
  | 'nested'
  | 'skip'
  | 'strings'
  | 'after'
  | 'done';

const code = {
  quote: 34,
  comma: 44,
  minus: 45,
  colon: 58,
  open: 91,
  back: 92,
  close: 93,
  brace: 123,
  unbrace: 125,
};
const shown = (byte: number): string => JSON.stringify(String.fromCharCode(byte));
const isSpace = (byte: number): boolean => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** A push parser for the top level of a snapshot: sections in file order, nothing kept, any length. */
export class SectionScanner {
  readonly #listener: SectionListener;
  readonly #file: string;
  #state: State = 'start';
  #section = '';
  #offset = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #number = -1;
  #isCopied = false;
  readonly #values = new Float64Array(batch);
  #count = 0;
  #pieces: Buffer[] = [];
  #piecesBytes = 0;

  constructor(listener: SectionListener, file: string) {
    this.#listener = listener;
    this.#file = file;
  }

  /** Bytes pushed before the current chunk. */
  get offset(): number {
    return this.#offset;
  }

  push(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      at = this.#step(chunk, at);
    }
    this.#offset += chunk.length;
  }

  /** Says that the input is over; throws when the snapshot is not. */
  finish(): void {
    if (this.#state !== 'done') {
      const place = { file: this.#file, offset: this.#offset };
      throw this.#offset === 0
        ? failure('PLM_HEAP_EMPTY', place)
        : failure('PLM_HEAP_TRUNCATED', { ...place, section: `section "${this.#section}"`, detail: '' });
    }
  }

  #step(chunk: Buffer, at: number): number {
    switch (this.#state) {
      case 'header':
      case 'nested':
      case 'skip':
        return this.#structured(chunk, at);
      case 'numbers':
        return this.#numbers(chunk, at);
      case 'strings':
        return this.#strings(chunk, at);
      case 'key':
        return this.#key(chunk, at);
      default:
        return this.#punctuation(chunk, at);
    }
  }

  #punctuation(chunk: Buffer, at: number): number {
    const byte = chunk[at] as number;
    if (isSpace(byte)) return at + 1;
    if (this.#state === 'start' && byte === code.brace) this.#state = 'after';
    else if (this.#state === 'after' && byte === code.quote) this.#state = 'key';
    else if (this.#state === 'after' && byte === code.comma) return at + 1;
    else if (this.#state === 'after' && byte === code.unbrace) this.#state = 'done';
    else if (this.#state === 'value' && byte === code.colon) return at + 1;
    else if (this.#state === 'value') return this.#openValue(byte, at);
    else this.#fail(at, shown(byte), 'the next section');
    return at + 1;
  }

  #openValue(byte: number, at: number): number {
    this.#depth = 0;
    this.#inString = false;
    if (byte === code.open && flat.has(this.#section)) {
      this.#state = 'numbers';
      this.#isCopied = this.#listener.isCopied?.(this.#section) ?? false;
    } else if (byte === code.open && this.#section === 'strings') this.#state = 'strings';
    else {
      this.#state =
        this.#section === 'snapshot' ? 'header' : this.#section === 'trace_tree' ? 'nested' : 'skip';
      return at;
    }
    return at + 1;
  }

  #key(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(code.quote, at);
    this.#keep(chunk.subarray(at, end === -1 ? chunk.length : end), at, 4096);
    if (end === -1) return chunk.length;
    this.#section = this.#taken().toString('utf8');
    this.#state = 'value';
    return end + 1;
  }

  /** A JSON value of any shape: finds its end by depth. */
  #structured(chunk: Buffer, from: number): number {
    let at = from;
    let ended = false;
    for (; at < chunk.length && !ended; at++) {
      const byte = chunk[at] as number;
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === code.back) this.#escaped = true;
        else if (byte === code.quote) this.#inString = false;
        continue;
      }
      if (byte === code.quote) this.#inString = true;
      else if (byte === code.brace || byte === code.open) this.#depth++;
      else if (byte === code.unbrace || byte === code.close) this.#depth--;
      else continue;
      if (this.#state === 'nested' && (byte === code.quote || byte === code.brace)) {
        this.#fail(at, shown(byte), `a number of section "${this.#section}"`);
      }
      ended = this.#depth === 0 && !this.#inString;
    }
    this.#pass(chunk.subarray(from, at), from, ended);
    return at;
  }

  #pass(bytes: Buffer, at: number, ended: boolean): void {
    if (this.#state === 'header') this.#keep(bytes, at, headerLimit);
    else if (this.#state === 'nested') this.#listener.nested?.(this.#section, bytes);
    if (!ended) return;
    if (this.#state === 'header') this.#listener.header(this.#taken().toString('utf8'));
    this.#listener.end?.(this.#section);
    this.#state = 'after';
  }

  #numbers(chunk: Buffer, from: number): number {
    if (this.#isCopied) return this.#rows(chunk, from);
    let number = this.#number;
    let count = this.#count;
    const values = this.#values;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      if (byte >= 48 && byte <= 57) {
        number = number < 0 ? byte - 48 : number * 10 + (byte - 48);
        continue;
      }
      if (number >= 0) {
        values[count++] = number;
        number = -1;
        if (count === batch) {
          this.#listener.numbers?.(this.#section, values, count);
          count = 0;
        }
      }
      if (byte === code.comma || isSpace(byte)) continue;
      if (byte !== code.close) this.#fail(at, shown(byte), `a number of section "${this.#section}"`);
      if (count > 0) this.#listener.numbers?.(this.#section, values, count);
      this.#count = 0;
      this.#number = -1;
      this.#listener.end?.(this.#section);
      this.#state = 'after';
      return at + 1;
    }
    this.#number = number;
    this.#count = count;
    return chunk.length;
  }

  /** A flat section holds no other bracket than the one that closes it. */
  #rows(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(code.close, from);
    this.#listener.rows?.(
      this.#section,
      chunk.subarray(from, end === -1 ? chunk.length : end),
      this.#offset + from,
    );
    if (end === -1) return chunk.length;
    this.#listener.end?.(this.#section);
    this.#state = 'after';
    return end + 1;
  }

  #strings(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (!this.#inString) {
        const byte = chunk[at++] as number;
        if (byte === code.quote) this.#inString = true;
        else if (byte === code.close) {
          this.#listener.end?.(this.#section);
          this.#state = 'after';
          return at;
        } else if (byte !== code.comma && !isSpace(byte)) this.#fail(at - 1, shown(byte), 'a string');
        continue;
      }
      const end = this.#closingQuote(chunk, at);
      if (end === -1) {
        if (this.#listener.string !== undefined) this.#keep(chunk.subarray(at), at, 1 << 30);
        return chunk.length;
      }
      this.#endString(chunk, at, end);
      at = end + 1;
    }
    return at;
  }

  #endString(chunk: Buffer, start: number, end: number): void {
    this.#inString = false;
    if (this.#listener.string === undefined) return;
    if (this.#piecesBytes === 0) {
      this.#listener.string(chunk, start, end);
      return;
    }
    this.#keep(chunk.subarray(start, end), start, 1 << 30);
    const whole = this.#taken();
    this.#listener.string(whole, 0, whole.length);
  }

  #closingQuote(chunk: Buffer, from: number): number {
    const { length } = chunk;
    let at = this.#escaped ? from + 1 : from;
    for (; at < length; at++) {
      const byte = chunk[at] as number;
      if (byte === code.quote) {
        this.#escaped = false;
        return at;
      }
      if (byte === code.back) at++;
    }
    // A backslash at the end of the chunk escapes the first byte of the next.
    this.#escaped = at > length;
    return -1;
  }

  /** Keeps a copy, since the chunk's memory is reused by the reader. */
  #keep(bytes: Buffer, at: number, limit: number): void {
    this.#piecesBytes += bytes.length;
    if (this.#piecesBytes > limit) this.#fail(at, `more than ${limit} bytes`, 'the end of the value');
    this.#pieces.push(Buffer.from(bytes));
  }

  #taken(): Buffer {
    const whole = this.#pieces.length === 1 ? (this.#pieces[0] as Buffer) : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#piecesBytes = 0;
    return whole;
  }

  #fail(at: number, found: string, expected: string): never {
    throw failure('PLM_HEAP_SYNTAX', { file: this.#file, offset: this.#offset + at, found, expected });
  }
}
