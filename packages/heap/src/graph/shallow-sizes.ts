import type { Layout } from './header.ts';
import type { Scan } from './scan.ts';
import { sizeOf, typeMask, weakBit, type Columns } from '../kernel/columns.ts';

/**
 * Moves the self size of backing stores (nodes of type "array" and "hidden") to the one object that owns them, as
 * Chrome DevTools does: an array of a million slots then weighs what its user sees, not 16 bytes. Who owns what is the
 * same for every order of the walk: a store belongs to the only node that reaches it through stores alone.
 */
export function foldSizes(scan: Scan): void {
  const { kernel, columns, layout, space, names } = scan;
  if (!hasUserRoots(columns, layout)) return;
  const { nodeCount, size, largeSizes } = columns;
  const type = (name: string): number => layout.nodeTypes.indexOf(name);
  const job = {
    count: nodeCount,
    kind: columns.kind,
    name: columns.name,
    types: typeBits([type('hidden'), type('array')]),
    native: type('native'),
    nativeName: names.externalStringData,
  };
  const owner = space.triple.subarray(0, nodeCount);
  kernel.ownedBits(job, space.seen.fill(0), owner);
  kernel.owners(nodeCount, columns, space.seen, owner, space.triple.subarray(nodeCount));
  const synthetic = type('synthetic');
  const move = (from: number): number =>
    kernel.moveSizes(from, nodeCount, space.seen, owner, columns.kind, synthetic, layout.rootNode, size);
  for (let n = move(0); n < nodeCount; n = move(n + 1)) {
    const own = owner[n] as number;
    const sum = sizeOf(columns, own) + sizeOf(columns, n);
    largeSizes.set(own, sum);
    largeSizes.delete(n);
    size[own] = 0xffff_ffff;
    size[n] = 0;
  }
}

/** False for snapshots taken with internals exposed: there the root holds nothing but synthetic roots, and sizes stay. */
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

function typeBits(types: readonly number[]): [number, number] {
  const bits: [number, number] = [0, 0];
  for (const type of types) if (type >= 0) bits[type < 32 ? 0 : 1] |= 1 << (type & 31);
  return bits;
}
