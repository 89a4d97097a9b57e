import type { Scan } from './scan.ts';

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

/**
 * Leaves only those soft edges on the list that retain nothing: shortcuts, and of each WeakMap pair the edge out of the
 * table. When names came after the edges, pairs are looked for now, among the edges of the tables.
 */
export function resolveSoft(scan: Scan): void {
  const { soft, names, layout } = scan;
  const tables = scan.stringsFirst ? scan.tables : addPairs(scan);
  const shortcut = layout.edgeTypes.indexOf('shortcut');
  const { firstEdge } = scan.columns;
  const isFrom = (node: number, edge: number): boolean =>
    edge >= (firstEdge[node] as number) && edge < (firstEdge[node + 1] as number);
  soft.keep((edge, type, name) => {
    if (type === shortcut) return !isFrom(layout.rootNode, edge);
    const table = tables.get(names.pairs.get(name) ?? -1);
    return table !== undefined && isFrom(table, edge);
  });
}

/** Adds the pairs that the tables hold; returns the tables by id. */
function addPairs(scan: Scan): ReadonlyMap<number, number> {
  const { soft, names, layout, edgeNames, columns, ids } = scan;
  const wanted = new Set(names.pairs.values());
  const tables = new Map<number, number>();
  if (wanted.size === 0) return tables;
  const internal = layout.edgeTypes.indexOf('internal');
  for (let n = 0; n < columns.nodeCount; n++) {
    const id = ids.of(n);
    if (!wanted.has(id)) continue;
    tables.set(id, n);
    const end = columns.firstEdge[n + 1] as number;
    for (let e = columns.firstEdge[n] as number; e < end; e++) {
      if (edgeNames.type(e) === internal) soft.add(e, internal, edgeNames.name(e));
    }
  }
  return tables;
}
