import type { Claims } from '../parking-lot/claims.ts';
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import { isThenable } from '../thenable.ts';
import type { Alarm } from '@plimsoll/core/internal/alarm';
import type { CacheEntry } from './entry.ts';
import type { EventBoard } from './events.ts';
import type { LeaveReason, CacheSettings } from './settings.ts';
import { Teardown, Try } from './teardown.ts';
import type { TeardownHome } from './teardown.ts';

/** Keeps an id from being opened again while an older value of it is still being let go of. */
class Gates {
  readonly #gates = new Map<string, { count: number; readonly waiters: (() => void)[] }>();

  close(id: string): void {
    const gate = this.#gates.get(id);
    if (gate === undefined) this.#gates.set(id, { count: 1, waiters: [] });
    else gate.count++;
  }

  open(id: string): void {
    const gate = this.#gates.get(id);
    if (gate === undefined || --gate.count > 0) return;
    this.#gates.delete(id);
    for (const pass of gate.waiters) pass();
  }

  has(id: string): boolean {
    return this.#gates.has(id);
  }

  /** Resolves when nothing of the id is in the way; undefined when nothing is. */
  passed(id: string): Promise<void> | undefined {
    const gate = this.#gates.get(id);
    return gate === undefined ? undefined : new Promise((resolve) => gate.waiters.push(resolve));
  }
}

/** All teardowns of a cache: how many run, what they still hold, and who waits for them. */
export class TeardownCrew<V> implements TeardownHome<V> {
  readonly settings: CacheSettings<V>;
  readonly board: EventBoard;
  readonly label: string;
  readonly gates = new Gates();
  claims: Claims | undefined = undefined;
  /** Bytes of values that are being let go of. */
  bytes = 0;
  readonly #alarm: Alarm;
  readonly #running = new Set<Teardown<V>>();
  #waiters: (() => void)[] = [];

  constructor(settings: CacheSettings<V>, board: EventBoard, alarm: Alarm, label: string) {
    this.settings = settings;
    this.board = board;
    this.#alarm = alarm;
    this.label = label;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Lets go of a claimed value. True when nothing is left to do, as when both hooks are absent or return at once. */
  begin(entry: CacheEntry<V>, value: V, reason: LeaveReason, lot: ParkingLot | undefined): boolean {
    const { dispose } = this.settings;
    if (lot !== undefined) {
      this.#follow(new Teardown(this, entry, value, reason, lot)).start();
      return false;
    }
    if (dispose === undefined) return true;
    const first = new Try(entry.id, reason, 1);
    let result: unknown;
    try {
      result = dispose(value, first);
    } catch (cause) {
      result = Promise.reject(cause as Error);
    }
    if (!isThenable(result)) return true;
    this.#follow(new Teardown(this, entry, value, reason, undefined)).resume(first, result);
    return false;
  }

  #follow(teardown: Teardown<V>): Teardown<V> {
    this.#running.add(teardown);
    this.bytes += teardown.entry.bytes;
    this.gates.close(teardown.entry.id);
    return teardown;
  }

  /** Tells the teardowns of an id that it was closed. */
  unpark(id: string): void {
    for (const teardown of this.#running) if (teardown.entry.id === id) teardown.unpark();
  }

  wake(at: number): void {
    this.#alarm.at(at);
  }

  finished(teardown: Teardown<V>): void {
    if (!this.#running.delete(teardown)) return;
    this.bytes -= teardown.entry.bytes;
    this.gates.open(teardown.entry.id);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const resolve of waiters) resolve();
  }

  /** Moves on what ran out of time; called when the alarm rings. */
  due(now: number): void {
    let next = Number.POSITIVE_INFINITY;
    for (const teardown of this.#running) {
      if (teardown.dueAt <= now) teardown.due(now);
      next = Math.min(next, teardown.dueAt);
    }
    if (next !== Number.POSITIVE_INFINITY) this.#alarm.at(next);
  }

  /** Resolves when the next teardown finishes; at once when none runs. */
  progress(): Promise<void> {
    return this.#running.size === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiters.push(resolve);
        });
  }
}
