import { groupOf } from './scope-groups.ts';
import type { Roster } from '../../scope/roster.ts';
import type { Clock } from '../clock.ts';
import type { CensusBook } from './census-book.ts';
import type { Fence } from './fence.ts';
import { ScopeWalk } from './scope-walk.ts';
import type { CensusResult, CensusTarget, ScopeWalkOptions } from './scope-walk.ts';
import { samplesPerKind, SharedFinder } from './shared-finder.ts';

/** A scope with roots, as the roster tells of it. */
export interface RosterItem {
  readonly scope: {
    readonly id: number;
    readonly kind: string;
    /** When it was last opened, run, leased or touched, by the monotonic clock. */
    readonly activeMs: number;
    readonly account: NonNullable<CensusTarget['account']>;
  };
  readonly roots: readonly object[];
  readonly marker: CensusTarget['marker'];
}

/** What the census needs of the roster of scopes. */
export interface CensusRoster {
  roots(): Iterable<RosterItem>;
  /** Those of the scopes that were opened, used or given another root since; undefined when all have to be looked at. */
  usedRoots?(follower: object): readonly RosterItem[] | undefined;
  leaveRoots?(follower: object): void;
  /** Where it is said how a closing scope is weighed. */
  readonly weigher?: Roster['weigher'];
}

interface Parts {
  readonly clock: Clock;
  readonly fence: Fence;
  readonly book: CensusBook;
}

interface RotationOptions extends ScopeWalkOptions {
  /** The scopes to look at: all, or those used since the last rotation. */
  readonly stock: Iterable<RosterItem>;
  /** Looks for what scopes share before it measures. */
  readonly discover: boolean;
  /** Least age from which the measurement of an idle scope is renewed; 0 renews all. */
  readonly idleAfterMs: number;
  /** Roots of scopes that were measured before are claimed again. */
  readonly claimAll: boolean;
  /** Measures also what is to be looked into first. */
  readonly isForced: boolean;
}

/** Classes of sessions that are sampled, and samples altogether. */
const maxKinds = 64;
const maxSamples = 128;
/** Of one class. What scopes share shows in two of them, and a text for certain in three. */
const fewestSamples = 3;
/** A scope in which something hides that was not seen yet is measured again after this long. */
const unseenAfterMs = 2000;

/**
 * A scope that nobody uses and that measures the same is measured again after as long as it has been like that, at most so many times the
 * least. With 10,000 idle sessions measuring each of them once a minute took more than all else.
 */
const mostIdleFactor = 10;

const scopesPerLook = 32;

type LastMeasurement = NonNullable<ReturnType<CensusBook['raw']>>;

/** One time round all scopes: take stock, find what is shared, measure each. Every step of it can be interrupted. */
export class Rotation {
  readonly #parts: Parts;
  readonly #options: RotationOptions;
  readonly #ranking = new Ranking();
  readonly #samples = new SampleByKind();
  /** Scopes that are measured once their roots were looked into, in the order in which that is done. */
  readonly #deferred: { item: RosterItem; target: CensusTarget; root: WeakRef<object> }[] = [];
  #stock: Iterator<RosterItem> | undefined;
  #stage: 'stock' | 'discovery' | 'measuring' = 'stock';
  #finder: SharedFinder | undefined;
  #walk: ScopeWalk | undefined;

  constructor(parts: Parts, options: RotationOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /** Scopes that are left for the next rotation. */
  get deferred(): readonly RosterItem[] {
    return this.#deferred.map(({ item }) => item);
  }

  get retainedBytes(): number {
    return 96 * (this.#ranking.size + this.#deferred.length);
  }

  /** Goes on until the deadline; true when the rotation is over. */
  run(deadlineMs: number): boolean {
    if (this.#stage === 'stock') {
      if (!this.#takeStock(deadlineMs)) return false;
      this.#stage = 'discovery';
    }
    if (this.#stage === 'discovery') {
      if (!this.#discover(deadlineMs)) return false;
      this.#stage = 'measuring';
    }
    return this.#measureAll(deadlineMs);
  }

  /** Lets go of what was found in scopes that have closed since the last slice. */
  dropClosed(): void {
    if (this.#walk?.target.marker.state === 'closed') this.#walk = undefined;
    if (this.#finder?.isVoid === true) this.skip();
  }

  /** Gives up what is being worked on: the scope, the discovery or the stock. */
  skip(): void {
    this.#walk = undefined;
    this.#finder = undefined;
    if (this.#stage === 'stock') this.#stage = 'discovery';
    else this.#stage = 'measuring';
  }

  #takeStock(deadlineMs: number): boolean {
    const { clock } = this.#parts;
    this.#stock ??= this.#options.stock[Symbol.iterator]();
    do {
      const now = clock.monotonic();
      for (let i = 0; i < scopesPerLook; i++) {
        const next = this.#stock.next();
        if (next.done === true) {
          this.#stock = undefined;
          return true;
        }
        this.#note(next.value, now);
      }
    } while (clock.monotonic() < deadlineMs);
    return false;
  }

  #note(item: RosterItem, now: number): void {
    const { scope, roots, marker } = item;
    const { fence, book } = this.#parts;
    const { discover, claimAll } = this.#options;
    const last = book.raw(scope.id);
    const urgency = last === undefined ? 'new' : this.#urgencyOf(scope, last, now);
    // Most scopes are idle and were claimed when they were measured.
    const isKnown = last !== undefined && last.rootCount === roots.length && !claimAll;
    if (urgency === undefined && isKnown && !discover) return;
    const { id, kind, account } = scope;
    const target: CensusTarget = { id, kind, group: groupOf(kind, roots), roots, marker, account };
    if (discover) this.#samples.offer(target);
    for (const root of roots) fence.claim(root, marker);
    if (urgency === undefined) return;
    // All that it holds may be behind its root.
    const awaited = this.#awaitedRoot(target);
    if (awaited === undefined) this.#ranking.add(target, urgency, last?.result.bytes ?? 0);
    else this.#deferred.push({ item, target, root: new WeakRef(awaited) });
  }

  #awaitedRoot({ group, roots }: CensusTarget): object | undefined {
    const { lens, isForced } = this.#options;
    return isForced || lens === undefined ? undefined : roots.find((root) => lens.awaits(root, group));
  }

  /** The next scope to measure: those whose roots were looked into meanwhile come first. */
  #next(): CensusTarget | undefined {
    const first = this.#deferred[0];
    const root = first?.root.deref();
    if (first !== undefined && (root === undefined || this.#options.lens?.isWaiting(root) !== true)) {
      this.#deferred.shift();
      return first.target;
    }
    return this.#ranking.take();
  }

  #urgencyOf({ activeMs }: RosterItem['scope'], last: LastMeasurement, now: number): Urgency | undefined {
    const { result, sameSince } = last;
    const { measuredAt } = result;
    if (activeMs >= measuredAt || this.#canSeeMore(result, now)) return 'used';
    const { idleAfterMs } = this.#options;
    const quietMs = Math.min(measuredAt - Math.max(sameSince, activeMs), mostIdleFactor * idleAfterMs);
    return now - measuredAt >= Math.max(idleAfterMs, quietMs) ? 'idle' : undefined;
  }

  #canSeeMore({ unseen, measuredAt }: CensusResult, now: number): boolean {
    return unseen > 0 && this.#options.lens !== undefined && now - measuredAt >= unseenAfterMs;
  }

  #discover(deadlineMs: number): boolean {
    const { clock, fence } = this.#parts;
    if (!this.#options.discover) return true;
    this.#finder ??= new SharedFinder(this.#samples.list(), fence, this.#options.lens);
    if (!this.#finder.run(clock, deadlineMs)) return false;
    this.#finder = undefined;
    fence.turn();
    return true;
  }

  #measureAll(deadlineMs: number): boolean {
    const { clock, fence } = this.#parts;
    do {
      if (this.#walk === undefined) {
        const target = this.#next();
        if (target === undefined) return true;
        const isFirst = this.#parts.book.raw(target.id) === undefined;
        this.#walk = new ScopeWalk(target, fence, { ...this.#options, isFirst });
      }
      if (!this.#measure(this.#walk, deadlineMs)) return false;
    } while (clock.monotonic() < deadlineMs);
    return false;
  }

  /** A scope closed in the middle of its walk is dropped with everything the walk held. */
  #measure(walk: ScopeWalk, deadlineMs: number): boolean {
    const { clock, book } = this.#parts;
    const { target } = walk;
    if (target.marker.state === 'open') {
      if (!walk.run(clock, deadlineMs)) return false;
      // What was seen whole before says more than what is left of it.
      if (!walk.hasChanged || book.raw(target.id)?.result.unseen !== 0) {
        book.set(target, walk.result(clock));
        target.account?.changed();
      }
    }
    this.#walk = undefined;
    return true;
  }
}

/**
 * A random sample of each class of root, by reservoir. Scopes of one kind may hold sessions of many classes, and what two of them share
 * only shows when both are in the sample.
 */
export class SampleByKind {
  readonly #kinds = new Map<string, { seen: number; kept: CensusTarget[] }>();

  offer(target: CensusTarget): void {
    let kind = this.#kinds.get(target.group);
    if (kind === undefined) {
      if (this.#kinds.size >= maxKinds) return;
      kind = { seen: 0, kept: [] };
      this.#kinds.set(target.group, kind);
    }
    kind.seen++;
    if (kind.kept.length < samplesPerKind) kind.kept.push(target);
    else {
      const at = Math.floor(Math.random() * kind.seen);
      if (at < samplesPerKind) kind.kept[at] = target;
    }
  }

  /**
   * Samples of the same class stand together; a walk that has to end early has seen some classes whole. Of many classes each has fewer, and
   * others come first each time.
   */
  list(): CensusTarget[] {
    const kinds = [...this.#kinds.values()];
    const perKind = Math.max(fewestSamples, Math.floor(maxSamples / Math.max(1, kinds.length)));
    const from = Math.floor(Math.random() * kinds.length);
    return [...kinds.slice(from), ...kinds.slice(0, from)]
      .flatMap(({ kept }) => kept.slice(0, perKind))
      .slice(0, maxSamples);
  }
}

/** How urgent a scope is: never measured, used since it was measured, or idle. */
type Urgency = 'new' | 'used' | 'idle';

const offset: Readonly<Record<Urgency, number>> = { idle: 0, used: 64, new: 128 };

/** Scopes in the order they are measured in: by urgency, then the larger ones. Buckets of doubling size, for sorting would not fit a slice. */
export class Ranking {
  readonly #buckets: CensusTarget[][] = [];
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add(target: CensusTarget, urgency: Urgency, bytes: number): void {
    const at = offset[urgency] + Math.min(63, Math.floor(Math.log2(bytes + 1)));
    while (this.#buckets.length <= at) this.#buckets.push([]);
    (this.#buckets[at] as CensusTarget[]).push(target);
    this.#count++;
  }

  /** Takes the most urgent one out. */
  take(): CensusTarget | undefined {
    for (let bucket = this.#buckets.at(-1); bucket !== undefined; bucket = this.#buckets.at(-1)) {
      const target = bucket.pop();
      if (target !== undefined) {
        this.#count--;
        return target;
      }
      this.#buckets.pop();
    }
    return undefined;
  }
}
