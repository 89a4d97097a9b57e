import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { badOption, bytesOption, countOption, msOption } from '../bound.ts';
import { systemClock } from '../clock.ts';
import type { KeeperClock } from '../clock.ts';

/** What the approval hook is asked. */
export interface DelegationApproval {
  readonly agent: string;
  readonly task: unknown;
  readonly depth: number;
  readonly path: readonly string[];
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
}

export interface DelegationBreakerOptions {
  /** Name in reports, default "delegations". */
  readonly name?: string;
  /** Most delegations of one tree in all. Required. */
  readonly total: number;
  /** Most delegations on one path, default 8. */
  readonly depth?: number;
  /**
   * Most delegations of all trees that run at once; those that wait for their own delegations do not count. Free places go round the trees
   * that wait. Default: no bound over all trees.
   */
  readonly live?: number;
  /** Most delegations of one tree that run at once. Default: `live`, or as many as `total`. */
  readonly livePerTree?: number;
  /** Most delegations that wait for a place; more are refused. Default 10,000. */
  readonly queue?: number;
  /** What happens above `live` and `livePerTree`: "wait" (default) until another is over, or "deny". */
  readonly full?: 'wait' | 'deny';
  /** Tokens that a tree may spend in all, as told by `spend()`. Default: no limit. */
  readonly tokens?: number;
  /** Bytes that a tree may hold at once, as told by `hold()`. Default: no limit. */
  readonly bytes?: number | string;
  /** Wall time of a tree; at its end the tree is cancelled. Default: no limit. */
  readonly time?: number | string;
  /** How often an agent may be on one path, whatever its tasks. Default: no limit. */
  readonly reentry?: number;
  /** How often two agents may hand a task to and fro on one path, default 3. */
  readonly pingPong?: number;
  /** What makes two tasks the same; default the text of a string, the sorted JSON of anything else. */
  readonly fingerprint?: (task: unknown) => string;
  /** An agent that failed `count` times in a row is refused for `pause`, then probed by one delegation. Default 5 and 30 s; false for never. */
  readonly failures?: { readonly count?: number; readonly pause?: number | string } | false;
  /** Asks before a delegation at `depth` or deeper starts. No answer within `timeout` (default 5 min) and a hook that throws mean no. */
  readonly approve?: {
    readonly depth: number;
    readonly ask: (request: DelegationApproval) => boolean | Promise<boolean>;
    readonly timeout?: number | string;
  };
  /** The scope that is charged, default the current one. */
  readonly scope?: Scope;
  /** Time source, default the system's. */
  readonly clock?: KeeperClock;
}

/** Options with units resolved and defaults in place. */
export interface DelegationSettings {
  readonly name: string;
  readonly total: number;
  readonly depth: number;
  readonly live: number;
  readonly livePerTree: number;
  readonly queue: number;
  readonly waits: boolean;
  readonly tokens: number;
  readonly bytes: number;
  readonly time: number;
  readonly reentry: number;
  readonly pingPong: number;
  readonly fingerprint: ((task: unknown) => string) | undefined;
  /** Failures in a row that open the breaker of an agent; infinite for never. */
  readonly failures: number;
  readonly failurePause: number;
  readonly approveDepth: number;
  readonly ask: ((request: DelegationApproval) => boolean | Promise<boolean>) | undefined;
  readonly askTimeout: number;
  readonly clock: KeeperClock;
}

const keeper = 'DelegationBreaker';
const never = Number.POSITIVE_INFINITY;

/** Reads the options of a breaker; throws the coded error of the first that cannot be meant. */
export function readDelegationSettings(options: DelegationBreakerOptions): DelegationSettings {
  const total = countOption(keeper, 'total', options?.total);
  if (total === undefined) throw failure('PLM_KEEP_UNBOUNDED', { keeper, options: ['total'] });
  const live = countOption(keeper, 'live', options.live) ?? never;
  const { approve, full = 'wait', failures = {} } = options;
  if (full !== 'wait' && full !== 'deny') throw badOption(keeper, 'full', full, '"wait" or "deny"');
  if (options.fingerprint !== undefined && typeof options.fingerprint !== 'function')
    throw badOption(keeper, 'fingerprint', typeof options.fingerprint, 'a function');
  if (approve !== undefined && typeof approve.ask !== 'function')
    throw badOption(keeper, 'approve.ask', typeof approve.ask, 'a function');
  return {
    name: options.name ?? 'delegations',
    total,
    depth: countOption(keeper, 'depth', options.depth) ?? 8,
    live,
    livePerTree: countOption(keeper, 'livePerTree', options.livePerTree) ?? Math.min(live, total),
    queue: countOption(keeper, 'queue', options.queue, 0) ?? 10_000,
    waits: full === 'wait',
    tokens: countOption(keeper, 'tokens', options.tokens) ?? never,
    bytes: bytesOption(keeper, 'bytes', options.bytes) ?? never,
    time: msOption(keeper, 'time', options.time) ?? never,
    reentry: countOption(keeper, 'reentry', options.reentry) ?? never,
    pingPong: countOption(keeper, 'pingPong', options.pingPong) ?? 3,
    fingerprint: options.fingerprint,
    failures: failures === false ? never : (countOption(keeper, 'failures.count', failures.count) ?? 5),
    failurePause: failures === false ? 0 : (msOption(keeper, 'failures.pause', failures.pause) ?? 30_000),
    approveDepth: approve === undefined ? never : (countOption(keeper, 'approve.depth', approve.depth) ?? 1),
    ask: approve?.ask,
    askTimeout: msOption(keeper, 'approve.timeout', approve?.timeout) ?? 300_000,
    clock: options.clock ?? systemClock,
  };
}
