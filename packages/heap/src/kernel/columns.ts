/** Marks an edge target whose edge retains nothing; node numbers stay below it. */
export const weakBit = 0x8000_0000;
/** Low bits of `kind`: the node type; the two bits above are the detachedness. */
export const typeMask = 63;
export const detachedShift = 6;
/** A word of `EdgeNameColumn` is the type above these bits and the name in them. Names that do not fit are slot numbers. */
export const nameBits = 28;
export const nameMask = 0x0fff_ffff;

/** Nodes and edges of a snapshot as flat columns: 13 bytes per node and 4 per edge. */
export interface Columns {
  readonly nodeCount: number;
  readonly edgeCount: number;
  /** Node type in the low 6 bits, detachedness in the upper 2. */
  readonly kind: Uint8Array;
  /** String index of the node name. */
  readonly name: Uint32Array;
  /** Self size; 0xffffffff means: look into `largeSizes`. */
  readonly size: Uint32Array;
  readonly largeSizes: Map<number, number>;
  /** First edge of each node, and one entry more for the end of the last. */
  readonly firstEdge: Uint32Array;
  /**
   * Target of each edge: a node, and once dominators are known its preorder number. `weakBit` is set on edges of type
   * "weak" and on edges to the node itself; once dominators are known, on all that do not retain.
   */
  readonly to: Uint32Array;
  /** One bit per node: set for plain objects, when their name was known before the nodes were read. */
  readonly plain: Uint8Array;
}

/** Self size of a node in bytes. */
export function sizeOf(columns: Columns, node: number): number {
  const size = columns.size[node] as number;
  return size === 0xffff_ffff ? (columns.largeSizes.get(node) ?? size) : size;
}

/** The node an edge goes out of. */
export function sourceOf(columns: Columns, edge: number): number {
  const { firstEdge, nodeCount } = columns;
  let low = 0;
  let high = nodeCount;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((firstEdge[middle + 1] as number) <= edge) low = middle + 1;
    else high = middle;
  }
  return low;
}
