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

  bytes(value: Uint8Array): void {
    if (this.#at + value.length > this.#block.length) this.#next(value.length);
    this.#block.set(value, this.#at);
    this.#at += value.length;
  }

  #next(room: number): void {
    if (this.#at > 0) this.#blocks.push(this.#block.subarray(0, this.#at));
    this.#block = Buffer.allocUnsafe(Math.max(1 << 20, room));
    this.#at = 0;
  }

  /** The full blocks since the last call; with `all`, the unfinished one too. */
  take(all = false): Buffer[] {
    if (all) this.#next(1);
    return this.#blocks.splice(0);
  }
}
