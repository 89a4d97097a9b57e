import { setTimeout as delay } from 'node:timers/promises';
import { isPlimsollError } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { slots } from '@plimsoll/core/internal/slots';
import { decodeParked } from '../parking-lot/parked-form.ts';
import type { Claims } from '../parking-lot/claims.ts';
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import type { CacheEntry } from './entry.ts';
import type { EventBoard } from './events.ts';
import { LoadFlight } from './flight.ts';
import type { Lease } from './lease.ts';
import type { OpenInfo, CacheSettings } from './settings.ts';
import type { CacheStore } from './store.ts';
import type { TeardownCrew } from './teardown-crew.ts';

export interface AcquireOptions {
  /** Who takes the lease, for reports of leases held long. */
  readonly owner?: string;
  /** Ends the wait of this caller; the opening itself is aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal;
}

const askAgainMs = 20;

type Make<V> = (id: string, info: OpenInfo) => V | Promise<V>;

/** The openings of a cache: one at a time per id, after whatever is still being let go of under that id. */
export class Openings<V> {
  readonly #flights = new Map<string, LoadFlight<V>>();
  readonly #settings: CacheSettings<V>;
  readonly #store: CacheStore<V>;
  readonly #crew: TeardownCrew<V>;
  readonly #board: EventBoard;
  readonly #onEntry: () => void;
  /** With a shared lot: the sessions that this process holds. */
  readonly #claims: Claims | undefined;
  /** Why nothing is opened any more. */
  #ended: string | undefined;

  constructor(
    settings: CacheSettings<V>,
    store: CacheStore<V>,
    crew: TeardownCrew<V>,
    board: EventBoard,
    onEntry: () => void,
    claims: Claims | undefined,
  ) {
    this.#settings = settings;
    this.#store = store;
    this.#crew = crew;
    this.#board = board;
    this.#onEntry = onEntry;
    this.#claims = claims;
  }

  get count(): number {
    return this.#flights.size;
  }

  /** Resolves when the opening of an id is over; undefined when there is none. */
  over(id: string): Promise<void> | undefined {
    return this.#flights.get(id)?.over;
  }

  /** Joins the opening of an id, or starts it. */
  async join(id: string, options: AcquireOptions, make?: Make<V>): Promise<Lease<V>> {
    const isReplacing = make !== undefined;
    let flight = this.#flights.get(id);
    // An opening that was given up has to end before the next one may begin; a new way to make the value replaces the old one.
    while (flight !== undefined) {
      if (isReplacing) this.cancel(id, 'replace');
      if (!flight.signal.aborted) break;
      await flight.over;
      options.signal?.throwIfAborted();
      if (this.#ended !== undefined) throw this.#cancellation(id, this.#ended);
      flight = this.#flights.get(id);
    }
    if (flight === undefined) {
      flight = new LoadFlight(id);
      this.#flights.set(id, flight);
      const waiting = flight.join(options.owner, options.signal);
      void this.#run(flight, make);
      return waiting;
    }
    return flight.join(options.owner, options.signal);
  }

  /** Ends the opening of an id; true when there was one. */
  cancel(id: string, reason: string): boolean {
    const flight = this.#flights.get(id);
    flight?.cancel(this.#cancellation(id, reason));
    return flight !== undefined;
  }

  /** Ends every opening, and those that wait to begin. */
  cancelAll(reason: string): void {
    this.#ended = reason;
    for (const id of this.#flights.keys()) this.cancel(id, reason);
  }

  /** Resolves when no opening runs. */
  async allOver(): Promise<void> {
    while (this.#flights.size > 0)
      await Promise.all([...this.#flights.values()].map((flight) => flight.over));
  }

  #cancellation(id: string, reason: string): Error {
    return failure('PLM_KEEP_OPEN_CANCELLED', { keeper: this.#crew.label, id, reason });
  }

  async #run(flight: LoadFlight<V>, make: Make<V> | undefined): Promise<void> {
    try {
      await this.#clearWay(flight);
      if (flight.cancelled === undefined && !this.#landOn(flight, this.#store.entries.get(flight.id))) {
        const value = await this.#obtain(flight, make);
        this.#deliver(flight, value);
      }
    } catch (cause) {
      flight.fail(cause);
    } finally {
      this.#flights.delete(flight.id);
      flight.end();
    }
  }

  /** Waits until no older value of the id is left, and until teardowns hold less than the cache may. */
  async #clearWay(flight: LoadFlight<V>): Promise<void> {
    const crew = this.#crew;
    const settings = this.#settings;
    for (;;) {
      const gate = crew.gates.passed(flight.id);
      const isFull = crew.bytes > settings.maxBytes || crew.count > settings.maxEntries;
      if (gate === undefined && !isFull) return;
      await Promise.race([gate ?? crew.progress(), abortOf(flight.signal)]);
      if (flight.signal.aborted) throw flight.signal.reason;
    }
  }

  async #obtain(flight: LoadFlight<V>, make: Make<V> | undefined): Promise<V> {
    return this.#claims === undefined ? this.#make(flight, make) : this.#hold(flight, make, this.#claims);
  }

  /** Obtains a value under a claim, which is given up when there is no value to hold. */
  async #hold(flight: LoadFlight<V>, make: Make<V> | undefined, claims: Claims): Promise<V> {
    const { id, signal } = flight;
    const { fence, form } = await claimOf(id, claims, signal);
    let value: V;
    try {
      value = await this.#make(flight, make, form);
    } catch (error) {
      await claims.release(id);
      throw error;
    }
    if (claims.fence(id) === fence) return value;
    this.#store.discard(id, value, 'lost');
    throw failure('PLM_KEEP_CLAIM_LOST', { id, lot: claims.lot.label });
  }

  async #make(flight: LoadFlight<V>, make: Make<V> | undefined, form?: Uint8Array): Promise<V> {
    const { park, open } = this.#settings;
    const { id, signal } = flight;
    if (make !== undefined) return make(id, { signal, owner: flight.owner });
    const restored = park === undefined ? undefined : await this.#restore(id, park, signal, form);
    if (restored !== undefined) return restored.value;
    if (open === undefined) throw failure('PLM_KEEP_NOT_FOUND', { keeper: this.#crew.label, id });
    signal.throwIfAborted();
    this.#store.counters.opened++;
    return open(id, { signal, owner: flight.owner });
  }

  /** The value that is parked. The copy in a shared lot stays, so that another process has it when this one dies. */
  async #restore(
    id: string,
    lot: ParkingLot,
    signal: AbortSignal,
    claimed: Uint8Array | undefined,
  ): Promise<{ readonly value: V } | undefined> {
    const isShared = this.#claims !== undefined;
    const started = performance.now();
    try {
      const form = isShared ? claimed : await parkedForm(id, lot, signal);
      if (form === undefined) return undefined;
      const parked = await decodeParked(id, form, lot.label);
      const value = this.#settings.thaw === undefined ? (parked as V) : await this.#settings.thaw(parked, id);
      if (!isShared) await lot.remove(id);
      this.#board.emit('restore', { id, bytes: form.byteLength, ms: performance.now() - started });
      return { value };
    } catch (error) {
      this.#board.emit('restore-failed', { id, error });
      // A session opened afresh would be parked over a copy that only this process could not thaw.
      if (this.#settings.onCorrupt === 'throw' || (isShared && !isCorrupt(error))) throw error;
      if (!isShared) await lot.remove(id).catch(() => false);
      return undefined;
    }
  }

  #deliver(flight: LoadFlight<V>, value: V): void {
    const { id } = flight;
    if (flight.cancelled !== undefined) {
      this.#store.discard(id, value, 'cancelled');
      return;
    }
    // Leased before the hook runs that ends the value: it may make the cache evict what nobody leases.
    if (this.#landOn(flight, this.#store.entries.get(id))) {
      this.#store.discard(id, value, 'superseded');
      return;
    }
    const entry = this.#store.add(id, value);
    this.#onEntry();
    this.#landOn(flight, entry);
    if (this.#store.isOver) this.#store.fit(entry);
  }

  /** Gives everybody a lease on an entry that is there. */
  #landOn(flight: LoadFlight<V>, entry: CacheEntry<V> | undefined): boolean {
    if (entry === undefined) return false;
    const value = this.#store.valueOf(entry);
    if (value === undefined && this.#settings.weak === true) return false;
    flight.land((owner) => this.#store.claim(entry, value as V, owner));
    return true;
  }
}

function isCorrupt(error: unknown): boolean {
  return isPlimsollError(error) && error.code === 'PLM_KEEP_PARKED_CORRUPT';
}

/** The claim on a session of a shared lot. The life before this one gives it up when it does not use the session any more. */
async function claimOf(id: string, claims: Claims, signal: AbortSignal): ReturnType<Claims['take']> {
  for (;;) {
    const mayHold = slots().handover?.mayHold?.(id) === true;
    try {
      return await claims.take(id);
    } catch (error) {
      if (!mayHold || signal.aborted) throw error;
    }
    await delay(askAgainMs);
  }
}

/** The parked form of a session. The life before this one may still use it, and parks it when it does not. */
async function parkedForm(id: string, lot: ParkingLot, signal: AbortSignal): Promise<Uint8Array | undefined> {
  for (;;) {
    // Asked before the lot is: it may be parked in between.
    const mayHold = slots().handover?.mayHold?.(id) === true;
    const form = await lot.get(id);
    if (form !== undefined || !mayHold || signal.aborted) return form;
    await delay(askAgainMs);
  }
}

function abortOf(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
