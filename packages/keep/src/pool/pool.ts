import { failure } from '@plimsoll/core/internal/errors';
import type { Scope } from '@plimsoll/core';
import { badOption, bytesOption, countOption } from '../bound.ts';
import type { Keeper, KeeperFigures, ShedRequest } from '@plimsoll/core/keeper';
import { KeeperEntry } from '../keeper-entry.ts';
import { ReportBoard } from '../report-board.ts';
import { Handle } from './handle.ts';
import type { Slot } from './handle.ts';

export interface PoolOptions<T> {
  /** Name in reports, default "pool". */
  readonly name?: string;
  /** Most objects, taken and idle together. Required. */
  readonly max: number;
  /** Makes an object. */
  readonly create: () => T;
  /** Brings an object back to the state of a new one; throw or return false to have it destroyed instead. */
  readonly reset?: (value: T) => boolean | void;
  /** Lets go of an object that leaves the pool. */
  readonly destroy?: (value: T) => void;
  /** Bytes of one object, so that the pool can be charged and bounded. Default 0. */
  readonly bytesEach?: number | string;
  /** Most bytes of idle objects, when `bytesEach` is set. Default: no bound but `max`. */
  readonly maxIdleBytes?: number | string;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
}

export interface PoolStats {
  readonly taken: number;
  readonly idle: number;
  readonly max: number;
  readonly created: number;
  readonly destroyed: number;
  readonly reused: number;
  /** Takes that had to be refused because everything was taken. */
  readonly exhausted: number;
  readonly resetFailures: number;
  readonly bytes: number;
}

export interface PoolEvents {
  readonly exhausted: { readonly taken: number };
  readonly 'hook-failed': { readonly hook: string; readonly cause: unknown };
}

const keeper = 'Pool';

/**
 * Buffers and other objects that are costly to make, used again. A handle that was released says so instead of handing out somebody
 * else's object. Not for small objects: V8 makes those faster than any pool. See docs/reference/keepers/pool.md.
 */
export class Pool<T> implements Keeper, Disposable {
  readonly kind = 'pool';
  readonly name: string;
  readonly #options: PoolOptions<T>;
  readonly #max: number;
  readonly #mostIdle: number;
  readonly #bytesEach: number;
  readonly #board = new ReportBoard<PoolEvents>();
  readonly #entry: KeeperEntry;
  readonly #idle: Slot<T>[] = [];
  #taken = 0;
  #created = 0;
  #destroyed = 0;
  #exhausted = 0;
  #takes = 0;
  #isClosed = false;

  constructor(options: PoolOptions<T>) {
    const max = countOption(keeper, 'max', options?.max);
    if (max === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['max'] });
    for (const hook of ['create', 'reset', 'destroy'] as const) {
      const value: unknown = options[hook];
      const isNeeded = hook === 'create';
      if (typeof value !== 'function' && (isNeeded || value !== undefined))
        throw badOption(keeper, hook, typeof value, 'a function');
    }
    this.#options = options;
    this.name = options.name ?? 'pool';
    this.#max = max;
    this.#bytesEach = bytesOption(keeper, 'bytesEach', options.bytesEach) ?? 0;
    const idleBytes = bytesOption(keeper, 'maxIdleBytes', options.maxIdleBytes);
    if (idleBytes !== undefined && this.#bytesEach === 0)
      throw badOption(keeper, 'maxIdleBytes', idleBytes, 'set together with bytesEach');
    this.#mostIdle = idleBytes === undefined ? max : Math.floor(idleBytes / this.#bytesEach);
    this.#entry = new KeeperEntry(this, options.scope);
  }

  /** Bytes of all objects, taken and idle, by `bytesEach`. */
  get bytes(): number {
    return (this.#taken + this.#idle.length) * this.#bytesEach;
  }

  /** Takes an object: `using handle = pool.take()`. Throws PLM_POOL_EXHAUSTED when all are taken. */
  take(): Handle<T> {
    const handle = this.tryTake();
    if (handle !== undefined) return handle;
    throw failure('PLM_POOL_EXHAUSTED', { pool: this.label, max: this.#max });
  }

  /** Takes an object; undefined when all are taken. */
  tryTake(): Handle<T> | undefined {
    if (this.#isClosed) throw failure('PLM_KEEP_CLOSED', { keeper: this.label, verb: 'take' });
    let slot = this.#idle.pop();
    if (slot === undefined) {
      if (this.#taken >= this.#max) {
        this.#exhausted++;
        this.#board.emit('exhausted', { taken: this.#taken });
        return undefined;
      }
      slot = { value: this.#options.create(), generation: 0 };
      this.#created++;
    }
    this.#taken++;
    this.#takes++;
    this.#entry.charge(this.bytes);
    return new Handle(this, slot);
  }

  /** Destroys idle objects; resolves with the bytes freed, by `bytesEach`. */
  async shed(request: ShedRequest): Promise<number> {
    if (!(request.bytes > 0)) throw badOption(this.label, 'bytes', request.bytes, 'bytes above 0');
    let freed = 0;
    while (freed < request.bytes && this.#idle.length > 0) {
      this.#destroy(this.#idle.pop() as Slot<T>);
      freed += this.#bytesEach;
    }
    this.#entry.settle(this.bytes);
    return freed;
  }

  /** Listens to an event; returns what stops it. */
  on<E extends keyof PoolEvents>(event: E, listener: (event: PoolEvents[E]) => void): () => void {
    return this.#board.on(event, listener);
  }

  figures(): KeeperFigures {
    return {
      entries: this.#taken + this.#idle.length,
      boundEntries: this.#max,
      leases: this.#taken,
      ...(this.#bytesEach > 0 && { boundBytes: this.#max * this.#bytesEach }),
      ...(this.#takes > 0 && { hitRatio: Math.max(0, this.#takes - this.#created) / this.#takes }),
    };
  }

  stats(): PoolStats {
    return {
      taken: this.#taken,
      idle: this.#idle.length,
      max: this.#max,
      created: this.#created,
      destroyed: this.#destroyed,
      reused: this.#takes - this.#created,
      exhausted: this.#exhausted,
      resetFailures: this.#board.count('hook-failed'),
      bytes: this.bytes,
    };
  }

  /** Destroys what is idle; what is taken is destroyed when it is released. */
  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    while (this.#idle.length > 0) this.#destroy(this.#idle.pop() as Slot<T>);
    this.#entry.close();
  }

  /** @internal */
  giveBack(slot: Slot<T>): void {
    this.#taken--;
    const isGood = !this.#isClosed && this.#idle.length < this.#mostIdle && this.#isReset(slot.value);
    if (isGood) this.#idle.push(slot);
    else this.#destroy(slot);
    this.#entry.charge(this.bytes);
  }

  /** @internal */
  get label(): string {
    return `pool "${this.name}"`;
  }

  #isReset(value: T): boolean {
    const { reset } = this.#options;
    if (reset === undefined) return true;
    try {
      return reset(value) !== false;
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'reset', cause });
      return false;
    }
  }

  #destroy(slot: Slot<T>): void {
    this.#destroyed++;
    slot.generation++;
    try {
      this.#options.destroy?.(slot.value);
    } catch (cause) {
      this.#board.emit('hook-failed', { hook: 'destroy', cause });
    }
  }
}
