import { failure } from '@plimsoll/core/internal/errors';
import type { Scope } from '@plimsoll/core';
import { Meter } from '@plimsoll/core/meter';
import { badOption, bytesOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { Batches } from './batches.ts';
import { Ring } from './ring.ts';

/** What happens to events when the sink is full. */
export type FullPolicy = 'drop-oldest' | 'drop-newest' | 'sample' | 'block';

export interface EventSinkOptions<E> {
  /** Name in reports, default "events". */
  readonly name?: string;
  /** Most events to hold. Required. */
  readonly capacity: number;
  /** Most bytes to hold; without it events are not measured. */
  readonly maxBytes?: number | string;
  /**
   * What happens when it is full: the oldest go (default), the newest is not taken, every event has the same chance to be held ("sample"),
   * or `push` says no so that the producer waits ("block").
   */
  readonly onFull?: FullPolicy;
  /** The kind of an event, by which drops are counted; 100 kinds at most, the others count as "other". */
  readonly key?: (event: E) => string;
  /** Bytes of an event; default by measuring. */
  readonly size?: (event: E) => number;
  /** Chance, 0 to 1; for tests of "sample". */
  readonly random?: () => number;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** What a sink counts: pushed = delivered + dropped + buffered, always. */
export interface EventSinkStats {
  readonly pushed: number;
  readonly delivered: number;
  readonly dropped: number;
  readonly buffered: number;
  readonly bytes: number;
  readonly capacity: number;
  readonly maxBytes: number;
  /** Drops by kind, when kinds are told. */
  readonly droppedByKind: Readonly<Record<string, number>>;
}

export interface EventSinkEvents {
  /** The sink became full; reported once until it has been drained. */
  readonly full: { readonly buffered: number; readonly bytes: number };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown };
}

export interface BatchOptions {
  /** Most events in a batch, default 500. */
  readonly max?: number;
  /** A batch that is not full comes after this long, default 1 s. */
  readonly every?: number | string;
}

const keeper = 'EventSink';
const mostKinds = 100;
const policies: readonly FullPolicy[] = ['drop-oldest', 'drop-newest', 'sample', 'block'];

/**
 * A place for floods of events: a ring of fixed size that delivers them in batches and counts every one it had to drop, by kind.
 * See docs/reference/keepers/event-sink.md.
 */
export class EventSink<E> implements Keeper, Disposable {
  readonly kind = 'event-sink';
  readonly name: string;
  /** @internal */
  readonly clock: KeeperClock;
  readonly #ring: Ring<E>;
  readonly #maxBytes: number;
  readonly #policy: FullPolicy;
  readonly #key: ((event: E) => string) | undefined;
  readonly #size: ((event: E) => number) | undefined;
  readonly #random: () => number;
  readonly #isMeasured: boolean;
  /** True when a full sink just forgets its oldest event: nothing to measure, no kinds to count, no choice. */
  readonly #isPlain: boolean;
  readonly #meter = new Meter();
  readonly #board = new ReportBoard<EventSinkEvents>();
  readonly #entry: KeeperEntry;
  readonly #kinds = new Map<string, number>();
  #pushed = 0;
  #delivered = 0;
  #lost = 0;
  #isFull = false;
  #isClosed = false;
  #waiting: (() => void)[] = [];
  readonly #readers = new Set<Batches<E>>();

  constructor(options: EventSinkOptions<E>) {
    const capacity = countOption(keeper, 'capacity', options?.capacity);
    if (capacity === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['capacity'] });
    if (capacity > 2 ** 26) throw badOption(keeper, 'capacity', capacity, 'at most 67108864 events');
    const { onFull = 'drop-oldest', key, size } = options;
    if (!policies.includes(onFull))
      throw badOption(keeper, 'onFull', onFull, `one of ${policies.join(', ')}`);
    for (const [name, hook] of Object.entries({ key, size }))
      if (hook !== undefined && typeof hook !== 'function')
        throw badOption(keeper, name, typeof hook, 'a function');
    const maxBytes = bytesOption(keeper, 'maxBytes', options.maxBytes);
    this.name = options.name ?? 'events';
    this.clock = options.clock ?? systemClock;
    this.#isMeasured = maxBytes !== undefined;
    this.#maxBytes = maxBytes ?? Number.POSITIVE_INFINITY;
    this.#ring = new Ring(capacity, this.#isMeasured);
    this.#policy = onFull;
    this.#key = key;
    this.#size = size;
    this.#random = options.random ?? Math.random;
    this.#isPlain = onFull === 'drop-oldest' && key === undefined && !this.#isMeasured;
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes held now: of the events when they are measured, otherwise of the ring itself. */
  get bytes(): number {
    return this.#ring.bytes + 8 * this.#ring.capacity;
  }

  /** Events held now. */
  get length(): number {
    return this.#ring.length;
  }

  /** Events dropped so far. */
  get dropped(): number {
    return this.#lost;
  }

  /** Adds an event; false when it was not taken, which with the policy "block" means to await `ready()` and push it again. */
  push(event: E): boolean {
    const ring = this.#ring;
    if (this.#isFull && this.#isPlain && ring.length === ring.capacity && !this.#isClosed) {
      this.#pushed++;
      this.#lost++;
      ring.replace(event);
      return true;
    }
    if (this.#isClosed) return this.#refuse(event);
    const bytes = this.#isMeasured ? this.#sizeOf(event) : 0;
    if (ring.length >= ring.capacity || ring.bytes + bytes > this.#maxBytes)
      return this.#pushFull(event, bytes);
    this.#pushed++;
    ring.push(event, bytes);
    if (this.#isMeasured) this.#entry.charge(this.bytes);
    if (this.#readers.size > 0) this.#wake();
    return true;
  }

  /** Resolves when there is room. */
  ready(): Promise<void> {
    if (this.#ring.length < this.#ring.capacity && this.#ring.bytes < this.#maxBytes)
      return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Takes up to `max` events, oldest first. */
  take(max: number = this.#ring.capacity): E[] {
    const events: E[] = [];
    while (events.length < max && this.#ring.length > 0) events.push(this.#ring.shift());
    this.#delivered += events.length;
    this.#isFull = false;
    if (this.#isMeasured) this.#entry.charge(this.bytes);
    for (const go of this.#waiting.splice(0)) go();
    return events;
  }

  /** Batches as they fill or as time passes; each event goes to one reader. Ends when the sink is closed and empty. */
  batches(options: BatchOptions = {}): AsyncIterableIterator<E[], undefined, undefined> {
    const max = countOption(keeper, 'max', options.max) ?? 500;
    const every = msOption(keeper, 'every', options.every) ?? 1000;
    const reader = new Batches<E>(this, max, every, () => this.#readers.delete(reader));
    this.#readers.add(reader);
    return reader;
  }

  /** @internal */
  get isOver(): boolean {
    return this.#isClosed && this.#ring.length === 0;
  }

  /** @internal */
  get isClosing(): boolean {
    return this.#isClosed;
  }

  /** Listens to an event of the sink itself; returns what stops it. */
  on<K extends keyof EventSinkEvents>(event: K, listener: (event: EventSinkEvents[K]) => void): () => void {
    return this.#board.on(event, listener);
  }

  /** Drops the oldest events; resolves with the bytes freed, which is 0 when events are not measured. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0))
      throw badOption(`event sink "${this.name}"`, 'bytes', request.bytes, 'bytes above 0');
    const before = this.#ring.bytes;
    while (this.#isMeasured && this.#ring.length > 0 && before - this.#ring.bytes < request.bytes)
      this.#drop(this.#ring.shift());
    this.#entry.settle(this.bytes);
    return before - this.#ring.bytes;
  }

  figures(): KeeperFigures {
    return { entries: this.#ring.length, boundBytes: this.#maxBytes, boundEntries: this.#ring.capacity };
  }

  stats(): EventSinkStats {
    return {
      pushed: this.#pushed,
      delivered: this.#delivered,
      dropped: this.#lost,
      buffered: this.#ring.length,
      bytes: this.bytes,
      capacity: this.#ring.capacity,
      maxBytes: this.#maxBytes,
      droppedByKind: Object.fromEntries(this.#kinds),
    };
  }

  /** Takes no more events; readers get what is left and then their end. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#entry.close();
    for (const go of this.#waiting.splice(0)) go();
    this.#wake();
  }

  /** Takes no more events and drops, counted, what nobody read. */
  [Symbol.dispose](): void {
    this.close();
    while (this.#ring.length > 0) this.#drop(this.#ring.shift());
    this.#wake();
  }

  #wake(): void {
    for (const reader of this.#readers) reader.look();
  }

  #refuse(event: E): false {
    this.#pushed++;
    this.#drop(event);
    return false;
  }

  #pushFull(event: E, bytes: number): boolean {
    const ring = this.#ring;
    if (!this.#isFull) {
      this.#isFull = true;
      this.#board.emit('full', { buffered: ring.length, bytes: ring.bytes });
    }
    if (this.#policy === 'block') return false;
    this.#pushed++;
    if (
      this.#policy === 'drop-newest' ||
      bytes > this.#maxBytes ||
      (this.#policy === 'sample' && !this.#isChosen())
    ) {
      this.#drop(event);
      return false;
    }
    if (this.#policy === 'sample') {
      // Reservoir sampling: the new event takes the place of one that chance picks.
      const place = Math.floor(this.#random() * ring.length);
      this.#drop(ring.removeAt(place));
    }
    while (ring.length >= ring.capacity || ring.bytes + bytes > this.#maxBytes) this.#drop(ring.shift());
    ring.push(event, bytes);
    if (this.#isMeasured) this.#entry.charge(this.bytes);
    return true;
  }

  #isChosen(): boolean {
    return this.#random() * (this.#pushed - this.#delivered) < this.#ring.length;
  }

  #sizeOf(event: E): number {
    if (this.#size === undefined) return this.#meter.append(event);
    try {
      const bytes = this.#size(event);
      if (bytes >= 0 && bytes <= Number.MAX_SAFE_INTEGER) return bytes;
      throw new RangeError(`size gave ${String(bytes)}`);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'size', cause });
      return this.#meter.append(event);
    }
  }

  #drop(event: E): void {
    this.#lost++;
    if (this.#key === undefined) return;
    let kind = 'other';
    try {
      kind = this.#key(event);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'key', cause });
    }
    if (typeof kind !== 'string' || (this.#kinds.size >= mostKinds && !this.#kinds.has(kind))) kind = 'other';
    this.#kinds.set(kind, (this.#kinds.get(kind) ?? 0) + 1);
  }
}
