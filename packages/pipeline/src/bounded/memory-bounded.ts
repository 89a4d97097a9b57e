import type { Scope } from '@plimsoll/core';
import { failure } from '@plimsoll/core/internal/errors';
import { homeOf, keepers } from '@plimsoll/core/internal/keeper-roster';
import { badOption, bytesOption } from '@plimsoll/keep/internal/bound';
import { beginCall } from '../track/track.ts';
import type { StageCall } from '../track/stage-call.ts';
import type { StageMemory } from '../track/stage-memory.ts';
import type { ForcedCollection } from './gc-controller.ts';
import { GcController } from './gc-controller.ts';

export interface MemoryBoundedOptions<Args extends unknown[]> {
  /** Most bytes that the root may hold: a number or a size such as "64MiB". Required. */
  readonly limit: number | string;
  /**
   * The action when the root passes the limit while the stage runs. "fail" aborts the stage. "spill" makes the keepers of the stage's scope
   * free memory, or calls `spill`. "collect" forces one collection.
   */
  readonly at: 'collect' | 'spill' | 'fail';
  /** Name of the stage, default the function's. */
  readonly name?: string;
  /** Picks the measured object from the arguments; default the first argument. */
  readonly root?: (...args: Args) => object | undefined;
  /** Frees memory for at: "spill" and returns the bytes. Default: the keepers that charge the stage's scope shed. */
  readonly spill?: (overBytes: number, ...args: Args) => number | Promise<number>;
  /** Controller of forced collections for at: "collect". */
  readonly gc?: GcController;
}

/** Result of a bounded stage, with its memory and the action at the limit. */
export interface Bounded<T> {
  readonly value: T;
  readonly memory: StageMemory;
  /** The action at the limit; null when it was not reached. */
  readonly action: {
    readonly at: 'collect' | 'spill' | 'fail';
    readonly bytes: number;
    readonly freed: number;
  } | null;
}

/** A stage whose root is watched while it runs. At the limit it acts once; with "fail" the call rejects with PLM_PIPELINE_OVER_BOUND. */
export function memoryBounded<Args extends unknown[], T>(
  stage: (...args: Args) => T | Promise<T>,
  options: MemoryBoundedOptions<Args>,
): (...args: Args) => Promise<Bounded<T>> {
  const limit = bytesOption('memoryBounded', 'limit', options?.limit);
  if (limit === undefined)
    throw failure('PLM_KEEP_UNBOUNDED', { keeper: 'memoryBounded', options: ['limit'] });
  const { at } = options;
  if (at !== 'collect' && at !== 'spill' && at !== 'fail')
    throw badOption('memoryBounded', 'at', at, '"collect", "spill" or "fail"');
  const gc = options.gc ?? new GcController();
  const name = options.name ?? (stage.name || 'stage');
  return async (...args) => {
    const root = options.root === undefined ? objectOrNone(args[0]) : options.root(...args);
    const call = beginCall(name, { budget: limit, ...(root !== undefined && { root }) });
    const guard = new Guard(call, limit, at, () => spillOf(options, call.scope, args, limit), gc);
    let value: T;
    try {
      value = await guard.race(call.scope.run(async () => await stage(...args)));
      // The last growth may have come after the last sample.
      call.sample(lastWalkMs);
      guard.check();
    } catch (error) {
      call.end(undefined, false);
      throw error;
    }
    const action = await guard.settled();
    return { value, memory: call.end(value, true), action };
  };
}

/** Longest walk of the root after the stage has returned, in ms. */
const lastWalkMs = 20;

/** Acts once when a call is over its bound. */
class Guard {
  readonly #path: string;
  readonly #failed = Promise.withResolvers<never>();
  #error: Error | undefined;
  #action: Promise<Bounded<unknown>['action']> = Promise.resolve(null);

  constructor(
    call: StageCall,
    limit: number,
    at: 'collect' | 'spill' | 'fail',
    spill: (bytes: number) => Promise<number>,
    gc: { collect(): ForcedCollection | undefined },
  ) {
    this.#path = call.scope.path;
    this.#failed.promise.catch(() => undefined);
    call.onOverBound = (bytes) => {
      if (at === 'fail') {
        this.#error = failure('PLM_PIPELINE_OVER_BOUND', {
          stage: call.stage,
          path: this.#path,
          bytes,
          bound: limit,
        });
        this.#failed.reject(this.#error);
        // Aborts scope.signal, so that the stage can end.
        call.scope[Symbol.dispose]();
        return;
      }
      const act = at === 'spill' ? spill(bytes) : Promise.resolve(gc.collect()?.freedBytes ?? 0);
      this.#action = act.then(
        (freed) => ({ at, bytes, freed }),
        () => ({ at, bytes, freed: 0 }),
      );
    };
  }

  /** Waits for the work, or for the failure at the limit if that comes first. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#failed.promise]);
  }

  check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  settled(): Promise<Bounded<unknown>['action']> {
    return this.#action;
  }
}

async function spillOf<Args extends unknown[]>(
  { spill }: MemoryBoundedOptions<Args>,
  scope: Scope,
  args: Args,
  limit: number,
): Promise<number> {
  const over = Math.max(1, scope.account.held - limit);
  if (spill !== undefined) return await spill(over, ...args);
  const path = scope.path;
  const mine = keepers().filter((keeper) => {
    const home = homeOf(keeper);
    return home === path || home?.startsWith(`${path}/`) === true;
  });
  const freed = await Promise.all(
    mine.map((keeper) => keeper.shed({ bytes: keeper.bytes || 1, reason: 'stage' })),
  );
  return freed.reduce((sum, bytes) => sum + bytes, 0);
}

function objectOrNone(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}
