import type { PathGroup, PathTree } from './path-tree.ts';

/** A path at which more objects hang in every snapshot than in the one before. */
export interface GrowthPoint {
  /** Group in the last tree. */
  readonly group: number;
  /** Objects at the path, by snapshot. */
  readonly counts: readonly number[];
  /** Own bytes of these objects and all below them, by snapshot. */
  readonly bytes: readonly number[];
  /** The part of the last of them that the first snapshot has. */
  readonly keptBytes: number;
}

/** What the growth of a group and of all below it comes to, by snapshot, in the order of the last tree's groups. */
interface Series {
  readonly counts: Float64Array[];
  readonly subtree: Float64Array[];
  /** Own bytes of the groups alone. */
  readonly own: Float64Array[];
}

export interface GrowthPoints {
  /** Paths that gain objects in every step, largest growth first. */
  readonly gained: GrowthPoint[];
  /** Single objects that are larger in every snapshot, largest growth first: a text or buffer that is made anew, longer each time. */
  readonly swollen: GrowthPoint[];
}

/**
 * Paths that grow in every step. Of nested ones the outermost counts: below a map that gains entries
 * everything grows, and the map's entries are the reason. Trees are in the order in which the snapshots were taken. `idOf` gives the id of
 * a group's object in the last snapshot, where ids tell the same object in all of them.
 */
export function growthPoints(
  trees: readonly PathTree[],
  leastObjects: number,
  leastBytes: number,
  idOf?: (group: PathGroup) => number,
): GrowthPoints {
  const last = trees.at(-1) as PathTree;
  const series = align(trees, last, idOf);
  const kept = subtreeSums(last, ({ knownBytes }) => knownBytes);
  const isGrowing = new Uint8Array(last.groups.length);
  const points: GrowthPoint[] = [];
  const swollen: GrowthPoint[] = [];
  for (let group = 1; group < last.groups.length; group++) {
    const counts = series.counts.map((column) => column[group] as number);
    if (counts.every((count) => count === 1)) {
      const bytes = series.own.map((column) => column[group] as number);
      if (growsEveryStep(bytes) && (bytes.at(-1) as number) - (bytes[0] as number) >= leastSwellBytes)
        swollen.push({ group, counts, bytes, keptBytes: 0 });
    }
    if (!growsEveryStep(counts)) continue;
    isGrowing[group] = 1;
    const parent = (last.groups[group] as PathGroup).parent;
    const gained = (counts.at(-1) as number) - (counts[0] as number);
    if (gained < leastObjects || (isGrowing[parent] === 1 && grewAlong(series, parent, counts))) continue;
    const bytes = series.subtree.map((column) => column[group] as number);
    if ((bytes.at(-1) as number) - (bytes[0] as number) >= leastBytes)
      points.push({ group, counts, bytes, keptBytes: kept[group] as number });
  }
  const gain = (point: GrowthPoint): number => (point.bytes.at(-1) as number) - (point.bytes[0] as number);
  const led = leadersOf(points, last, gain);
  const mostFirst = (a: GrowthPoint, b: GrowthPoint): number => gain(b) - gain(a);
  return {
    gained: points.filter((point) => !led.has(point)).sort(mostFirst),
    swollen: swollen.sort(mostFirst),
  };
}

/**
 * Points that owe most of their bytes to one below them, through a single object: a few timers more, of which one leads to the map that
 * gained a thousand entries, are not the growth. Pages that each bring their rows are.
 */
function leadersOf(
  points: readonly GrowthPoint[],
  { groups }: PathTree,
  gain: (point: GrowthPoint) => number,
): ReadonlySet<GrowthPoint> {
  const led = new Set<GrowthPoint>();
  const pointAt = new Map(points.map((point) => [point.group, point]));
  for (const point of points) {
    let isThroughOne = false;
    for (let at = (groups[point.group] as PathGroup).parent; at > 0; at = (groups[at] as PathGroup).parent) {
      const above = isThroughOne ? pointAt.get(at) : undefined;
      if (above !== undefined && gain(point) >= leadingRatio * gain(above)) led.add(above);
      isThroughOne ||= (groups[at] as PathGroup).count === 1;
    }
  }
  return led;
}

const leadingRatio = 0.5;
/** Tables of maps and arrays grow by less with a few hundred entries. */
const leastSwellBytes = 256 * 1024;

/**
 * A group grows because its parent does, when that gained about as many objects, or when each of the parent's objects has as many as
 * before: the steps of runs become more with the runs.
 */
function grewAlong(series: Series, parent: number, counts: readonly number[]): boolean {
  const above = series.counts.map((column) => column[parent] as number);
  const before = counts[0] as number;
  const after = counts.at(-1) as number;
  const gained = (above.at(-1) as number) - (above[0] as number);
  const eachBefore = before / (above[0] as number);
  const eachAfter = after / (above.at(-1) as number);
  return gained >= alongRatio * (after - before) || eachAfter <= evenRatio * eachBefore;
}

const alongRatio = 0.2;
/** Objects with this many more entries each than before have about as many. */
const evenRatio = 1.1;

function growsEveryStep(counts: readonly number[]): boolean {
  return counts.every((count, i) => i === 0 || count > (counts[i - 1] as number));
}

/**
 * Counts and subtree bytes of each snapshot at the paths of the last one. An object that is alone at its path is the same by its id: the
 * cheapest path to a server's containers is another one while requests are in flight.
 */
function align(
  trees: readonly PathTree[],
  last: PathTree,
  idOf: ((group: PathGroup) => number) | undefined,
): Series {
  const size = last.groups.length;
  const counts = trees.map(() => new Float64Array(size));
  const subtree = trees.map(() => new Float64Array(size));
  const own = trees.map(() => new Float64Array(size));
  trees.forEach((tree, t) => {
    const same = new Int32Array(size).fill(-1);
    same[0] = 0;
    const total = subtreeSums(tree, ({ bytes }) => bytes);
    for (let group = 1; group < size; group++) {
      const here = last.groups[group] as PathGroup;
      const { parent, via, name } = here;
      const above = same[parent] as number;
      let found = tree === last ? group : -1;
      if (found < 0 && idOf !== undefined && here.count === 1) found = tree.groupOf(idOf(here));
      if (found < 0 && above >= 0) found = tree.child(above, via, name);
      same[group] = found;
      if (found < 0) continue;
      (counts[t] as Float64Array)[group] = (tree.groups[found] as PathGroup).count;
      (subtree[t] as Float64Array)[group] = total[found] as number;
      (own[t] as Float64Array)[group] = (tree.groups[found] as PathGroup).bytes;
    }
  });
  return { counts, subtree, own };
}

/** A group comes after its parent, so that one sweep from the end sums up. */
function subtreeSums(tree: PathTree, own: (group: PathGroup) => number): Float64Array {
  const total = Float64Array.from(tree.groups, own);
  for (let group = tree.groups.length - 1; group > 0; group--) {
    const { parent } = tree.groups[group] as PathGroup;
    total[parent] = (total[parent] as number) + (total[group] as number);
  }
  return total;
}
