import type { Metered } from '@plimsoll/core/internal/scope/account';
import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption, bytesOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import type { ParkingLot } from '../parking-lot/parking-lot.ts';
import type { DeadLetter } from './events.ts';

export type { Metered };

/** Why a value left the cache. */
export type LeaveReason = 'evict' | 'expire' | 'age' | 'replace' | 'drain' | 'lost' | (string & {});

/** What the dispose hook is told. */
export interface DisposeInfo {
  readonly id: string;
  readonly reason: LeaveReason;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Aborted when the attempt runs out of time. */
  readonly signal: AbortSignal;
}

export interface OpenInfo {
  /** Aborted when nobody waits for the value any more, or when it was closed meanwhile. */
  readonly signal: AbortSignal;
  readonly owner: string | undefined;
}

export interface SessionCacheOptions<V> {
  /** Name in reports, default "sessions". */
  readonly name?: string;
  /** Most bytes to hold: a number or a size such as "512MiB". This or `maxEntries` is required. */
  readonly maxBytes?: number | string;
  /** Most entries to hold. This or `maxBytes` is required. */
  readonly maxEntries?: number;
  /** An entry nobody used for this long leaves: ms or a duration such as "5m". Default: never. */
  readonly idle?: number | string;
  /** An entry older than this leaves, however much it is used, as soon as nobody leases it. Default: never. */
  readonly maxAge?: number | string;
  /** An entry leaves at most this long after it is due. Default: an eighth of the shorter of `idle` and `maxAge`, 100 ms to 30 s. */
  readonly sweep?: number | string;
  /** Who makes room: "arc" (default), which keeps what is asked for again, or "lru". With `tenant` it is "lru". */
  readonly policy?: 'lru' | 'arc';
  /** Makes the value of an id; one call at a time per id, however many wait for it. */
  readonly open?: (id: string, info: OpenInfo) => V | Promise<V>;
  /** The live size of a value, read again at each use and sweep. Default: values are measured when they come in and after leases. */
  readonly meter?: (value: V, id: string) => Metered;
  /** Lets go of what a value holds; awaited, timed and retried. */
  readonly dispose?: (value: V, info: DisposeInfo) => void | Promise<void>;
  /** Time for one try of `dispose` or of parking, default 5 s. */
  readonly disposeTimeout?: number | string;
  /** Tries after the first that failed, default 2. */
  readonly disposeRetries?: number;
  /** Gets the values whose teardown was given up. */
  readonly onDeadLetter?: (letter: DeadLetter<V>) => void;
  /** Asked before an eviction, expiry or shed; true keeps the entry for another idle period. Never asked for explicit closes. */
  readonly veto?: (value: V, about: { readonly id: string; readonly reason: LeaveReason }) => boolean;
  /** The tenant of an id; the tenant that takes the most makes room first. */
  readonly tenant?: (id: string) => string;
  /** Where cold values are parked instead of being lost. With a lot that processes share, each session is held by one of them at a time. */
  readonly park?: ParkingLot;
  /** What of a value is parked, default the value itself; it has to be serialisable by v8.serialize. */
  readonly freeze?: (value: V, id: string) => unknown;
  /** Makes a value of what was parked, default as it is. */
  readonly thaw?: (parked: unknown, id: string) => V | Promise<V>;
  /** What to do when a parked copy is damaged, default "open" afresh. When `thaw` fails on a shared lot, the caller always gets the error. */
  readonly onCorrupt?: 'open' | 'throw';
  /** A lease held for longer is reported, with its owner, as "lease-held-long". Default 10 min. */
  readonly leaseWarning?: number | string;
  /** Records where leases were taken: never (default), always, or one in so many. */
  readonly leaseStacks?: boolean | number;
  /** Holds values by weak references; see the page on weak mode before using it. Default false. */
  readonly weak?: boolean;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** Options with units resolved and defaults in place. */
export interface CacheSettings<V> extends SessionCacheOptions<V> {
  readonly name: string;
  readonly maxBytes: number;
  readonly maxEntries: number;
  readonly idle: number;
  readonly maxAge: number;
  readonly sweep: number;
  readonly disposeTimeout: number;
  readonly disposeRetries: number;
  readonly leaseWarning: number;
  /** One in so many leases records its stack; 0 for none. */
  readonly stackEvery: number;
  readonly clock: KeeperClock;
}

const keeper = 'SessionCache';
const never = Number.POSITIVE_INFINITY;

/** Reads the options of a cache; throws the coded error of the first that cannot be meant. */
export function readSettings<V>(options: SessionCacheOptions<V>): CacheSettings<V> {
  const maxBytes = bytesOption(keeper, 'maxBytes', options.maxBytes);
  const maxEntries = countOption(keeper, 'maxEntries', options.maxEntries);
  if (maxBytes === undefined && maxEntries === undefined)
    throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['maxBytes', 'maxEntries'] });
  const idle = msOption(keeper, 'idle', options.idle) ?? never;
  const maxAge = msOption(keeper, 'maxAge', options.maxAge) ?? never;
  const shorter = Math.min(idle, maxAge);
  const policy = options.policy ?? (options.tenant === undefined ? 'arc' : 'lru');
  if (policy !== 'lru' && policy !== 'arc') throw badOption(keeper, 'policy', policy, '"lru" or "arc"');
  if (policy === 'arc' && options.tenant !== undefined)
    throw badOption(keeper, 'policy', policy, '"lru" when "tenant" is set');
  checkHooks(options);
  return {
    ...options,
    policy,
    name: options.name ?? 'sessions',
    maxBytes: maxBytes ?? never,
    maxEntries: maxEntries ?? never,
    idle,
    maxAge,
    sweep: msOption(keeper, 'sweep', options.sweep) ?? Math.min(30_000, Math.max(100, shorter / 8)),
    disposeTimeout: msOption(keeper, 'disposeTimeout', options.disposeTimeout) ?? 5000,
    disposeRetries: countOption(keeper, 'disposeRetries', options.disposeRetries, 0) ?? 2,
    leaseWarning: msOption(keeper, 'leaseWarning', options.leaseWarning) ?? 600_000,
    stackEvery: stackEvery(options.leaseStacks),
    clock: options.clock ?? systemClock,
  };
}

function stackEvery(value: boolean | number | undefined): number {
  if (typeof value === 'number') return countOption(keeper, 'leaseStacks', value) as number;
  return value === true ? 1 : 0;
}

function checkHooks<V>(options: SessionCacheOptions<V>): void {
  const hooks = ['open', 'meter', 'dispose', 'onDeadLetter', 'veto', 'tenant', 'freeze', 'thaw'] as const;
  for (const hook of hooks) {
    const value: unknown = options[hook];
    if (value !== undefined && typeof value !== 'function')
      throw badOption(keeper, hook, typeof value, 'a function');
  }
}
