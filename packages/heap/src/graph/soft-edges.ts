/**
 * Edges that are not weak and yet need judgement: shortcuts, and edges named like one half of a WeakMap pair.
 * Four words each: edge, source node, edge type, name.
 */
export class SoftEdges {
  #words = new Uint32Array(4 * 16);
  #length = 0;

  get count(): number {
    return this.#length / 4;
  }

  add(edge: number, source: number, type: number, name: number): void {
    if (this.#length === this.#words.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#words);
      this.#words = grown;
    }
    this.#words.set([edge, source, type, name], this.#length);
    this.#length += 4;
  }

  /** Drops the edges that do retain. */
  keep(isSoft: (edge: number, source: number, type: number, name: number) => boolean): void {
    const words = this.#words;
    let kept = 0;
    for (let k = 0; k < this.#length; k += 4) {
      const [edge, source, type, name] = words.subarray(k, k + 4) as unknown as [
        number,
        number,
        number,
        number,
      ];
      if (!isSoft(edge, source, type, name)) continue;
      words.copyWithin(kept, k, k + 4);
      kept += 4;
    }
    this.#length = kept;
  }

  forEach(visit: (edge: number, source: number) => void): void {
    for (let k = 0; k < this.#length; k += 4) visit(this.#words[k] as number, this.#words[k + 1] as number);
  }
}
