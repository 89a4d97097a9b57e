/** A cursor over the edges of a file that knows which node the current edge leaves from. */
export class EdgeOwner {
  readonly #edgeCount: Uint32Array;
  #node = 0;
  #seen = 0;

  constructor(edgeCount: Uint32Array) {
    this.#edgeCount = edgeCount;
  }

  /** The node that the edge at the cursor leaves from. */
  current(): number {
    while (this.#node < this.#edgeCount.length && this.#seen >= (this.#edgeCount[this.#node] as number)) {
      this.#seen -= this.#edgeCount[this.#node] as number;
      this.#node++;
    }
    return this.#node;
  }

  advance(): void {
    this.#seen++;
  }
}
