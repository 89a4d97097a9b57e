/**
 * The one reader of the collector in a thread. Readings, the floor and the series of a growth record all subscribe to it, so a process
 * runs one `v8.GCProfiler` however many parts look at its collections.
 *
 * It imports `node:v8` only: the growth recorder starts it from the preload, before anything else of ours is loaded.
 */
import v8 from 'node:v8';

/** The used fields of one collection. */
export interface Collection {
  readonly gcType: string;
  /** Microseconds. */
  readonly cost: number;
  readonly beforeGC: {
    readonly heapStatistics: { readonly usedHeapSize: number };
    readonly heapSpaceStatistics?: readonly HeapSpace[];
  };
  readonly afterGC: {
    readonly heapStatistics: { readonly usedHeapSize: number; readonly externalMemory: number };
    readonly heapSpaceStatistics?: readonly HeapSpace[];
  };
}

interface HeapSpace {
  readonly spaceName: string;
  readonly spaceUsedSize: number;
}

/** Result of `GCProfiler.stop()`. */
export interface GcProfile {
  readonly statistics: readonly Collection[];
}

interface GcSource {
  start(): void;
  stop(): GcProfile | undefined;
}

type CollectionListener = (collections: readonly Collection[]) => void;

/** Reads the collections of this thread and hands each of them to every subscriber. */
export class CollectionReader {
  readonly #create: () => GcSource;
  readonly #listeners = new Set<CollectionListener>();
  #source: GcSource | undefined;

  constructor(create: () => GcSource = () => new v8.GCProfiler() as unknown as GcSource) {
    this.#create = create;
  }

  /**
   * Adds a listener and returns the function that removes it. The profiler runs from the first to the last subscriber. Earlier collections
   * go only to earlier subscribers.
   */
  subscribe(listener: CollectionListener): () => void {
    if (this.#source === undefined) this.#start();
    else this.read();
    this.#listeners.add(listener);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      this.#source?.stop();
      this.#source = undefined;
    };
  }

  /** Publishes the collections since the last read. Unread ones pile up inside V8, so it is called every second. */
  read(): void {
    if (this.#source === undefined) return;
    const profile = this.#source.stop();
    this.#start();
    const found = profile?.statistics ?? [];
    for (const listener of this.#listeners) listener(found);
  }

  #start(): void {
    this.#source = this.#create();
    this.#source.start();
  }
}

/** The reader of this thread. */
export const collections = new CollectionReader();
