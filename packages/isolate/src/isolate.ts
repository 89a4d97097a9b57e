import { currentScope, processScope } from '@plimsoll/core';
import type { Scope } from '@plimsoll/core';
import { catalogue } from '@plimsoll/core/internal/errors';
import { IsolateCall } from './isolate-call.ts';
import { abortedError, refusal } from './isolate-error.ts';
import { duration, isolateConfig } from './isolate-options.ts';
import type { IsolateConfig, IsolateOptions } from './isolate-options.ts';
import { IsolatePool } from './isolate-pool.ts';
import type { IsolateStats } from './isolate-pool.ts';

export type { IsolateOptions, IsolateStats };

export interface IsolateCallOptions {
  /** Ends the process of the call when it is aborted. */
  readonly signal?: AbortSignal;
  /** The scope that owns the call, default the current one. When it closes, the process of the call ends. */
  readonly scope?: Scope;
  /** Time limit of this call instead of the isolate's. */
  readonly timeout?: number | string;
}

/** A function that runs in a process of its own. */
export interface Isolated<Input, Output> {
  (input: Input, options?: IsolateCallOptions): Promise<Output>;
  stats(): IsolateStats;
  /** Gives up the calls of this function and ends unused processes. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Pools by module and options. A pool leaves when its last process has ended. */
const pools = new Map<string, IsolatePool>();

/**
 * Makes a function of another module callable in a child process with a hard memory limit and a timeout. This process survives whatever the
 * task does. The caller gets the answer, the error that the task threw, or an IsolateError with a small autopsy.
 *
 * @example const parse = isolate<Uint8Array, string>(new URL('./parse-pdf.ts', import.meta.url), { limit: '256 MiB', timeout: '30s' });
 * const text = await parse(bytes);
 */
export function isolate<Input = unknown, Output = unknown>(
  module: URL | string,
  options: IsolateOptions,
): Isolated<Input, Output> {
  const config = isolateConfig(module, options);
  const key = JSON.stringify(config);
  const calls = new Set<IsolateCall>();
  let isClosed = false;
  if (config.warm > 0) poolOf(key, config).warmUp();

  const run = async (input: Input, given: IsolateCallOptions = {}): Promise<Output> => {
    if (isClosed) throw closedError(config.task);
    const call = new IsolateCall(input, timeoutOf(given, config));
    const signals = signalsOf(given);
    for (const { signal, why } of signals) {
      if (signal.aborted) throw abortedError(config.task, why(), signal.reason);
      call.follow(signal, why);
    }
    calls.add(call);
    call.onEnd(() => calls.delete(call));
    poolOf(key, config).take(call);
    return (await call.promise) as Output;
  };

  const close = async (): Promise<void> => {
    isClosed = true;
    const reason = closedError(config.task);
    const open = [...calls];
    for (const call of open) call.onGivenUp?.('the isolate was closed', reason);
    await Promise.allSettled(open.map(({ promise }) => promise));
    await pools.get(key)?.rest();
  };

  const stats = (): IsolateStats => pools.get(key)?.stats() ?? noStats;
  return Object.assign(run, { stats, close, [Symbol.asyncDispose]: close });
}

const noStats: IsolateStats = { processes: 0, busy: 0, waiting: 0, started: 0, recycled: 0, pids: [] };

function poolOf(key: string, config: IsolateConfig): IsolatePool {
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = new IsolatePool(config, () => pools.delete(key));
    pools.set(key, pool);
  }
  return pool;
}

function timeoutOf({ timeout }: IsolateCallOptions, config: IsolateConfig): number {
  return timeout === undefined ? config.timeoutMs : duration('timeout', timeout);
}

function signalsOf(
  given: IsolateCallOptions,
): { readonly signal: AbortSignal; readonly why: () => string }[] {
  const scope = given.scope ?? currentScope();
  const { path } = scope;
  return [
    ...(given.signal === undefined ? [] : [{ signal: given.signal, why: () => 'its signal was aborted' }]),
    ...(scope === processScope() ? [] : [{ signal: scope.signal, why: () => `scope ${path} was closed` }]),
  ];
}

function closedError(task: string): Error {
  return refusal('PLM_ISOLATE_CLOSED', catalogue.PLM_ISOLATE_CLOSED.text({ task }));
}
