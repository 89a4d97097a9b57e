import type { Clock } from '../clock.ts';
import type { CensusBook } from './census-book.ts';
import type { Fence } from './fence.ts';
import { ScopeWalk } from './scope-walk.ts';
import type { Target, WalkOptions } from './scope-walk.ts';
import { SharedFinder } from './shared-finder.ts';

/** What the census needs of the roster of scopes. */
export interface CensusRoster {
  roots(): Iterable<{
    readonly scope: { readonly id: number; readonly kind: string; readonly idleMs: number };
    readonly roots: readonly object[];
    readonly marker: { readonly state: 'open' | 'closed' };
  }>;
}

interface Parts {
  readonly roster: CensusRoster;
  readonly clock: Clock;
  readonly fence: Fence;
  readonly book: CensusBook;
}

interface RotationOptions extends WalkOptions {
  /** Looks for what scopes share before it measures. */
  readonly discover: boolean;
  /** Age from which the measurement of an idle scope is renewed; 0 renews all. */
  readonly idleAfterMs: number;
}

const samplesPerKind = 8;
const maxSamples = 32;

/** One time round all scopes: take stock, find what is shared, measure each. */
export class Rotation {
  private readonly parts: Parts;
  private readonly options: RotationOptions;
  private queue: Target[] | undefined;
  private finder: SharedFinder | undefined;
  private walk: ScopeWalk | undefined;
  private at = 0;

  constructor(parts: Parts, options: RotationOptions) {
    this.parts = parts;
    this.options = options;
  }

  get retainedBytes(): number {
    return 96 * (this.queue?.length ?? 0);
  }

  /** Goes on until the deadline; true when the rotation is over. */
  run(deadlineMs: number): boolean {
    const { clock, fence } = this.parts;
    if (this.queue === undefined) {
      this.queue = this.takeStock();
      if (clock.monotonic() >= deadlineMs) return false;
    }
    if (this.finder !== undefined) {
      if (!this.finder.run(clock, deadlineMs)) return false;
      this.finder = undefined;
      fence.turn();
    }
    while (this.walk !== undefined || this.at < this.queue.length) {
      this.walk ??= this.nextWalk(this.queue);
      if (!this.measure(this.walk, deadlineMs)) return false;
      if (clock.monotonic() >= deadlineMs) break;
    }
    return this.walk === undefined && this.at >= this.queue.length;
  }

  /** Gives up the scope or the discovery being worked on. */
  skip(): void {
    this.walk = undefined;
    this.finder = undefined;
  }

  private nextWalk(queue: readonly Target[]): ScopeWalk {
    return new ScopeWalk(queue[this.at++] as Target, this.parts.fence, this.options);
  }

  /** A scope closed in the middle of its walk is dropped with everything the walk held. */
  private measure(walk: ScopeWalk, deadlineMs: number): boolean {
    const { clock, book } = this.parts;
    const { target } = walk;
    if (target.marker.state === 'open') {
      if (!walk.run(clock, deadlineMs)) return false;
      book.set(target, walk.result(clock));
    }
    this.walk = undefined;
    return true;
  }

  private takeStock(): Target[] {
    const { roster, fence, clock } = this.parts;
    const now = clock.monotonic();
    const ranked: { target: Target; rank: number }[] = [];
    let count = 0;
    const samples = new SampleByKind();
    for (const { scope, roots, marker } of roster.roots()) {
      const { id, kind } = scope;
      // The scope itself is not kept: a reference from here would make a forgotten scope look used.
      const target: Target = { id, kind, roots, marker };
      count++;
      samples.offer(target);
      for (const root of roots) fence.claim(root, id);
      const rank = this.rank(id, scope.idleMs, now);
      if (rank >= 0) ranked.push({ target, rank });
    }
    if (count > 1 && this.options.discover) this.finder = new SharedFinder(samples.list(), fence);
    return ranked.sort((a, b) => b.rank - a.rank).map(({ target }) => target);
  }

  /** New scopes, then those used since they were measured by size, then the rest; below zero to leave one out this time. */
  private rank(id: number, idleMs: number, now: number): number {
    const last = this.parts.book.raw(id);
    if (last === undefined) return Number.MAX_VALUE;
    if (now - idleMs >= last.measuredAt) return last.bytes + 1e15;
    return now - last.measuredAt >= this.options.idleAfterMs ? last.bytes : -1;
  }
}

/** A random sample of each kind, by reservoir. */
class SampleByKind {
  private readonly kinds = new Map<string, { seen: number; kept: Target[] }>();

  offer(target: Target): void {
    let kind = this.kinds.get(target.kind);
    if (kind === undefined) {
      if (this.kinds.size >= maxSamples) return;
      kind = { seen: 0, kept: [] };
      this.kinds.set(target.kind, kind);
    }
    kind.seen++;
    if (kind.kept.length < samplesPerKind) kind.kept.push(target);
    else {
      const at = Math.floor(Math.random() * kind.seen);
      if (at < samplesPerKind) kind.kept[at] = target;
    }
  }

  list(): Target[] {
    return [...this.kinds.values()].flatMap(({ kept }) => kept).slice(0, maxSamples);
  }
}
