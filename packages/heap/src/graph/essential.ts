import type { Layout } from '../read/header.ts';
import { weakBit, type Columns } from './columns.ts';
import type { EdgeNames } from './edge-names.ts';

/**
 * Marks every edge that does not retain its target, by the rules of Chrome DevTools: weak edges, edges to the node
 * itself, shortcuts (except those of the root, which name the global objects), the table's half of a WeakMap pair, and
 * edges from the debugger's own objects to those of the user.
 */
export function markEssential(
  columns: Columns,
  names: EdgeNames,
  layout: Layout,
  pairs: ReadonlyMap<number, number>,
  isDocumentRoot: (node: number) => boolean,
): void {
  const user = userObjects(columns, names, layout, isDocumentRoot);
  const { firstEdge, to, id } = columns;
  const root = layout.rootNode;
  const shortcut = layout.edgeTypes.indexOf('shortcut');
  const internal = layout.edgeTypes.indexOf('internal');
  const tables = new Set(pairs.values());
  for (let n = 0; n < columns.nodeCount; n++) {
    const isTable = tables.has(id[n] as number);
    const isUser = user[n] === 1;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      const keep =
        target !== n &&
        (n === root || (names.type(e) !== shortcut && (isUser || user[target] !== 1))) &&
        !(isTable && names.type(e) === internal && pairs.get(names.name(e)) === id[n]);
      if (!keep) to[e] = (target | weakBit) >>> 0;
    }
  }
}

/** One byte per node: 1 for all that the global objects reach, so for all that is the user's and not the debugger's. */
function userObjects(
  columns: Columns,
  names: EdgeNames,
  layout: Layout,
  isDocumentRoot: (node: number) => boolean,
): Uint8Array {
  const { firstEdge, to, nodeCount } = columns;
  const shortcut = layout.edgeTypes.indexOf('shortcut');
  const element = layout.edgeTypes.indexOf('element');
  const user = new Uint8Array(nodeCount);
  const stack = new Uint32Array(nodeCount);
  let depth = 0;
  const root = layout.rootNode;
  for (let e = firstEdge[root] as number, end = firstEdge[root + 1] as number; e < end; e++) {
    const target = ((to[e] as number) & ~weakBit) >>> 0;
    const type = names.type(e);
    if (user[target] === 1 || (type !== shortcut && !(type === element && isDocumentRoot(target)))) continue;
    user[target] = 1;
    stack[depth++] = target;
  }
  while (depth > 0) {
    const n = stack[--depth] as number;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit || user[target] === 1) continue;
      user[target] = 1;
      stack[depth++] = target;
    }
  }
  return user;
}
