import type { Classes } from '../graph/classes.ts';
import type { DominatorTree } from './tree.ts';

/** One row of the constructor table. */
export interface ConstructorRow {
  readonly name: string;
  readonly count: number;
  /** Own bytes, backing stores included. */
  readonly shallowBytes: number;
  /** Bytes kept alive by the instances together, none counted twice. */
  readonly retainedBytes: number;
}

/** Sums by class over one walk of the dominator tree; an instance below another of its class adds no retained bytes. */
export function constructorTable(
  classes: Classes,
  tree: DominatorTree,
  sizes: Float64Array,
): readonly ConstructorRow[] {
  const classCount = classes.names.length;
  const counts = new Uint32Array(classCount);
  const shallow = new Float64Array(classCount);
  const retained = new Float64Array(classCount);
  const open = new Uint32Array(classCount);
  const { first, child } = tree.childLists();
  const { vertex } = tree;
  const stack = new Uint32Array(vertex.length);
  const cursor = new Uint32Array(vertex.length);
  let depth = 0;
  const enter = (i: number): void => {
    const n = vertex[i] as number;
    const size = sizes[n] as number;
    const c = classes.of[n] as number;
    if (size > 0) {
      counts[c] = (counts[c] as number) + 1;
      shallow[c] = (shallow[c] as number) + size;
      if (open[c] === 0) retained[c] = (retained[c] as number) + (tree.retained[i] as number);
      open[c] = (open[c] as number) + 1;
    }
    stack[depth] = i;
    cursor[depth++] = first[i] as number;
  };
  enter(0);
  while (depth > 0) {
    const i = stack[depth - 1] as number;
    const k = cursor[depth - 1] as number;
    if (k < (first[i + 1] as number)) {
      cursor[depth - 1] = k + 1;
      enter(child[k] as number);
    } else {
      depth--;
      const n = vertex[i] as number;
      if ((sizes[n] as number) > 0)
        open[classes.of[n] as number] = (open[classes.of[n] as number] as number) - 1;
    }
  }
  return classes.names
    .map((name, c) => ({
      name,
      count: counts[c] as number,
      shallowBytes: shallow[c] as number,
      retainedBytes: retained[c] as number,
    }))
    .filter((row) => row.count > 0)
    .sort((a, b) => b.retainedBytes - a.retainedBytes || (a.name < b.name ? -1 : 1));
}
