import type { Scope } from '@plimsoll/core';
import { bytesOption } from '@plimsoll/keep/internal/bound';
import { sampleAllocated } from './allocated.ts';
import { StageCall } from './stage-call.ts';
import type { StageMemory } from './stage-memory.ts';

export interface TrackOptions {
  /** The object that the stage works on. Its bytes are measured before, during and after the call. */
  readonly root?: object;
  /** Most bytes that the root may hold: a number or a size such as "20MiB". Above it a warning is published at once. */
  readonly budget?: number | string;
  /** Kind of the scope that the call runs in, default "stage". */
  readonly kind?: string;
  /** Scope to run in, default the current one. */
  readonly parent?: Scope;
  /** Longer-lived signal that the stage's `scope.signal` follows. */
  readonly signal?: AbortSignal;
  /** Walks the whole root, however long that takes. Default false: walks take at most 1 % of the call's time, and at least 0.2 ms. */
  readonly exact?: boolean;
  /** Counts listeners and timers that the call leaves. Taps `on`, `addEventListener` and timers while such calls run. Default false. */
  readonly attachments?: boolean;
  /** Samples allocations. It counts the whole thread and collects the heap once at the end. Default false. */
  readonly allocated?: boolean;
}

/** The result of a tracked call and its memory. */
export interface Tracked<T> {
  readonly value: T;
  readonly memory: StageMemory;
}

/**
 * Runs a stage in a scope of its own and measures what it keeps. An error of the stage is rethrown unchanged; the figures then go only to
 * `MemoryTracker` and `plimsoll:stage`.
 */
export async function track<T>(
  stage: string,
  work: (scope: Scope) => T | Promise<T>,
  options: TrackOptions = {},
): Promise<Tracked<T>> {
  const call = beginCall(stage, options);
  const sampled = options.allocated === true ? sampleAllocated() : undefined;
  let value: T;
  try {
    value = await call.scope.run(() => work(call.scope));
  } catch (error) {
    call.end(undefined, false, sampled?.() ?? null);
    throw error;
  }
  return { value, memory: call.end(value, true, sampled?.() ?? null) };
}

/** Begins a call by hand, for code that has to act while it runs. */
export function beginCall(stage: string, options: TrackOptions): StageCall {
  return new StageCall(stage, {
    root: options.root,
    budget: bytesOption('track', 'budget', options.budget),
    parent: options.parent,
    signal: options.signal,
    isExact: options.exact === true,
    attachments: options.attachments === true,
    kind: options.kind ?? 'stage',
  });
}
