import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallAttachments } from './left-behind.ts';
import type { StageMemory } from './stage-memory.ts';

/** The end of a call, for collectors of figures. */
export interface StageEnd {
  readonly memory: StageMemory;
  /** Listeners and timers that the call left, for a later check. */
  readonly attachments: CallAttachments | undefined;
}

/** A collector of the figures of the calls that run inside it. */
export interface Audience {
  /** Whether the calls are followed for listeners and timers. */
  readonly attachments: boolean;
  /** The outer audience, which also gets the calls. */
  readonly outer: Audience | undefined;
  take(end: StageEnd): void;
}

const context = new AsyncLocalStorage<Audience>();
const everywhere = new Set<Audience>();
const mostEverywhere = 100;

/** Runs a function whose calls this audience gets, however many others run at the same time. */
export function runBefore<T>(audience: Audience, work: () => T): T {
  return context.run(audience, work);
}

/** The innermost audience of the running code, else one that gets every call of the process. */
export function audienceHere(): Audience | undefined {
  return context.getStore() ?? (everywhere.size === 0 ? undefined : everywhere.values().next().value);
}

/** Makes an audience get every call of the process, and returns the function that stops it. At most 100 audiences can. */
export function hearAll(audience: Audience): () => void {
  if (everywhere.size < mostEverywhere) everywhere.add(audience);
  return () => void everywhere.delete(audience);
}

/** Whether anybody gets a call with this audience. */
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
      // Collecting figures must not break the measured stage.
    }
  }
}
