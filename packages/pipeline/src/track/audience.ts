import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallAttachments } from './left-behind.ts';
import type { StageMemory } from './stage-memory.ts';

/** The end of a call, for who collects figures. */
export interface StageEnd {
  readonly memory: StageMemory;
  /** What the call left attached, to be asked again later. */
  readonly attachments: CallAttachments | undefined;
}

/** Who collects the figures of the calls that run inside it. */
export interface Audience {
  /** Whether the calls are followed for listeners and timers. */
  readonly attachments: boolean;
  /** The audience around it, which hears of the calls as well. */
  readonly outer: Audience | undefined;
  take(end: StageEnd): void;
}

const context = new AsyncLocalStorage<Audience>();
const everywhere = new Set<Audience>();
const mostEverywhere = 100;

/** Runs a function whose calls are heard by this audience, however many others run at the same time. */
export function runBefore<T>(audience: Audience, work: () => T): T {
  return context.run(audience, work);
}

/** The innermost audience of the running code, or else one that hears every call of the process. */
export function audienceHere(): Audience | undefined {
  return context.getStore() ?? (everywhere.size === 0 ? undefined : everywhere.values().next().value);
}

/** Lets an audience hear every call of the process; returns the way to stop. At most 100 do. */
export function hearAll(audience: Audience): () => void {
  if (everywhere.size < mostEverywhere) everywhere.add(audience);
  return () => void everywhere.delete(audience);
}

/** Whether anybody would hear of a call that has this audience. */
export function hasListeners(from: Audience | undefined): boolean {
  return from !== undefined || everywhere.size > 0;
}

export function tellListeners(end: StageEnd, from: Audience | undefined): void {
  const told = new Set<Audience>(everywhere);
  for (let at = from; at !== undefined; at = at.outer) told.add(at);
  for (const audience of told) {
    try {
      audience.take(end);
    } catch {
      // Collecting figures must not break the stage that they are about.
    }
  }
}
