/**
 * Finds the functions that allocate surviving objects, from two or more reads of V8's sampling heap profiler.
 *
 * Every sample has an ordinal that never changes, so between two reads births and deaths are counted per function. Entries of a cache at
 * its bound are born and die at the same pace; entries of a leak are only born. In a steady state a change is as likely a death as a birth,
 * so P(deaths <= d) is binomial with 1/2, exactly and at any scale. Three rules make it hold on real servers:
 * - every function of the stack counts, not only the innermost: inlining moves the innermost one while the program runs;
 * - samples come in clumps (one session holds many), so counts are divided by their overdispersion;
 * - the floor must confirm the growth: a sampler that started late sees births of a cache that replaces entries, and no deaths of old ones.
 */
import { lineThrough } from '../judge/line.ts';

/** One sampled object: the functions of its stack, innermost first, as indices into the list of sites. */
export interface SampledObject {
  readonly ordinal: number;
  readonly bytes: number;
  readonly sites: readonly number[];
}

/** One read of the profiler, right after a collection. */
export interface SiteRead {
  /** Wall time, ms since the epoch. */
  readonly at: number;
  /** Live bytes of the heap. */
  readonly heapBytes: number;
  readonly objects: readonly SampledObject[];
}

/** The surviving allocations of one function. */
interface SiteRow {
  /** Index into the list of sites. */
  readonly site: number;
  /** Growth of its objects in bytes per hour, with a band of two standard errors. */
  readonly perHour: number;
  readonly low: number;
  readonly high: number;
  /** Bytes per hour of objects that it allocated itself, without what it called. */
  readonly ownPerHour: number;
  readonly born: number;
  readonly died: number;
  /** Deaths per birth, counted from read to read. When a value is replaced by a larger one, the bytes grow and the old value dies. */
  readonly replaced: number;
  /** Probability of so few deaths in a steady state, corrected for the number of functions that were tested. */
  readonly p: number;
  /** True when its objects are added and not replaced, and the floor confirms it. */
  readonly isAdded: boolean;
  /** The callers for most of its own added bytes, innermost first. */
  readonly callers: readonly number[];
}

export interface SiteGrowth {
  /** Slope of the floor over the reads, bytes per hour, and its standard error. */
  readonly floor: { readonly perHour: number; readonly error: number };
  /** False while objects from before the sampler are still being replaced. Then no function is accused. */
  readonly isSettled: boolean;
  /** Most own bytes first. */
  readonly rows: readonly SiteRow[];
}

const hourMs = 3_600_000;
/** Corrected probability below which a function is accused. */
const alpha = 0.01;
/** Least growth in bytes per hour for naming a function: 2 KiB per second. */
const leastPerHour = 2048 * 3600;
/** The floor must rise by this share of the function's added bytes. */
const floorShare = 0.3;
/** Share of all sampled growth that the floor must show before the sampler counts as settled. */
const settledShare = 0.5;
const fewestReads = 3;
const fewestChanges = 5;

interface Tally {
  born: number;
  died: number;
  bytes: number;
  own: number;
  squares: number;
  changes: number;
  readonly windows: number[];
  /** Bytes that it allocated itself, by the stack. */
  readonly stacks: Map<readonly number[], number>;
}

/** The growth of every function over the reads; undefined with fewer than three. */
export function siteGrowth(reads: readonly SiteRead[]): SiteGrowth | undefined {
  const first = reads[0];
  const last = reads.at(-1);
  if (first === undefined || last === undefined || reads.length < fewestReads || last.at <= first.at)
    return undefined;
  const hours = (last.at - first.at) / hourMs;
  const tallies = tally(reads, first, last);
  const floor = floorLine(reads);
  const all = [...tallies.values()];
  const total = all.reduce((sum, each) => sum + each.own, 0) / hours;
  const isSettled = floor.perHour + 2 * floor.error > settledShare * total;
  const tested = Math.max(1, all.filter(({ born, died }) => born + died >= fewestChanges).length);
  const shares = reads.slice(1).map(({ at }, i) => (at - (reads[i] as SiteRead).at) / (last.at - first.at));
  const rows = [...tallies].map(([site, each]): SiteRow => {
    const clump = clumpOf(each, shares);
    const perHour = each.bytes / hours;
    const half = (2 * Math.sqrt(clump * each.squares)) / hours;
    const p = Math.min(1, tested * fewDeaths(each.died / clump, (each.born + each.died) / clump));
    const isConfirmed = floor.perHour - 2 * floor.error > floorShare * perHour;
    return {
      site,
      perHour,
      low: perHour - half,
      high: perHour + half,
      ownPerHour: each.own / hours,
      born: each.born,
      died: each.died,
      replaced: replacedIn(each),
      p,
      callers: callersOf(each),
      isAdded: isSettled && isConfirmed && p < alpha && perHour - half > leastPerHour,
    };
  });
  return { floor, isSettled, rows: rows.toSorted((a, b) => b.ownPerHour - a.ownPerHour) };
}

function tally(reads: readonly SiteRead[], first: SiteRead, last: SiteRead): Map<number, Tally> {
  const tallies = new Map<number, Tally>();
  const of = (site: number): Tally => {
    const found = tallies.get(site);
    if (found !== undefined) return found;
    const made: Tally = {
      born: 0,
      died: 0,
      bytes: 0,
      own: 0,
      squares: 0,
      changes: 0,
      windows: Array.from({ length: reads.length - 1 }, () => 0),
      stacks: new Map(),
    };
    tallies.set(site, made);
    return made;
  };
  changes(first, last, ({ bytes, sites }, sign) => {
    if (sites[0] !== undefined) {
      const { stacks } = of(sites[0]);
      of(sites[0]).own += sign * bytes;
      stacks.set(sites, (stacks.get(sites) ?? 0) + sign * bytes);
    }
    for (const site of new Set(sites)) {
      const each = of(site);
      if (sign > 0) each.born++;
      else each.died++;
      each.bytes += sign * bytes;
      each.squares += bytes ** 2;
    }
  });
  reads.slice(1).forEach((read, i) =>
    changes(reads[i] as SiteRead, read, ({ sites }, sign) => {
      for (const site of new Set(sites)) {
        const each = of(site);
        each.windows[i] = (each.windows[i] as number) + sign;
        each.changes++;
      }
    }),
  );
  return tallies;
}

/**
 * The callers of the largest stack. Objects of one read share the list of their stack, so equal stacks of different reads are counted
 * separately.
 */
function callersOf({ stacks }: Tally): readonly number[] {
  let most: readonly number[] = [];
  let mostBytes = 0;
  for (const [stack, bytes] of stacks)
    if (bytes > mostBytes) {
      most = stack;
      mostBytes = bytes;
    }
  return most.slice(1);
}

/** Births and deaths between two reads, by ordinal. */
function changes(a: SiteRead, b: SiteRead, take: (object: SampledObject, sign: 1 | -1) => void): void {
  const before = new Set(a.objects.map(({ ordinal }) => ordinal));
  const after = new Set(b.objects.map(({ ordinal }) => ordinal));
  for (const object of b.objects) if (!before.has(object.ordinal)) take(object, 1);
  for (const object of a.objects) if (!after.has(object.ordinal)) take(object, -1);
}

function replacedIn({ windows, changes: count }: Tally): number {
  const net = windows.reduce((sum, value) => sum + value, 0);
  return count + net === 0 ? 0 : (count - net) / (count + net);
}

/**
 * Mean number of samples per clump, by the spread between windows; 2 with too few windows. `shares` are their parts of the time: older
 * windows are longer, because reads between them were dropped, and have more samples for that reason alone.
 */
function clumpOf({ windows, changes: count }: Tally, shares: readonly number[]): number {
  const n = windows.length;
  if (n < 4) return 2;
  const net = windows.reduce((sum, value) => sum + value, 0);
  const spread = windows.reduce((sum, value, i) => {
    const share = Math.max(Number.EPSILON, shares[i] as number);
    return sum + (value - net * share) ** 2 / share;
  }, 0);
  return Math.max(1, spread / (n - 1) / Math.max(1, count));
}

/** P(X <= deaths) of a binomial with 1/2. */
function fewDeaths(deaths: number, count: number): number {
  const n = Math.round(count);
  if (n < 1) return 1;
  let logP = -n * Math.LN2;
  let sum = 0;
  for (let i = 0; i <= Math.floor(deaths); i++) {
    sum += Math.exp(logP);
    logP += Math.log((n - i) / (i + 1));
  }
  return Math.min(1, sum);
}

function floorLine(reads: readonly SiteRead[]): SiteGrowth['floor'] {
  const start = (reads[0] as SiteRead).at;
  const { slope, error } = lineThrough(
    reads.map(({ at, heapBytes }) => ({ x: (at - start) / hourMs, y: heapBytes })),
  );
  return { perHour: slope, error };
}
