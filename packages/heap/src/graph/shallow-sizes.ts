import type { Layout } from '../read/header.ts';
import { typeMask, weakBit, type Columns } from './columns.ts';

const unvisited = 0xffff_ffff;
const shared = 0xffff_fffe;

/**
 * Moves the self size of backing stores (nodes of type "array" and "hidden") to the one object that owns them, as
 * Chrome DevTools does: an array of a million slots then weighs what its user sees, not 16 bytes.
 * Returns the moved sizes, or null when the snapshot was taken with internals exposed and sizes stay as they are.
 */
export function foldedSizes(
  columns: Columns,
  layout: Layout,
  sizes: Float64Array,
  isExternalStringData: (node: number) => boolean,
): void {
  if (!hasUserRoots(columns, layout)) return;
  const { kind, nodeCount } = columns;
  const hidden = layout.nodeTypes.indexOf('hidden');
  const array = layout.nodeTypes.indexOf('array');
  const native = layout.nodeTypes.indexOf('native');
  const synthetic = layout.nodeTypes.indexOf('synthetic');
  const owners = new Uint32Array(nodeCount);
  for (let n = 0; n < nodeCount; n++) {
    const type = (kind[n] as number) & typeMask;
    const owned = type === hidden || type === array || (type === native && isExternalStringData(n));
    owners[n] = owned ? unvisited : n;
  }
  spread(columns, owners);
  for (let n = 0; n < nodeCount; n++) {
    const owner = owners[n] as number;
    if (owner >= shared || owner === n) continue;
    if (((kind[owner] as number) & typeMask) === synthetic || owner === layout.rootNode) continue;
    sizes[owner] = (sizes[owner] as number) + (sizes[n] as number);
    sizes[n] = 0;
  }
}

function spread(columns: Columns, owners: Uint32Array): void {
  const { firstEdge, to, nodeCount } = columns;
  const stack: number[] = [];
  const visit = (n: number): void => {
    const owner = owners[n] as number;
    for (let e = firstEdge[n] as number, end = firstEdge[n + 1] as number; e < end; e++) {
      const target = to[e] as number;
      if (target >= weakBit) continue;
      const current = owners[target] as number;
      if (current === target || current === owner || current === shared) continue;
      owners[target] = current === unvisited ? owner : shared;
      stack.push(target);
    }
  };
  for (let n = 0; n < nodeCount; n++) {
    if (owners[n] !== n) continue;
    visit(n);
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) visit(next);
  }
}

/** False for snapshots taken with internals exposed: there the root holds nothing but synthetic roots. */
function hasUserRoots(columns: Columns, layout: Layout): boolean {
  const { firstEdge, to, kind } = columns;
  const synthetic = layout.nodeTypes.indexOf('synthetic');
  const root = layout.rootNode;
  for (let e = firstEdge[root] as number, end = firstEdge[root + 1] as number; e < end; e++) {
    const target = ((to[e] as number) & ~weakBit) >>> 0;
    if (((kind[target] as number) & typeMask) !== synthetic) return true;
  }
  return false;
}
