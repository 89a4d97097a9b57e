import { growGroups } from '../graph/grouping.ts';
import type { Workspace } from '../graph/workspace.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** The distinct lists of properties of plain objects, and which of them each plain object has, in node order. */
export interface ShapeLists {
  /** String indices of the property names of each shape. */
  readonly lists: readonly Uint32Array[];
  /** Objects per shape. */
  readonly counts: Uint32Array;
  /** Shape of the k-th plain object. */
  readonly shapeOf: Uint32Array;
}

/** Groups a stream of `[count, name...]` and copies out of the workspace what is kept. */
export function shapeLists(kernel: Kernel, space: Workspace, stream: Uint32Array, words: number): ShapeLists {
  const groups = growGroups(kernel, space, stream, words);
  const lists: Uint32Array[] = [];
  let objects = 0;
  for (let g = 0; g < groups.count; g++) {
    const at = groups.firstAt[g] as number;
    lists.push(stream.slice(at + 1, at + 1 + (stream[at] as number)));
    objects += groups.counts[g] as number;
  }
  return { lists, counts: groups.counts.slice(0, groups.count), shapeOf: groups.groupOf.slice(0, objects) };
}
