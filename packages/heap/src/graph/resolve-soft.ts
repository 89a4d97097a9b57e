import type { Scan } from '../read/scan.ts';

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
