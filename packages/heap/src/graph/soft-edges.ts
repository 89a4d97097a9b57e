/**
 * Edges that are not weak and yet need judgement: shortcuts, and edges named like one half of a WeakMap pair.
 * Three words each: edge, edge type, name.
 */
export class SoftEdges {
  #words = new Uint32Array(3 * 16);
  #length = 0;

  get count(): number {
    return this.#length / 3;
  }

  add(edge: number, type: number, name: number): void {
    if (this.#length === this.#words.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words[this.#length++] = edge;
    this.#words[this.#length++] = type;
    this.#words[this.#length++] = name;
  }

  /** Drops the edges that do retain. */
  keep(isSoft: (edge: number, type: number, name: number) => boolean): void {
    const words = this.#words;
    let kept = 0;
    for (let k = 0; k < this.#length; k += 3) {
      if (!isSoft(words[k] as number, words[k + 1] as number, words[k + 2] as number)) continue;
      words.copyWithin(kept, k, k + 3);
      kept += 3;
    }
    this.#length = kept;
  }

  forEach(visit: (edge: number) => void): void {
    for (let k = 0; k < this.#length; k += 3) visit(this.#words[k] as number);
  }
}
