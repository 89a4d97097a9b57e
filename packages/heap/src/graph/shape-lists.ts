import { typeMask, type Columns } from '../kernel/columns.ts';
import { growGroups } from './equal-lists.ts';
import type { Workspace } from './workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { setBit } from '../kernel/typescript/rows.ts';
import type { EdgeNames } from './row-file.ts';
import type { Layout } from './header.ts';

/** The distinct lists of properties of plain objects. */
export interface ShapeLists {
  /** String indices of the property names of each shape. */
  readonly lists: readonly Uint32Array[];
  /** Objects per shape. */
  readonly counts: Uint32Array;
}

/**
 * Groups the stream of `[count, name...]` of all plain objects, which stands in `space.sources`. The name of a plain
 * object is always "Object", so its place in the column is taken by the number of its shape.
 */
export function shapeLists(kernel: Kernel, space: Workspace, columns: Columns, words: number): ShapeLists {
  const stream = space.sources;
  const groups = growGroups(kernel, space, stream, words);
  const lists: Uint32Array[] = [];
  for (let g = 0; g < groups.count; g++) {
    const at = groups.firstAt[g] as number;
    lists.push(new Uint32Array(stream.subarray(at + 1, at + 1 + (stream[at] as number))));
  }
  const { plain, name } = columns;
  for (let byte = 0, k = 0; byte < plain.length; byte++) {
    for (let bits = plain[byte] as number, n = byte * 8; bits !== 0; bits >>>= 1, n++) {
      if ((bits & 1) === 1) name[n] = groups.groupOf[k++] as number;
    }
  }
  return { lists, counts: new Uint32Array(groups.counts.subarray(0, groups.count)) };
}

/** Finds the plain objects and writes their property names as a stream, when names are kept; returns its length. */
export function collectProperties(
  layout: Layout,
  columns: Columns,
  names: EdgeNames,
  objectName: number,
  stream: Uint32Array,
): number {
  const object = layout.nodeTypes.indexOf('object');
  const property = layout.edgeTypes.indexOf('property');
  let words = 0;
  for (let n = 0; n < columns.nodeCount; n++) {
    if (columns.name[n] !== objectName || ((columns.kind[n] as number) & typeMask) !== object) continue;
    setBit(columns.plain, n);
    const countAt = words++;
    const end = columns.firstEdge[n + 1] as number;
    for (let e = columns.firstEdge[n] as number; e < end; e++) {
      if (names.type(e) === property) stream[words++] = names.name(e);
    }
    stream[countAt] = words - countAt - 1;
  }
  return words;
}
