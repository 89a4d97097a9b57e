import { Pace } from './pace.ts';

/** An object that must be gone after its scope closed, as long as it has not been collected. */
export interface Watched {
  readonly label: string;
  readonly scopePath: string;
  readonly kind: string;
  readonly closedAt: number;
  /** Major GCs the process had seen when the scope closed. */
  readonly majorGcEpoch: number;
  /** Holds while the watched object lives; it refers to a token, so that asking never revives the object's memory. */
  readonly ref: WeakRef<PlimsollWatched>;
}

/**
 * The token of a watched object, found in a heap snapshot by the name of this class.
 *
 * It hangs on the object through a WeakMap. A WeakRef on the object itself would keep its whole payload until the next
 * major GC on Node 22 and 24; a WeakMap does not, and the token is all that waits.
 */
export class PlimsollWatched {
  readonly label: string;
  readonly path: string;
  /** Token of an earlier watch on the same object. */
  readonly next: PlimsollWatched | undefined;

  constructor(label: string, path: string, next: PlimsollWatched | undefined) {
    this.label = label;
    this.path = path;
    this.next = next;
  }
}

/** A watch of an open scope; it becomes a `Watched` when the scope closes. */
export interface WatchEntry {
  readonly label: string;
  readonly ref: WeakRef<PlimsollWatched>;
  /** Watches of the open scope, which a collected object leaves. */
  readonly siblings: Set<WatchEntry>;
  closed: Watched | undefined;
}

const maxWatches = 50_000;
const watchedPerSecond = 200;
const watchedAtOnce = 5000;

/** Everything watched in the process, bounded; what does not fit is counted. */
class WatchList {
  readonly #pace = new Pace(watchedPerSecond, watchedAtOnce);
  #live = 0;
  #overflow = 0;
  readonly #tokens = new WeakMap<object, PlimsollWatched>();
  readonly #closed = new Set<Watched>();
  readonly #registry = new FinalizationRegistry<WatchEntry>((watch) => {
    this.#live -= 1;
    if (watch.closed === undefined) watch.siblings.delete(watch);
    else this.#closed.delete(watch.closed);
  });

  /** Watches refused because too many came at once or the list was full. */
  get overflow(): number {
    return this.#overflow;
  }

  /** Objects watched now, of open and closed scopes. */
  get size(): number {
    return this.#live;
  }

  /** `scope` is asked for its path only when the watch is taken: making the text is most of the cost. */
  add(object: object, label: string, scope: { readonly path: string }, siblings: Set<WatchEntry>): void {
    if (this.#live >= maxWatches || !this.#pace.take(performance.now())) {
      this.#overflow += 1;
      return;
    }
    const token = new PlimsollWatched(label, scope.path, this.#tokens.get(object));
    this.#tokens.set(object, token);
    const watch: WatchEntry = { label, ref: new WeakRef(token), siblings, closed: undefined };
    siblings.add(watch);
    this.#registry.register(token, watch);
    this.#live += 1;
  }

  /** Moves the watches of a scope that closes into the list. */
  close(watches: Set<WatchEntry>, scope: Omit<Watched, 'label' | 'ref'>): void {
    for (const watch of watches) {
      watch.closed = { ...scope, label: watch.label, ref: watch.ref };
      this.#closed.add(watch.closed);
    }
    watches.clear();
  }

  /** Watched objects of closed scopes that have not been collected. */
  *[Symbol.iterator](): Iterator<Watched> {
    for (const watched of this.#closed) if (watched.ref.deref() !== undefined) yield watched;
  }
}

/** The watch list of this process. */
export const watchList = new WatchList();
