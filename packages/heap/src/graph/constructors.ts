import { classify, type Classes } from './classes.ts';
import { sizeOf } from '../kernel/columns.ts';
import type { Scan } from './scan.ts';
import type { DominatorTree } from './dominator-tree.ts';

/** One row of the constructor table. */
export interface ConstructorRow {
  readonly name: string;
  readonly count: number;
  /** Own bytes, backing stores included. */
  readonly shallowBytes: number;
  /** Bytes kept alive by the instances together, none counted twice. */
  readonly retainedBytes: number;
}

/**
 * The constructor table of Chrome DevTools, largest retained first. With `nameOf`, classes that get the same name are one
 * row, whose retained bytes count nothing twice.
 */
export function constructorTable(
  scan: Scan,
  tree: DominatorTree,
  nameOf?: (name: string) => string,
): readonly ConstructorRow[] {
  const { kernel, columns, space } = scan;
  const { nodeCount: count, size } = columns;
  const { vertex, members, retained } = tree;
  const sequence = tree.sequence();
  const room = space.sources;
  const classOf = space.path.subarray(0, count);
  space.users.path = null;
  space.users.sources = null;
  const classes = renamed(classify(scan, classOf, room), nameOf);
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

/** Gives classes other names; those with the same name become one. */
function renamed(classes: Classes, nameOf: ((name: string) => string) | undefined): Classes {
  if (nameOf === undefined) return classes;
  const { of } = classes;
  const numbers = new Map<string, number>();
  const merged = Uint32Array.from(classes.names, (name) => {
    const shown = nameOf(name);
    const known = numbers.get(shown) ?? numbers.size;
    numbers.set(shown, known);
    return known;
  });
  for (let n = 0; n < of.length; n++) of[n] = merged[of[n] as number] as number;
  return { of, names: [...numbers.keys()] };
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
