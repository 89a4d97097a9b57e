/** An array of bytes that grows to the largest index written; unwritten bytes are 0. */
export class GrowingBytes {
  #bytes = new Uint8Array(1 << 12);

  set(index: number, value: number): void {
    if (index >= this.#bytes.length) {
      const larger = new Uint8Array(Math.max(this.#bytes.length * 2, index + 1));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes[index] = value;
  }

  get(index: number): number {
    return this.#bytes[index] ?? 0;
  }
}
