import { measure } from '@plimsoll/core/meter';
import type { CacheEntry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { CacheSettings } from './settings.ts';

/** Values up to this size are measured again the moment a lease ends; larger ones wait for the next sweep. */
const quickBytes = 32 * 1024;
/** Time that a sweep spends on measuring. */
const sweepBudgetMs = 2;
/** Objects after which a measurement stops; what is left out is found by the process's own sensing. */
const mostNodes = 2_000_000;

/** Reads and re-reads the sizes of entries: by the user's meter where there is one, otherwise by measuring. */
export class Sizing<V> {
  readonly #settings: CacheSettings<V>;
  readonly #board: EventBoard;
  readonly #stale = new Set<CacheEntry<V>>();

  constructor(settings: CacheSettings<V>, board: EventBoard) {
    this.#settings = settings;
    this.#board = board;
  }

  /** Bytes of a new entry. */
  first(entry: CacheEntry<V>, value: V): number {
    const { meter } = this.#settings;
    if (meter === undefined) return measured(value);
    try {
      entry.meter = meter(value, entry.id);
      return usable(entry.meter.bytes);
    } catch (cause) {
      entry.meter = undefined;
      this.#board.emit('hook-failed', { hook: 'meter', id: entry.id, cause });
      return measured(value);
    }
  }

  /** Bytes of an entry by its meter, or the last known ones. */
  byMeter(entry: CacheEntry<V>): number {
    const { meter } = entry;
    if (meter === undefined) return entry.bytes;
    try {
      const bytes = meter.bytes;
      return bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER ? bytes : entry.bytes;
    } catch (cause) {
      entry.meter = undefined;
      this.#board.emit('hook-failed', { hook: 'meter', id: entry.id, cause });
      return entry.bytes;
    }
  }

  /** Bytes of an entry whose lease just ended; a large one without a meter is put off to the sweep. */
  afterLease(entry: CacheEntry<V>, value: V): number {
    if (entry.meter !== undefined) return this.byMeter(entry);
    if (entry.bytes <= quickBytes) return measured(value);
    this.#stale.add(entry);
    return entry.bytes;
  }

  forget(entry: CacheEntry<V>): void {
    if (this.#stale.size > 0) this.#stale.delete(entry);
  }

  /** Measures what was put off, within a time budget; calls back with each new size. */
  catchUp(resize: (entry: CacheEntry<V>, bytes: number) => void): void {
    const until = performance.now() + sweepBudgetMs;
    for (const entry of this.#stale) {
      this.#stale.delete(entry);
      resize(entry, measured(entry.value));
      if (performance.now() >= until) return;
    }
  }
}

function measured(value: unknown): number {
  return measure(value, { maxNodes: mostNodes }).bytes;
}

function usable(bytes: number): number {
  if (bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
  throw new RangeError(`the meter says ${String(bytes)} bytes`);
}
