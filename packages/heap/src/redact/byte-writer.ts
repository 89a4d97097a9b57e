/** From this length on, bytes are handed on as they are. */
const uncopiedBytes = 1 << 16;

/** A buffer of output bytes with a fast path for decimal numbers; full blocks go to `flush`. */
export class ByteWriter {
  readonly #blocks: Buffer[] = [];
  #block = Buffer.allocUnsafe(1 << 20);
  #at = 0;

  number(value: number): void {
    if (this.#at + 24 > this.#block.length) this.#next(24);
    if (value < 10) {
      this.#block[this.#at++] = 48 + value;
      return;
    }
    if (value > 0xff_ff_ff_ff) {
      this.text(String(value));
      return;
    }
    let digits = 1;
    for (let bound = 10; value >= bound; bound *= 10) digits++;
    let rest = value;
    for (let place = this.#at + digits - 1; place >= this.#at; place--) {
      const tenth = Math.floor(rest / 10);
      this.#block[place] = 48 + (rest - tenth * 10);
      rest = tenth;
    }
    this.#at += digits;
  }

  byte(value: number): void {
    if (this.#at === this.#block.length) this.#next(1);
    this.#block[this.#at++] = value;
  }

  /** A short text of ASCII characters. */
  ascii(value: string): void {
    if (this.#at + value.length > this.#block.length) this.#next(value.length);
    for (let i = 0; i < value.length; i++) this.#block[this.#at++] = value.charCodeAt(i);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value, 'utf8'));
  }

  /** Bytes of any number. Many are not copied: they must not change until the blocks have been taken. */
  bytes(value: Uint8Array): void {
    if (value.length >= uncopiedBytes) {
      this.#next(1);
      this.#blocks.push(Buffer.from(value.buffer, value.byteOffset, value.length));
      return;
    }
    if (this.#at + value.length > this.#block.length) this.#next(value.length);
    this.#block.set(value, this.#at);
    this.#at += value.length;
  }

  /** Some bytes of a buffer. A loop beats a view of it for the few that most strings have. */
  range(value: Buffer, start: number, end: number): void {
    if (this.#at + end - start > this.#block.length) this.#next(end - start);
    if (end - start > 64) this.#at += value.copy(this.#block, this.#at, start, end);
    else for (let i = start; i < end; i++) this.#block[this.#at++] = value[i] as number;
  }

  /** Ends a block. What is left of its memory is the next one, if that is enough. */
  #next(room: number): void {
    if (this.#at > 0) this.#blocks.push(this.#block.subarray(0, this.#at));
    const rest = this.#block.subarray(this.#at);
    this.#block = rest.length >= Math.max(4096, room) ? rest : Buffer.allocUnsafe(Math.max(1 << 20, room));
    this.#at = 0;
  }

  /** The full blocks since the last call; with `all`, the unfinished one too. */
  take(all = false): Buffer[] {
    if (all) this.#next(1);
    return this.#blocks.splice(0);
  }
}
