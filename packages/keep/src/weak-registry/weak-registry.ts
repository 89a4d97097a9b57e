import { failure } from '@plimsoll/core/internal/errors';
import type { Scope } from '@plimsoll/core';
import { badOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { Alarm } from '@plimsoll/core/internal/alarm';

export interface WeakRegistryOptions<Meta> {
  /** Name in reports, default "registry". */
  readonly name?: string;
  /** Most entries to hold. Required. */
  readonly maxEntries: number;
  /** How often the metadata of values that are gone is looked for, default 30 s. */
  readonly sweep?: number | string;
  /** Called once for each value that was collected although nobody closed it. */
  readonly onGone?: (id: string, meta: Meta) => void;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** An entry whose value is alive longer than it should be. */
export interface RegistrySuspect<Meta> {
  readonly id: string;
  readonly meta: Meta;
  readonly ageMs: number;
}

export interface WeakRegistryStats {
  /** Entries, also those whose value is gone and was not noticed yet. */
  readonly entries: number;
  readonly maxEntries: number;
  readonly added: number;
  readonly closed: number;
  /** Values that were collected although nobody closed them. */
  readonly gone: number;
  readonly refused: number;
}

export interface WeakRegistryEvents {
  readonly gone: { readonly id: string };
  /** The registry is full of live values; reported once until there is room. */
  readonly full: { readonly entries: number };
  readonly 'hook-failed': { readonly hook: string; readonly id: string; readonly cause: unknown };
}

/** What an entry takes by itself: weak reference, record, place in the map. */
const entryBytes = 150;
/** Entries looked at between two looks at the clock, and the time one sweep may take. */
const sweepChunk = 64;
const sweepBudgetMs = 1;
const keeper = 'WeakRegistry';

class RegistryEntry<V extends object, Meta> {
  readonly ref: WeakRef<V>;
  readonly meta: Meta;
  /** In whole ms, which takes no box. */
  readonly addedMs: number;

  constructor(value: V, meta: Meta, addedMs: number) {
    this.ref = new WeakRef(value);
    this.meta = meta;
    this.addedMs = addedMs;
  }
}

/**
 * Names for values that somebody else keeps: the values weakly, what is known about them strongly.
 *
 * `close(id)` is the way out. A value that is collected without it is noticed by a sweep, late or never. So this is an alarm and no way to
 * free memory. See docs/reference/keepers/weak-registry.md.
 */
export class WeakRegistry<V extends object, Meta = undefined> implements Keeper, Disposable {
  readonly kind = 'weak-registry';
  readonly name: string;
  readonly #maxEntries: number;
  readonly #sweepMs: number;
  readonly #onGone: ((id: string, meta: Meta) => void) | undefined;
  readonly #clock: KeeperClock;
  readonly #alarm: Alarm;
  readonly #board = new ReportBoard<WeakRegistryEvents>();
  readonly #keeperEntry: KeeperEntry;
  readonly #entries = new Map<string, RegistryEntry<V, Meta>>();
  /** Where the next sweep goes on. */
  #cursor: Iterator<[string, RegistryEntry<V, Meta>]> | undefined;
  #added = 0;
  #closed = 0;
  #gone = 0;
  #refused = 0;
  #isFull = false;
  #isClosed = false;

  constructor(options: WeakRegistryOptions<Meta>) {
    const maxEntries = countOption(keeper, 'maxEntries', options?.maxEntries);
    if (maxEntries === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['maxEntries'] });
    if (options.onGone !== undefined && typeof options.onGone !== 'function')
      throw badOption(keeper, 'onGone', typeof options.onGone, 'a function');
    this.name = options.name ?? 'registry';
    this.#maxEntries = maxEntries;
    this.#sweepMs = msOption(keeper, 'sweep', options.sweep) ?? 30_000;
    this.#onGone = options.onGone;
    this.#clock = options.clock ?? systemClock;
    this.#alarm = new Alarm(this.#clock, () => this.#ring());
    this.#keeperEntry = new KeeperEntry(this, options.scope);
  }

  /** Bytes of the entries themselves; metadata and values are not measured. */
  get bytes(): number {
    return this.#entries.size * entryBytes;
  }

  /** Entries, also those whose value is gone and was not noticed yet. */
  get size(): number {
    return this.#entries.size;
  }

  /** Values that are alive now; looks at every entry. */
  get alive(): number {
    let count = 0;
    for (const entry of this.#entries.values()) if (entry.ref.deref() !== undefined) count++;
    return count;
  }

  /** Names a value. False when the registry is full of live values, and then nothing is kept. */
  add(id: string, value: V, meta?: Meta): boolean {
    this.#check(id, value);
    if (this.#entries.size >= this.#maxEntries && !this.#entries.has(id) && !this.#makeRoom()) {
      this.#refused++;
      if (!this.#isFull) this.#board.emit('full', { entries: this.#entries.size });
      this.#isFull = true;
      return false;
    }
    this.#isFull = false;
    this.#added++;
    this.#entries.set(id, new RegistryEntry(value, meta as Meta, Math.floor(this.#clock.monotonic())));
    this.#keeperEntry.charge(this.bytes);
    this.#alarm.at(this.#clock.monotonic() + this.#sweepMs);
    return true;
  }

  /** The value of an id while it is alive. */
  get(id: string): V | undefined {
    return this.#entries.get(id)?.ref.deref();
  }

  /** What is known about an id, also after its value is gone, until that is noticed. */
  meta(id: string): Meta | undefined {
    return this.#entries.get(id)?.meta;
  }

  /** Ends an entry: the way out. `onGone` is not called for it, now or later. */
  close(id: string): boolean {
    const isKnown = this.#entries.delete(id);
    if (isKnown) this.#closed++;
    this.#keeperEntry.charge(this.bytes);
    return isKnown;
  }

  /** Entries whose value is alive after so long, oldest first: who forgot to close them. */
  suspects(olderThan: number | string): RegistrySuspect<Meta>[] {
    const ms = msOption(keeper, 'olderThan', olderThan) as number;
    const now = Math.floor(this.#clock.monotonic());
    const found: RegistrySuspect<Meta>[] = [];
    for (const [id, { ref, meta, addedMs }] of this.#entries)
      if (now - addedMs >= ms && ref.deref() !== undefined) found.push({ id, meta, ageMs: now - addedMs });
    return found.sort((a, b) => b.ageMs - a.ageMs);
  }

  /** Looks for values that are gone, for a millisecond at most; true when it came round. */
  sweep(): boolean {
    this.#cursor ??= this.#entries.entries();
    const until = performance.now() + sweepBudgetMs;
    for (;;) {
      for (let i = 0; i < sweepChunk; i++) {
        const { value, done } = this.#cursor.next();
        if (done === true) {
          this.#cursor = undefined;
          this.#keeperEntry.settle(this.bytes);
          return true;
        }
        const [id, entry] = value;
        if (entry.ref.deref() === undefined) this.#lost(id, entry);
      }
      if (performance.now() >= until) return false;
    }
  }

  /** Removes the metadata of values that are gone; resolves with the bytes freed. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0))
      throw badOption(`weak registry "${this.name}"`, 'bytes', request.bytes, 'bytes above 0');
    const before = this.bytes;
    this.#sweepAll();
    this.#keeperEntry.settle(this.bytes);
    return before - this.bytes;
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof WeakRegistryEvents>(
    event: E,
    listener: (event: WeakRegistryEvents[E]) => void,
  ): () => void {
    return this.#board.on(event, listener);
  }

  figures(): KeeperFigures {
    return { entries: this.#entries.size, boundEntries: this.#maxEntries };
  }

  stats(): WeakRegistryStats {
    return {
      entries: this.#entries.size,
      maxEntries: this.#maxEntries,
      added: this.#added,
      closed: this.#closed,
      gone: this.#gone,
      refused: this.#refused,
    };
  }

  /** Forgets every entry without calling anybody. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#alarm.stop();
    this.#cursor = undefined;
    this.#entries.clear();
    this.#keeperEntry.close();
  }

  #ring(): void {
    const isRound = this.sweep();
    if (this.#entries.size > 0) this.#alarm.at(this.#clock.monotonic() + (isRound ? this.#sweepMs : 1));
  }

  #makeRoom(): boolean {
    this.#sweepAll();
    return this.#entries.size < this.#maxEntries;
  }

  #sweepAll(): void {
    for (const [id, entry] of this.#entries) if (entry.ref.deref() === undefined) this.#lost(id, entry);
  }

  #lost(id: string, entry: RegistryEntry<V, Meta>): void {
    this.#entries.delete(id);
    this.#gone++;
    this.#board.emit('gone', { id });
    try {
      this.#onGone?.(id, entry.meta);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'onGone', id, cause });
    }
  }

  #check(id: string, value: V): void {
    const label = `weak registry "${this.name}"`;
    if (typeof id !== 'string' || id === '')
      throw failure('PLM_KEEP_BAD_KEY', { keeper: label, value: id === '' ? 'an empty string' : typeof id });
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
      throw badOption(label, 'value', value === null ? 'null' : typeof value, 'an object');
    if (this.#isClosed) throw failure('PLM_KEEP_CLOSED', { keeper: label, verb: 'add' });
  }
}
