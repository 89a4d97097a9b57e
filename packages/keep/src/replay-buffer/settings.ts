import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption, bytesOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';
import { tempTarget } from '../spill/spill-file.ts';
import type { SpillTarget } from '../spill/spill-file.ts';
import { allText, deltasAndPieces } from './coalesce.ts';
import type { Coalescer } from './coalesce.ts';

/** What happens to a reader that is too slow when memory and file are full: the producer waits, the reader loses chunks, or it is cut off. */
export type LagPolicy = 'block' | 'drop' | 'disconnect';

/** How chunks become bytes and back. */
export interface SpillCodec<T> {
  encode(chunks: readonly T[]): Uint8Array;
  decode(bytes: Uint8Array): T[];
}

export interface ReplayBufferOptions<T> {
  /** Name in reports, default "stream". */
  readonly name?: string;
  /** Most bytes in memory: a number or a size such as "1MiB". Required. */
  readonly maxBytes: number | string;
  /** What happens at the bound: "spill" (default) moves the oldest chunks to an unlinked temporary file, "lag" applies the readers' policies. */
  readonly overflow?: 'spill' | 'lag';
  /** Most bytes in the file, default 1 GiB; beyond them the readers' policies apply. */
  readonly maxSpillBytes?: number | string;
  /** Directory of the file, or where it comes from. Default the system's temporary directory. */
  readonly spillTo?: string | SpillTarget;
  /** How chunks are written to the file. Default v8.serialize, which takes plain data only. */
  readonly codec?: SpillCodec<T>;
  /** Lag policy of readers that name none, default "drop". */
  readonly lag?: LagPolicy;
  /** How long the producer waits for a reader with policy "block" before that reader is cut off. Default 30 s. */
  readonly blockFor?: number | string;
  /**
   * Which neighbouring chunks are joined. "deltas" (default): text deltas of agent streams, and bare strings that are neither JSON in braces or
   * brackets nor end with a line break. "text": all bare strings, too. false: none. Or your own.
   */
  readonly coalesce?: 'deltas' | 'text' | false | Coalescer<T>;
  /** How long chunks stay for late readers after the stream is over and the last reader has left. Default 30 s. */
  readonly releaseAfterEnd?: number | string;
  /** How long a reader may do nothing after the stream is over before it is cut off. Default 10 min. */
  readonly abandonAfter?: number | string;
  /** Bytes of a chunk; default by measuring. */
  readonly size?: (chunk: T) => number;
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** Options with units resolved and defaults in place. */
export interface ReplaySettings<T> {
  readonly name: string;
  readonly maxBytes: number;
  readonly maxSpillBytes: number;
  readonly target: SpillTarget | undefined;
  readonly codec: SpillCodec<T> | undefined;
  readonly lag: LagPolicy;
  readonly blockFor: number;
  readonly coalescer: Coalescer<T> | undefined;
  readonly releaseAfterEnd: number;
  readonly abandonAfter: number;
  readonly size: ((chunk: T) => number) | undefined;
  readonly clock: KeeperClock;
}

const keeper = 'ReplayBuffer';

/** Reads the options of a buffer; throws the coded error of the first that cannot be meant. */
export function readReplaySettings<T>(options: ReplayBufferOptions<T>): ReplaySettings<T> {
  const maxBytes = bytesOption(keeper, 'maxBytes', options?.maxBytes);
  if (maxBytes === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['maxBytes'] });
  const overflow = options.overflow ?? 'spill';
  if (overflow !== 'spill' && overflow !== 'lag')
    throw badOption(keeper, 'overflow', overflow, '"spill" or "lag"');
  if (options.size !== undefined && typeof options.size !== 'function')
    throw badOption(keeper, 'size', typeof options.size, 'a function');
  const { spillTo } = options;
  return {
    name: options.name ?? 'stream',
    maxBytes,
    maxSpillBytes: bytesOption(keeper, 'maxSpillBytes', options.maxSpillBytes) ?? 1024 ** 3,
    target: overflow === 'lag' ? undefined : typeof spillTo === 'object' ? spillTo : tempTarget(spillTo),
    codec: options.codec,
    lag: lagOption(options.lag) ?? 'drop',
    blockFor: msOption(keeper, 'blockFor', options.blockFor) ?? 30_000,
    coalescer: coalescerOf(options.coalesce),
    releaseAfterEnd: msOption(keeper, 'releaseAfterEnd', options.releaseAfterEnd) ?? 30_000,
    abandonAfter: msOption(keeper, 'abandonAfter', options.abandonAfter) ?? 600_000,
    size: options.size,
    clock: options.clock ?? systemClock,
  };
}

export function lagOption(value: LagPolicy | undefined): LagPolicy | undefined {
  if (value === undefined || value === 'block' || value === 'drop' || value === 'disconnect') return value;
  throw badOption(keeper, 'lag', value, '"block", "drop" or "disconnect"');
}

function coalescerOf<T>(value: ReplayBufferOptions<T>['coalesce']): Coalescer<T> | undefined {
  if (value === false) return undefined;
  if (value === undefined || value === 'deltas') return deltasAndPieces as Coalescer<T>;
  if (value === 'text') return allText as Coalescer<T>;
  if (typeof value === 'object' && typeof value.join === 'function' && typeof value.joinable === 'function')
    return value;
  throw badOption(keeper, 'coalesce', value, '"deltas", "text", false or { joinable, join }');
}
