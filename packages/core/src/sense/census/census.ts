/**
 * Tier 1: how many bytes each scope holds, by walking the object graph from the roots registered on scopes, round and round, in slices
 * of 0.2 ms and at most 1 % of a core.
 *
 * A rotation takes stock of the scopes that were used since the last one, now and then of all, looks at a sample of them for what they
 * share, and then measures: scopes never measured first, then those used since they were measured, the largest first. A scope that was
 * idle since (no run, touch or lease) is measured again after a minute, in case something changed it from outside, and more rarely while it
 * stays the same. What a walk cannot see
 * (closures, private fields, promise reactions) and what no scope registered stays in `unattributed`.
 */
import type { ClosingScope } from '../../scope/close-tree.ts';
import { GrownLists } from '../../meter/grown-lists.ts';
import { Joints } from '../../meter/joints.ts';
import { Shapes } from '../../meter/shapes.ts';
import { startWork, systemClock } from '../clock.ts';
import type { Clock } from '../clock.ts';
import { bounded } from '../option.ts';
import type { SelfCost } from '../self-cost.ts';
import { CensusBook } from './census-book.ts';
import { Fence } from './fence.ts';
import { KnownWords } from './known-words.ts';
import { Lens } from './lens.ts';
import { Rotation } from './rotation.ts';
import { groupOf } from './scope-groups.ts';
import type { CensusRoster, RosterItem } from './rotation.ts';
import { ScopeWalk } from './scope-walk.ts';
import type { CensusResult, Learned, ScopeWalkOptions } from './scope-walk.ts';
import { TimeBudget } from './time-budget.ts';
import { Twins } from './same-string.ts';

/** Kinds of scopes whose arrays and strings are told apart. */
const mostGroups = 200;
const slicesPerGroup = 5;
/** A look for what scopes share. While none is opened or used it would find the same, so it then comes as rarely as idle scopes are measured. */
const discoverEveryMs = 20_000;
/**
 * Between two discoveries a rotation looks only at scopes that were used, or at all after this long while something hides in one that was
 * not looked at yet. With very many scopes both come later: a look at all takes up to a microsecond per scope.
 */
const allEveryMs = 2000;
const restMsPerScope = 1;
/**
 * Time granted once at the start, still in slices: until V8 has compiled the walk it takes several times as long per object. The first
 * 10,000 sessions have a figure within seconds with it, and after a minute without.
 */
const warmUpMs = 200;
/** Of the share of a core, for scopes that close: their walks hold up the calls that close them. */
const closingsRatio = 0.2;
/** Measured scopes that each reading looks at, and drops when they have closed. */
const prunedPerReading = 32;
/** Pause after a fault, which may last for a while. */
const faultRestMs = 1000;
export interface CensusOptions {
  readonly roster: CensusRoster;
  readonly clock?: Clock;
  /** Share of one core, 0.0001 to 0.5; default 0.005, which with looks into private fields stays below 1 %. */
  readonly cpuRatio?: number;
  /** Longest slice in ms, 0.05 to 10; default 0.2. */
  readonly sliceMs?: number;
  /** Least ms between the beginnings of two rotations, 0 to an hour; default 1,000. */
  readonly rotationMs?: number;
  /** Age in ms from which an idle scope is measured again, 0 to an hour; default 60,000. Up to ten times as long while it stays the same. */
  readonly idleAfterMs?: number;
  /** Objects visited per scope before its size is extrapolated, 1,000 to 1,000,000; default 100,000. */
  readonly maxObjects?: number;
  /** Whether long strings in pieces are flattened when met, default true: it saves the owner memory and makes the size known. */
  readonly flatten?: boolean;
  /** Whether private fields and closures are looked into through the inspector of the own process, 0.2 % of a core; default true. */
  readonly lookInside?: boolean;
  /** Called with what a scope held that closes; a short one is in no reading. */
  readonly onClosing?: (path: string, bytes: number, at: number) => void;
  /** Where the census reports its own time and bytes. */
  readonly self?: SelfCost;
}

interface CensusTotal {
  /** Scopes measured. */
  readonly scopes: number;
  readonly bytes: number;
  readonly external: number;
  /** Rotations completed. */
  readonly rotations: number;
  /** How long the last one took, ms. */
  readonly rotationMs: number;
  /** Measurements that failed; the scope keeps its last result. */
  readonly faults: number;
  /** Share of one core since the start, as measured around slices. */
  readonly cpuRatio: number;
}

/** The rotating walker over registered scope roots. */
export class Census {
  readonly #roster: CensusRoster;
  readonly #clock: Clock;
  readonly #sliceMs: number;
  readonly #rotationMs: number;
  readonly #idleAfterMs: number;
  readonly #self: SelfCost | undefined;
  readonly #walkOptions: Required<ScopeWalkOptions>;
  readonly #onClosing: CensusOptions['onClosing'];
  readonly #fence = new Fence();
  readonly #book = new CensusBook();
  readonly #budget: TimeBudget;
  /**
   * The part of it for scopes that close, of which a few speak for the others. It has nothing of what is granted at the start: short calls
   * would use that up, and no session gets it.
   */
  readonly #closings: TimeBudget;
  #learned = new Map<string, Learned>();
  #rotation: Rotation | undefined;
  /** Scopes whose roots the last rotation put down to be looked into first. */
  #deferred: readonly RosterItem[] = [];
  #cancel: (() => void) | undefined;
  #startedAt = 0;
  #rotationStart = 0;
  #stockedAt = Number.NEGATIVE_INFINITY;
  #discoveredAt = Number.NEGATIVE_INFINITY;
  /** True when a scope was opened or used since the last discovery. */
  #isUsed = true;
  #allAt = Number.NEGATIVE_INFINITY;
  /** Of the fence, when every root was last claimed. */
  #claimedEpoch = -1;
  #lastRotationMs = 0;
  #rotations = 0;
  #faults = 0;
  #spentMs = 0;

  constructor(options: CensusOptions) {
    this.#roster = options.roster;
    this.#clock = options.clock ?? systemClock;
    const cpuRatio = bounded('cpuRatio', options.cpuRatio ?? 0.005, 0.0001, 0.5);
    this.#sliceMs = bounded('sliceMs', options.sliceMs ?? 0.2, 0.05, 10);
    this.#rotationMs = bounded('rotationMs', options.rotationMs ?? 1000, 0, 3_600_000);
    this.#idleAfterMs = bounded('idleAfterMs', options.idleAfterMs ?? 60_000, 0, 3_600_000);
    this.#walkOptions = {
      maxObjects: bounded('maxObjects', options.maxObjects ?? 100_000, 1000, 1_000_000),
      flatten: options.flatten ?? true,
      lens: options.lookInside === false ? undefined : new Lens(this.#clock),
      learned: (group) => this.#learnedOf(group),
      isFirst: false,
      shapes: new Shapes(),
    };
    const burstMs = slicesPerGroup * this.#sliceMs;
    this.#budget = new TimeBudget(cpuRatio, burstMs, this.#clock.monotonic(), warmUpMs);
    this.#closings = new TimeBudget(closingsRatio * cpuRatio, burstMs, this.#clock.monotonic());
    this.#self = options.self;
    this.#onClosing = options.onClosing;
    this.#self?.retains('census', () => this.retainedBytes);
  }

  get retainedBytes(): number {
    const { lens, shapes } = this.#walkOptions;
    const learned = shapes.retainedBytes + (lens?.retainedBytes ?? 0);
    const rotation = this.#rotation?.retainedBytes ?? 0;
    return this.#book.retainedBytes + this.#fence.retainedBytes + rotation + learned;
  }

  start(): void {
    if (this.#cancel !== undefined) return;
    this.#startedAt = this.#clock.monotonic();
    this.#spentMs = 0;
    if (this.#roster.weigher !== undefined) this.#roster.weigher.bytesOf = this.#weigh;
    this.#arm(0);
  }

  /** Ends the rotation and lets go of everything but the results. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#rotation = undefined;
    this.#deferred = [];
    this.#roster.leaveRoots?.(this);
    const { weigher } = this.#roster;
    if (weigher?.bytesOf === this.#weigh) weigher.bytesOf = undefined;
  }

  /** Looks into every object that waits for it, whatever it costs; for a report or a test. */
  lookInside(): void {
    const { lens } = this.#walkOptions;
    if (lens === undefined) return;
    while (lens.waiting > 0 && !lens.isOff) lens.look();
  }

  [Symbol.dispose](): void {
    this.stop();
    this.#walkOptions.lens?.close();
    this.#walkOptions.shapes.forget();
    this.#self?.release('census');
  }

  /** What one scope holds by itself, without its children; undefined before its first measurement and once it has closed. */
  bytesOf(scope: { readonly id: number }): CensusResult | undefined {
    return this.#book.get(scope.id);
  }

  /** Learns from a snapshot taken at `at` (wall time) what scopes retain, by their path; other scopes of their kinds are corrected by it. */
  calibrate(scopes: readonly { readonly path: string; readonly retainedBytes: number }[], at: number): void {
    this.#book.calibrate(new Map(scopes.map(({ path, retainedBytes }) => [path, retainedBytes])), at);
  }

  /** All measured scopes together. */
  total(): CensusTotal {
    const elapsed = this.#clock.monotonic() - this.#startedAt;
    this.#book.prune(500);
    return {
      ...this.#book.total(),
      rotations: this.#rotations,
      rotationMs: this.#lastRotationMs,
      faults: this.#faults,
      cpuRatio: elapsed > 0 ? this.#spentMs / elapsed : 0,
    };
  }

  /** Live heap that no scope accounts for; below zero while scopes shrink faster than they are measured. */
  unattributed(floorBytes: number): number | undefined {
    // On a busy machine the next slice may be a minute away.
    this.#rotation?.dropClosed();
    if (this.#rotations === 0) return undefined;
    this.#book.prune(prunedPerReading);
    const { bytes, external } = this.#book.total();
    return floorBytes - (bytes - external);
  }

  /** Walks without regard to the budget until every scope has been measured once more; for a report, an incident or a test. */
  completeRotation(): void {
    const rotation = this.#beginRotation(true);
    while (rotation?.run(Number.POSITIVE_INFINITY) === false) continue;
    this.#endRotation();
  }

  /** What a scope held that closes now: as last measured, or by one slice of a walk if there is time for it. */
  readonly #weigh = (scope: ClosingScope): number | undefined => {
    const bytes = this.#weightOf(scope);
    if (bytes !== undefined) this.#onClosing?.(scope.marker.path, bytes, this.#clock.now());
    return bytes;
  };

  #weightOf({ id, kind, marker }: ClosingScope): number | undefined {
    const known = this.#book.get(id);
    if (known !== undefined) {
      // It is gone in a moment. The others, which measured themselves, are found in turn.
      this.#book.remove(id);
      return known.bytes;
    }
    const now = this.#clock.monotonic();
    if (this.#closings.waitMs(this.#sliceMs, now) > 0) return undefined;
    if (this.#budget.waitMs(this.#sliceMs, now) > 0) return undefined;
    const group = groupOf(kind, marker.roots);
    const walk = new ScopeWalk(
      { id, kind, group, roots: marker.roots, marker },
      this.#fence,
      this.#walkOptions,
    );
    walk.finishBy(this.#clock, now + this.#sliceMs);
    const { bytes } = this.#book.calibrated(group, walk.result(this.#clock));
    // By the clock on the wall: a walk takes microseconds, and asking for CPU time twice took as long as the walk of a short conversation.
    const end = this.#clock.monotonic();
    this.#spentMs += end - now;
    this.#self?.spend('census', end - now);
    this.#budget.spend(end - now, end);
    this.#closings.spend(end - now, end);
    return bytes;
  }

  /** What walks of scopes of one kind taught. */
  #learnedOf(group: string): Learned {
    let learned = this.#learned.get(group);
    if (learned !== undefined) return learned;
    // A program that makes its classes anew all the time must not fill this.
    if (this.#learned.size >= mostGroups) this.#learned = new Map();
    learned = { lists: new GrownLists(), joints: new Joints(), twins: new Twins(), words: new KnownWords() };
    this.#learned.set(group, learned);
    return learned;
  }

  #arm(waitMs: number): void {
    this.#cancel = this.#clock.after(waitMs, () => this.#slice());
  }

  #slice(): void {
    const work = startWork(this.#clock);
    let restMs = 0;
    try {
      restMs = this.#work(this.#clock.monotonic());
    } catch {
      // A graph that changes under the walk may surprise it; the scope is measured in the next rotation.
      this.#faults++;
      this.#rotation?.skip();
      restMs = faultRestMs;
    }
    const spent = work();
    const now = this.#clock.monotonic();
    this.#spentMs += spent;
    this.#self?.spend('census', spent);
    // Looks are paid for apart.
    this.#budget.spend(Math.max(0, spent - (this.#walkOptions.lens?.takeSpentMs() ?? 0)), now);
    this.#arm(Math.max(restMs, this.#waitMs(now)));
  }

  /** Slices come in groups, one per turn of the loop, because waking an idle process costs half as much as a slice. */
  #waitMs(now: number): number {
    if (this.#budget.waitMs(this.#sliceMs, now) === 0) return 0;
    const slowdown = this.#self?.slowdown('census') ?? 1;
    return slowdown * this.#budget.waitMs(slicesPerGroup * this.#sliceMs, now);
  }

  #work(now: number): number {
    this.#book.prune(16);
    if (this.#look(now)) return 0;
    const rotation = this.#rotation ?? this.#beginRotation(false);
    if (rotation?.run(now + this.#sliceMs) === false) return 0;
    this.#endRotation();
    return this.#rotationStart + this.#rotationMs - this.#clock.monotonic();
  }

  /** One look into what objects hide, when some wait and it is paid for; it takes the place of a slice. */
  #look(now: number): boolean {
    const { lens } = this.#walkOptions;
    if (lens === undefined || lens.waiting === 0 || !lens.mayLook(now)) return false;
    lens.look();
    return true;
  }

  /** Undefined when no scope was used since the last one and it is not the turn of the others. */
  #beginRotation(all: boolean): Rotation | undefined {
    const now = this.#clock.monotonic();
    this.#rotationStart = now;
    const restMs = restMsPerScope * this.#book.size;
    const used = this.#roster.usedRoots?.(this);
    if (used?.length !== 0) this.#isUsed = true;
    const isDue = all || now - this.#stockedAt >= Math.max(discoverEveryMs, restMs);
    if (isDue) this.#stockedAt = now;
    const discover = isDue && (all || this.#isUsed || now - this.#discoveredAt >= this.#idleAfterMs);
    if (discover) {
      this.#discoveredAt = now;
      this.#isUsed = false;
    }
    const claimAll = all || this.#claimedEpoch !== this.#fence.epoch;
    this.#claimedEpoch = this.#fence.epoch;
    const canSeeMore = this.#book.hiding > 0 && now - this.#allAt >= Math.max(allEveryMs, restMs);
    const looksAtAll = isDue || claimAll || canSeeMore;
    const isIdle = used?.length === 0 && this.#deferred.length === 0;
    if (!looksAtAll && isIdle) return undefined;
    if (looksAtAll) this.#allAt = now;
    this.#rotation = new Rotation(
      { clock: this.#clock, fence: this.#fence, book: this.#book },
      {
        ...this.#walkOptions,
        stock: looksAtAll || used === undefined ? this.#roster.roots() : this.#withDeferred(used),
        discover,
        claimAll,
        isForced: all,
        idleAfterMs: all ? 0 : this.#idleAfterMs,
      },
    );
    return this.#rotation;
  }

  #withDeferred(used: readonly RosterItem[]): readonly RosterItem[] {
    const known = new Set(used.map(({ scope }) => scope.id));
    const open = this.#deferred.filter(
      ({ scope, marker }) => marker.state === 'open' && !known.has(scope.id),
    );
    return [...used, ...open];
  }

  #endRotation(): void {
    this.#deferred = this.#rotation?.deferred ?? [];
    this.#rotation = undefined;
    this.#rotations++;
    this.#lastRotationMs = this.#clock.monotonic() - this.#rotationStart;
  }
}
