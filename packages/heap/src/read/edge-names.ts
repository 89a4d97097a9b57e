/** Types and names of edges, by edge number. */
export interface EdgeNames {
  /** Index into the edge types of the header. */
  type(edge: number): number;
  /** String index, or the slot number of an element or hidden edge. */
  name(edge: number): number;
}

const nameBits = 28;
const nameMask = 0x0fff_ffff;

/** Edge types and names kept in memory, one 32-bit word per edge: for input that cannot be read twice. */
export class EdgeNameColumn implements EdgeNames {
  readonly words: Uint32Array;
  readonly #large = new Map<number, number>();

  constructor(words: Uint32Array) {
    this.words = words;
  }

  set(edge: number, type: number, name: number): void {
    if (name >= nameMask) this.#large.set(edge, name);
    this.words[edge] = (type << nameBits) | Math.min(name, nameMask);
  }

  type(edge: number): number {
    return (this.words[edge] as number) >>> nameBits;
  }

  name(edge: number): number {
    const name = (this.words[edge] as number) & nameMask;
    return name === nameMask ? (this.#large.get(edge) ?? name) : name;
  }
}
