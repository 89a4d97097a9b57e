import { classify } from '../graph/classes.ts';
import { sizeOf } from '../graph/columns.ts';
import type { Scan } from '../read/scan.ts';
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

/** The constructor table of Chrome DevTools, largest retained first. */
export function constructorTable(scan: Scan, tree: DominatorTree): readonly ConstructorRow[] {
  const { kernel, columns, space } = scan;
  const { nodeCount: count, size } = columns;
  const { vertex, members, retained } = tree;
  // The number by node may already stand where the tree order is made; then it is made elsewhere.
  const next = (tree.hasOrder ? space.path : space.ends).subarray(0, count);
  const inTriple = retained instanceof Uint32Array;
  const sequence = inTriple ? space.triple.subarray(2 * count, 3 * count) : space.sources.subarray(0, count);
  const room = inTriple ? space.sources : space.sources.subarray(count);
  next[0] = 1;
  sequence[0] = 0;
  kernel.treeOrder(count, tree.dom, members, next, sequence);
  const classOf = next;
  const classes = classify(scan, classOf, room);
  const sums = emptySums(classes.names.length, room);
  kernel.totals({ count, sequence, vertex, members, classOf, size, retained }, sums);
  for (const node of columns.largeSizes.keys()) {
    const c = classOf[node] as number;
    sums.shallow[c] = (sums.shallow[c] as number) + sizeOf(columns, node) - 0xffff_ffff;
  }
  return classes.names
    .map((name, c) => ({
      name,
      count: sums.counts[c] as number,
      shallowBytes: sums.shallow[c] as number,
      retainedBytes: sums.kept[c] as number,
    }))
    .filter((row) => row.count > 0)
    .sort((a, b) => b.retainedBytes - a.retainedBytes || (a.name < b.name ? -1 : 1));
}

interface Sums {
  readonly counts: Uint32Array;
  readonly until: Uint32Array;
  readonly shallow: Float64Array;
  readonly kept: Float64Array;
}

/** Zeroed sums, in the workspace when they fit. */
function emptySums(classes: number, room: Uint32Array): Sums {
  const even = classes + (classes & 1);
  const from = room.byteOffset % 8 === 0 ? 0 : 1;
  if (room.length < from + 6 * even) {
    return {
      counts: new Uint32Array(classes),
      until: new Uint32Array(classes),
      shallow: new Float64Array(classes),
      kept: new Float64Array(classes),
    };
  }
  room.fill(0, from, from + 6 * even);
  const at = room.byteOffset + from * 4;
  return {
    shallow: new Float64Array(room.buffer, at, classes),
    kept: new Float64Array(room.buffer, at + 8 * even, classes),
    counts: new Uint32Array(room.buffer, at + 16 * even, classes),
    until: new Uint32Array(room.buffer, at + 20 * even, classes),
  };
}
