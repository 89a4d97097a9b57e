import { mostClosures } from './chains-and-texts.ts';
import { judgeGrowth, type Judgement, type WorkPoint } from '../judge/growth-shape.ts';
import type { ContainerKind, FoundContainer, PathStep } from './found-container.ts';
import { mostKeys, valueAt } from './key-sample.ts';
import { valuesOf, weigh, type EntryWeight } from './entry-weight.ts';
import { isWithin, type DeclaredLimits } from './declared-limits.ts';
import type { ListenerFunction } from './listener-list.ts';
import { anyEntry } from './container-name.ts';
import { followsLoad, lagsBehindLoad } from './follows-load.ts';
import { innerCount } from './inner-lists.ts';
import { OldestEntry } from './oldest-entry.ts';

/** A container of the program whose number of entries grew while it was watched. */
export interface GrownContainer extends EntryWeight {
  readonly path: readonly PathStep[];
  readonly kind: ContainerKind;
  readonly count: number;
  /** For lists, their number if known. */
  readonly lists?: number;
  readonly gained: number;
  /**
   * `filling` for a cache that knows its limits and is within them, `leaving` for a container whose oldest entries go or
   * which has as many as the load makes them. Neither accuses anybody, however its number of entries grew.
   */
  readonly shape: Judgement['shape'] | 'filling' | 'leaving';
  readonly odds: number;
  /** Entries gained per work before it was found, divided by those per work since then. 0 for one that was empty when it was found. */
  readonly formerPace: number;
  readonly listener?: ListenerFunction;
  /** Most entries that it or its owner says it keeps. */
  readonly bound?: number;
  /** How long each is kept by that, when it was watched for less time. */
  readonly keepsMs?: number;
  /** True when its owner says so. */
  readonly isOfOwner?: boolean;
}

interface Row {
  /** Undefined for a container that is only counted at a walk, or elsewhere. */
  ref: WeakRef<object> | undefined;
  links: FoundContainer['links'];
  sample: FoundContainer['sample'];
  listener: ListenerFunction | undefined;
  /** An object, chain or set of lists that takes long to count is not counted before this time. */
  notBefore: number;
  limits: DeclaredLimits | undefined;
  readonly oldest: OldestEntry;
  beside: readonly WeakRef<readonly unknown[]>[];
  readonly path: readonly PathStep[];
  readonly kind: ContainerKind;
  points: WorkPoint[];
  /** True when its number of entries has changed. */
  hasMoved: boolean;
  /** For a chain of closures, the first one, and how often a walk found a new first one that leads to it. */
  head: WeakRef<object> | undefined;
  renewed: number;
  /** Walks since the end of the container that did not find the path again. */
  missed: number;
}

const mostRows = 200;
const mostPoints = 96;
/** Most points of a container that never changes. More would only add memory of ours that grows with the program's. */
const mostSame = 8;
/** Least number of gained entries that counts. */
const leastGained = 64;
const mostGrown = 5;
/** Most containers without entry sizes that are named in addition. */
const mostLight = 3;
/** A chain grows when walks have found this many times a new first closure that keeps the previous one. */
const leastRenewed = 2;
const fewestPoints = 5;
/** Bytes per entry for the judge of shapes, so that single entries count as noise. */
const countUnit = 4096;
const bounds = { leastBytes: leastGained * countUnit, leastRatio: 0.05 };
/** Share of a core for counting keys and lists by listing them, and links of a chain by following them. */
const countRatio = 0.005;
const longestChain = 50_000;
/** A container has stopped when its pace in the last part of the work is below this share of its mean pace. */
const lateRatio = 0.03;
const stoppedPace = 0.25;
/** Below this share of its usual work per time the program is idle. */
const idlePace = 0.35;

/** Follows the number of entries of each container, from floor to floor. Reading the size of a Map, Set or array costs nothing. */
export class ContainerCounts {
  readonly #rows = new Map<string, Row>();
  #looks = 0;
  #judged: { readonly looks: number; readonly grown: readonly GrownContainer[] } | undefined;

  get size(): number {
    return this.#rows.size;
  }

  /** Takes the containers of a walk. A container that was replaced by another at the same path continues as the same one. */
  add(found: readonly FoundContainer[], at: number, work: number): void {
    const seen = new Set<string>();
    for (const each of found) {
      const key = keyOf(each.path);
      if (seen.has(key)) continue;
      seen.add(key);
      const row = this.#row(each.path, each.kind);
      if (row === undefined) continue;
      row.missed = 0;
      row.links = each.links;
      row.limits = each.limits;
      row.beside = each.beside?.map((list) => new WeakRef(list)) ?? [];
      row.sample = each.sample ?? row.sample;
      row.listener = each.listener ?? row.listener;
      // The first link of a chain in a variable changes, so the chain is only counted here.
      const isOnce = each.count !== undefined || (each.kind === 'chain' && each.links?.first === undefined);
      row.ref = isOnce ? undefined : new WeakRef(each.object);
      if (each.kind === 'closures') renew(row, each.object);
      // A list that is replaced by a longer one at each change is gone at the next floor, so it is counted now.
      if (each.count === undefined) this.#count(row, at, work, each.object);
      else this.#push(row, at, work, each.count);
    }
    for (const [key, row] of this.#rows)
      if (!seen.has(key) && row.kind !== 'resources' && row.ref?.deref() === undefined && ++row.missed > 1)
        this.#rows.delete(key);
  }

  /** Takes a count from elsewhere. */
  see(path: readonly PathStep[], at: number, work: number, count: number): void {
    const row = this.#row(path, 'resources');
    if (row !== undefined) this.#push(row, at, work, count);
  }

  #row(path: readonly PathStep[], kind: ContainerKind): Row | undefined {
    const key = keyOf(path);
    let row = this.#rows.get(key);
    if (row === undefined && (this.#rows.size < mostRows || this.#dropResting()))
      this.#rows.set(key, (row = newRow(path, kind)));
    return row;
  }

  /** Gives the room of a container whose entries never changed to another one: a framework has very many such lists. */
  #dropResting(): boolean {
    for (const [key, { kind, points, hasMoved }] of this.#rows)
      if (!hasMoved && kind !== 'resources' && points.length >= fewestPoints) return this.#rows.delete(key);
    return false;
  }

  #push(row: Row, at: number, work: number, count: number): void {
    const bytes = countUnit * count;
    row.points.push({ at, work, bytes });
    row.hasMoved ||= bytes !== row.points[0]?.bytes;
    if (row.points.length > (row.hasMoved ? mostPoints : mostSame))
      row.points = row.points.filter((_, i) => i % 2 === 0 || i > mostPoints / 2);
  }

  /** Reads all sizes at a floor, with the bytes that were allocated by then. Growth is judged again. */
  look(at: number, work: number): void {
    this.#looks++;
    this.count(at, work);
  }

  /** Reads all sizes between two floors. So a process that hardly ever collects also has enough points. */
  count(at: number, work: number): void {
    for (const row of this.#rows.values()) {
      const object = row.ref?.deref();
      if (object !== undefined) this.#count(row, at, work, object);
    }
  }

  /** The containers that gained most, by bytes of the gained entries. */
  grown(): readonly GrownContainer[] {
    if (this.#judged?.looks !== this.#looks) this.#judged = { looks: this.#looks, grown: this.#judge() };
    return this.#judged.grown;
  }

  #count(row: Row, at: number, work: number, object: object): void {
    const isListed = row.kind === 'object' || row.kind === 'chain' || row.kind === 'lists';
    if (isListed && (at < row.notBefore || (row.kind === 'object' && countOf(row) > mostKeys))) return;
    const before = performance.now();
    row.oldest.look(object, at);
    this.#push(row, at, work, sizeOf(object, row));
    if (isListed) row.notBefore = at + (performance.now() - before) / countRatio;
  }

  #judge(): readonly GrownContainer[] {
    const grown = [...this.#rows.values()]
      .flatMap((row) => {
        const gained = gainedIn(row);
        if (gained < leastGained || !this.#isTold(row)) return [];
        return [{ row, gained, weight: weigh(row.ref?.deref(), row, listsOf(row)) }];
      })
      .toSorted(
        (a, b) => b.gained * b.weight.entryBytes - a.gained * a.weight.entryBytes || b.gained - a.gained,
      );
    const heavy = grown.slice(0, mostGrown);
    const light = grown
      .slice(mostGrown)
      .filter(({ weight }) => weight.isLight)
      .slice(0, mostLight);
    return [...heavy, ...light].map(({ row, gained, weight }) => {
      const judged = row.kind === 'closures' ? endless : judgeGrowth(row.points, bounds);
      const { odds } = judged;
      const limits = limitsOf(row);
      const outer = this.#outerOf(row);
      const lists = outer === undefined ? {} : { lists: countOf(outer) };
      return {
        path: row.path,
        kind: row.kind,
        count: countOf(row),
        ...lists,
        gained,
        ...weight,
        shape: isWithin(limits, countOf(row)) ? 'filling' : shapeOf(row, judged),
        odds,
        formerPace: formerPaceOf(row.points),
        ...(row.listener !== undefined && { listener: row.listener }),
        ...limits,
      };
    });
  }

  /** True when it has enough counts to be judged and is not part of another such container. */
  #isTold(row: Row): boolean {
    if (row.kind === 'closures')
      return row.renewed >= leastRenewed && (row.points.at(-1)?.bytes ?? 0) >= countUnit * mostClosures;
    return row.points.length >= fewestPoints && !this.#isOfGrown(row);
  }

  /** True for lists of a container whose own number of entries grows, because each new entry brings its list. */
  #isOfGrown(row: Row): boolean {
    const outer = this.#outerOf(row);
    return outer !== undefined && gainedIn(outer) >= leastGained && !hasStopped(outer.points);
  }

  /** The container whose entries have these lists. */
  #outerOf({ kind, path }: Row): Row | undefined {
    if (kind !== 'lists') return undefined;
    return this.#rows.get(
      keyOf(
        path.slice(
          0,
          path.findLastIndex(({ via }) => via === anyEntry),
        ),
      ),
    );
  }
}

/** A chain of closures is counted up to a bound. One of that length whose first closure keeps changing grows without end. */
const endless = { shape: 'growing', odds: 0 } as const;

/**
 * Whether it recently gained almost nothing although the program worked, like a cache that has just reached its bound. Counts have no
 * noise, so a small part of the work is enough. An idle program is no evidence.
 */
function hasStopped(points: readonly WorkPoint[]): boolean {
  const first = points[0] as WorkPoint;
  const last = points.at(-1) as WorkPoint;
  const work = last.work - first.work;
  const before = points.findLast((point) => last.work - point.work >= lateRatio * work);
  if (before === undefined || work <= 0) return false;
  const lateWork = last.work - before.work;
  if (lateWork / (last.at - before.at) < idlePace * (work / (last.at - first.at))) return false;
  return (last.bytes - before.bytes) / lateWork < stoppedPace * ((last.bytes - first.bytes) / work);
}

function shapeOf(
  { points, oldest, kind }: Row,
  { shape }: Pick<Judgement, 'shape'>,
): GrownContainer['shape'] {
  const isOfLoad = followsLoad(points) || (kind === 'resources' && lagsBehindLoad(points));
  if (shape === 'growing' && (oldest.isLeaving || isOfLoad)) return 'leaving';
  return shape === 'growing' && hasStopped(points) ? 'ended' : shape;
}

/**
 * The pace before it was found. A table that was found when it was half full looks like a slow leak; only its entries at that time show the
 * difference.
 */
function formerPaceOf(points: readonly WorkPoint[]): number {
  const first = points[0] as WorkPoint;
  const last = points.at(-1) as WorkPoint;
  const gained = last.bytes - first.bytes;
  if (first.bytes <= 0 || first.work <= 0 || gained <= 0) return 0;
  return (first.bytes / first.work) * ((last.work - first.work) / gained);
}

/** The time that entries are kept only matters while none can be old enough to go. */
function limitsOf({ limits = {}, points }: Row): DeclaredLimits {
  const { bound, keepsMs = 0, isOfOwner } = limits;
  const watchedMs = (points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0);
  return {
    ...(bound !== undefined && { bound }),
    ...(watchedMs < keepsMs && { keepsMs }),
    ...(isOfOwner === true && { isOfOwner }),
  };
}

function listsOf({ beside }: Row): readonly (readonly unknown[])[] {
  return beside.map((ref) => ref.deref()).filter((list) => list !== undefined);
}

function newRow(path: readonly PathStep[], kind: ContainerKind): Row {
  return {
    ref: undefined,
    links: undefined,
    sample: undefined,
    listener: undefined,
    notBefore: 0,
    limits: undefined,
    oldest: new OldestEntry(),
    beside: [],
    path,
    kind,
    points: [],
    hasMoved: false,
    missed: 0,
    head: undefined,
    renewed: 0,
  };
}

/**
 * Takes the first closure of a chain. The chain grew when the first one has changed and the former one is still there. A stack of
 * middleware may be as long, but its first closure stays the same.
 */
function renew(row: Row, head: object): void {
  const former = row.head?.deref();
  if (former !== undefined && former !== head) row.renewed++;
  if (former !== head) row.head = new WeakRef(head);
}

function keyOf(path: readonly PathStep[]): string {
  return path.map(({ via }) => via).join('\n');
}

function countOf({ points }: Row): number {
  return (points.at(-1)?.bytes ?? 0) / countUnit;
}

function gainedIn({ kind, points }: Row): number {
  const least = kind === 'closures' ? 0 : Math.min(...points.map(({ bytes }) => bytes));
  return ((points.at(-1)?.bytes ?? 0) - least) / countUnit;
}

function sizeOf(
  object: object,
  { kind, links, sample }: Pick<FoundContainer, 'kind' | 'links' | 'sample'>,
): number {
  if (kind === 'text') {
    const text = valueAt(object, links?.first ?? '');
    return typeof text === 'string' ? Math.floor(text.length / 1024) : 0;
  }
  if (kind === 'lists')
    return innerCount(valuesOf(object, sample), sample?.size ?? sizeAs(object), links?.first);
  if (kind === 'chain') return links === undefined ? 0 : lengthOf(object, links);
  if (kind === 'object') return Object.keys(object).length;
  return sizeAs(object);
}

function sizeAs(object: object): number {
  return Array.isArray(object) ? object.length : (object as ReadonlySet<unknown>).size;
}

function lengthOf(object: object, { first, next }: Exclude<FoundContainer['links'], undefined>): number {
  let count = 0;
  let at: unknown = first === undefined ? object : valueAt(object, first);
  for (; typeof at === 'object' && at !== null && count < longestChain; count++) at = valueAt(at, next);
  return count;
}
