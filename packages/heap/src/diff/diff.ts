import { statSync } from 'node:fs';
import type { ConstructorRow } from '../graph/constructors.ts';
import { failure } from '../errors.ts';
import type { KnownLeak } from '../known-leaks/known-leak.ts';
import { matchKnownLeak } from '../known-leaks/match.ts';
import { Snapshot, type SnapshotOptions } from '../opened-snapshot.ts';
import { openSnapshot } from '../snapshot.ts';
import { ScriptFactsReader } from '../trace/script-facts.ts';
import { bytesText, countText } from '../byte-text.ts';
import { boundOn, boundText, isHealthy, type CacheBound } from '../suspects/bound.ts';
import { holdersOn, type Severity } from '../suspects/suspects.ts';
import { descend } from '../trace/descend.ts';
import type { LeakTrace } from '../trace/leak-trace.ts';
import type { Hop } from '../graph/path-search.ts';
import { growthPoints, type GrowthPoint } from './growth.ts';
import { ObjectIds, type Turnover } from './object-ids.ts';
import { buildPathTree, type PathGroup, type PathTree } from './path-tree.ts';

/** A path at which objects accumulate from snapshot to snapshot. */
export interface Growth {
  readonly fingerprint: string;
  /** The class of what accumulates. */
  readonly name: string;
  /** Objects at the path, by snapshot. */
  readonly counts: readonly number[];
  /** Objects at the path that the first snapshot does not have at all; where ids cannot tell, those that it gained. */
  readonly fresh: number;
  /** Bytes at the path and below it, by snapshot. */
  readonly bytes: readonly number[];
  /** Bytes at the path and below it in the last snapshot that the first has, too; where ids cannot tell, all that the first has. */
  readonly keptBytes: number;
  /** Bytes more in the last snapshot than in the first. */
  readonly newBytes: number;
  /** Objects that hold them in the last snapshot, e.g. the lists of many sessions that are held in the same way. */
  readonly holders: number;
  readonly severity: Severity;
  readonly summary: string;
  readonly code: string;
  /** The retaining path of one of the new objects in the last snapshot. */
  readonly trace: LeakTrace['steps'];
  readonly knownLeak?: KnownLeak;
  /** The bound of the cache in which they accumulate, when it is a cache that is known to have one. */
  readonly bound?: CacheBound;
}

interface ConstructorChange {
  readonly name: string;
  readonly counts: readonly number[];
  readonly shallowBytes: readonly number[];
  readonly retainedBytes: readonly number[];
}

/** What `plimsoll diff A B [C] --json` prints. */
export interface Diff {
  readonly files: readonly string[];
  /** False when an object id does not mean the same object in both, as in two processes; then only paths and classes compare. */
  readonly sameProcess: boolean;
  readonly heapBytes: readonly number[];
  readonly nodes: readonly number[];
  readonly growth: readonly Growth[];
  /** Single objects that became larger from snapshot to snapshot, e.g. a buffer that is copied into a longer one. */
  readonly swollen: readonly Growth[];
  readonly constructors: readonly ConstructorChange[];
  /** Objects of the last snapshot that the first did not have, and the reverse; only within one process. */
  readonly appeared?: Turnover;
  readonly vanished?: Turnover;
  readonly ms: number;
  readonly peakRssBytes: number;
  readonly severity: Severity;
}

export interface DiffOptions extends SnapshotOptions {
  /** Growth rows at most; default 10. */
  readonly limit?: number;
  /** Constructor rows at most; default 20. */
  readonly top?: number;
  /** A path must gain at least so many bytes; default 4 KiB or a thousandth of the heap, whichever is more. */
  readonly leastBytes?: number;
  /** A path must gain at least so many objects; default 10. */
  readonly leastObjects?: number;
  /** Told of each snapshot while it is open, for further questions to it. */
  readonly onOpen?: (snapshot: Snapshot, index: number) => void;
}

/** What is kept of a snapshot once it is closed. */
interface Digest {
  readonly file: string;
  readonly heapBytes: number;
  readonly nodes: number;
  readonly tree: PathTree;
  readonly constructors: readonly ConstructorRow[];
}

const usualObjects = 10;
const severities: readonly Severity[] = ['info', 'low', 'medium', 'high', 'critical'];

/** Compares snapshots in the order they were taken, by path and by class. Only one is open at any time. */
export async function diff(sources: readonly string[], options: DiffOptions = {}): Promise<Diff> {
  if (sources.length < 2) throw failure('PLM_HEAP_DIFF_COUNT', { count: sources.length });
  const started = performance.now();
  const digests: Digest[] = [];
  const scripts = new ScriptFactsReader();
  const memory = { largestBytes: Math.max(...sources.map(sizeOf)) };
  let first: ObjectIds | undefined;
  for (const [index, source] of sources.entries()) {
    const reading = { scripts, ...options, keepRows: true };
    const snapshot = new Snapshot(await openSnapshot(source, reading, memory), reading);
    try {
      const isLast = index === sources.length - 1;
      const digest = digestOf(snapshot);
      options.onOpen?.(snapshot, index);
      // Last, because the paths are gone when anything else is asked for.
      digests.push({ ...digest, tree: buildPathTree(snapshot.graph, snapshot.names, first?.bits) });
      if (first !== undefined && isLast) return compare(digests, first, snapshot, options, started);
      first ??= new ObjectIds(snapshot.graph);
    } finally {
      snapshot.close();
    }
  }
  throw new Error('a comparison ends with its last snapshot');
}

/** Bytes of a file; of one that is not there its opening tells. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function digestOf(snapshot: Snapshot): Omit<Digest, 'tree'> {
  return {
    file: snapshot.file,
    heapBytes: snapshot.heapBytes,
    nodes: snapshot.graph.nodeCount,
    constructors: snapshot.constructors(),
  };
}

function compare(
  digests: readonly Digest[],
  first: ObjectIds,
  last: Snapshot,
  options: DiffOptions,
  started: number,
): Diff {
  const heapBytes = digests.map((digest) => digest.heapBytes);
  const least = options.leastBytes ?? Math.max(4096, (heapBytes.at(-1) as number) * 0.001);
  const leastObjects = options.leastObjects ?? usualObjects;
  const trees = digests.map((digest) => digest.tree);
  const { sameProcess, appeared, vanished } = first.exchangedFor(last.graph);
  const tree = trees.at(-1) as PathTree;
  const freshAt = ({ group, counts }: GrowthPoint): number =>
    sameProcess ? (tree.groups[group] as PathGroup).fresh : (counts.at(-1) as number) - (counts[0] as number);
  const idOf = sameProcess ? ({ sample }: PathGroup): number => last.graph.nodeId(sample) : undefined;
  const keptAt = ({ keptBytes, bytes }: GrowthPoint): number =>
    sameProcess ? keptBytes : (bytes[0] as number);
  const found = growthPoints(trees, leastObjects, least, idOf);
  const points = found.gained
    // Objects that were there before and are only reached by another path now did not accumulate.
    .filter((point) => freshAt(point) >= leastObjects)
    .slice(0, (options.limit ?? 10) * 3);
  const swollen = found.swollen.slice(0, options.limit ?? 10);
  const forest = last.graph.groupedPaths();
  const paths = new Map(
    [...points, ...swollen].map((point) => [
      point,
      forest.pathTo((tree.groups[point.group] as PathGroup).sample),
    ]),
  );
  const told = (point: GrowthPoint, keptBytes: number): Growth =>
    growthOf(last, tree.groups[point.group] as PathGroup, paths.get(point) as Hop[], point, {
      fresh: freshAt(point),
      keptBytes,
      holders: (tree.groups[(tree.groups[point.group] as PathGroup).parent] as PathGroup).count,
    });
  const growth = distinct(points.map((point) => told(point, keptAt(point))));
  const kept = growth.slice(0, options.limit ?? 10);
  return {
    files: digests.map((digest) => digest.file),
    sameProcess,
    heapBytes,
    nodes: digests.map((digest) => digest.nodes),
    growth: kept,
    swollen: distinct(swollen.map((point) => told(point, 0))),
    constructors: constructorChanges(digests).slice(0, options.top ?? 20),
    ...(sameProcess && { appeared, vanished }),
    ms: Math.round(performance.now() - started),
    peakRssBytes: process.resourceUsage().maxRSS * 1024,
    severity: kept.reduce<Severity>(
      (worst, { severity }) => (severities.indexOf(severity) > severities.indexOf(worst) ? severity : worst),
      'info',
    ),
  };
}

function growthOf(
  snapshot: Snapshot,
  group: PathGroup,
  path: readonly Hop[],
  point: GrowthPoint,
  turnover: Pick<Growth, 'fresh' | 'keptBytes' | 'holders'>,
): Growth {
  const { graph } = snapshot;
  const holder =
    path.findLast((hop) => hop.to !== group.sample && graph.isVisible(hop.to))?.to ?? graph.meta.rootNode;
  const gained = (point.counts.at(-1) as number) - (point.counts[0] as number);
  const newBytes = (point.bytes.at(-1) as number) - (point.bytes[0] as number);
  const isSwollen = gained === 0;
  const fromTo = `from ${bytesText(point.bytes[0] as number)} to ${bytesText(point.bytes.at(-1) as number)}`;
  const trace = snapshot.traceOf([...path, ...descend(graph, group.sample)], {
    holder,
    entry: group.sample,
    entries: point.counts.at(-1) as number,
    holderWhy: isSwollen ? `its ${group.name} grew` : `gained ${countText(gained)} × ${group.name}`,
    entryWhy: isSwollen ? `grew ${fromTo}` : `one of ${countText(gained)} alike, all new`,
  });
  const bound = boundOn(graph, holdersOn(path, group.sample));
  const matched = matchKnownLeak(trace.pattern);
  const knownLeak = isHealthy(bound, matched?.framework) ? undefined : matched;
  const ratio = newBytes / snapshot.heapBytes;
  const grave = knownLeak !== undefined || ratio >= 0.1 ? 'high' : ratio >= 0.03 ? 'medium' : 'low';
  // A plain object and a function without a name are known by one of them.
  const isNameless = group.name === 'Object' || group.name === '()';
  const shown = isNameless ? snapshot.names.node(group.sample) : group.name;
  const gainText = isSwollen
    ? `one ${shown} that grew ${fromTo}`
    : `${shown} ${point.counts.map(countText).join(' → ')}, ${bytesText(newBytes)} more`;
  return {
    fingerprint: trace.fingerprint,
    name: group.name,
    counts: point.counts,
    ...turnover,
    bytes: point.bytes,
    newBytes,
    severity: bound !== undefined && knownLeak === undefined ? 'info' : grave,
    summary: bound === undefined ? gainText : `${gainText}; ${boundText(bound)}`,
    code: trace.code,
    trace: trace.steps,
    ...(knownLeak !== undefined && { knownLeak }),
    ...(bound !== undefined && { bound }),
  };
}

function distinct(growth: readonly Growth[]): Growth[] {
  const seen = new Set<string>();
  return growth.filter(({ fingerprint }) => !seen.has(fingerprint) && seen.add(fingerprint));
}

/** Classes by how much their own bytes changed between first and last. */
function constructorChanges(digests: readonly Digest[]): ConstructorChange[] {
  const names = new Set(digests.flatMap((digest) => digest.constructors.map((row) => row.name)));
  const tables = digests.map((digest) => new Map(digest.constructors.map((row) => [row.name, row])));
  const column = (name: string, field: 'count' | 'shallowBytes' | 'retainedBytes'): number[] =>
    tables.map((table) => table.get(name)?.[field] ?? 0);
  const changeOf = (values: readonly number[]): number =>
    Math.abs((values.at(-1) as number) - (values[0] as number));
  return [...names]
    .map((name) => ({
      name,
      counts: column(name, 'count'),
      shallowBytes: column(name, 'shallowBytes'),
      retainedBytes: column(name, 'retainedBytes'),
    }))
    .filter((row) => changeOf(row.counts) > 0 || changeOf(row.shallowBytes) > 0)
    .sort((a, b) => changeOf(b.shallowBytes) - changeOf(a.shallowBytes) || (a.name < b.name ? -1 : 1));
}
