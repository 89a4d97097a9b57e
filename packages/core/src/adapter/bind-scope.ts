import type { AsyncLocalStorage } from 'node:async_hooks';
import { currentScope, openAs } from '../scope/index.ts';
import type { OpenOptions, Scope } from '../scope/index.ts';
import { processSlot } from '../scope/process-slot.ts';
import { belonging } from './session-book.ts';

/** A diagnostics channel that can carry a store, such as `tracingChannel('ai:telemetry').start`. */
export interface ScopeChannel {
  bindStore(store: AsyncLocalStorage<unknown>, transform: (message: unknown) => unknown): void;
  unbindStore(store: AsyncLocalStorage<unknown>): void;
}

/**
 * Runs what a channel's publisher traces (`runStores`, `tracePromise`) inside the scope that `select` gives for the message. With undefined
 * the scope stays as it is. Returns the function that ends this. What `select` throws is ignored: it must not reach the framework.
 */
export function bindScope(
  channel: ScopeChannel,
  select: (message: unknown) => Scope | undefined,
): () => void {
  const { store, handleOf } = processSlot().binding;
  const all = store as AsyncLocalStorage<unknown>;
  channel.bindStore(all, (message) => {
    try {
      const scope = select(message);
      if (scope !== undefined) return handleOf(scope);
    } catch {
      // The framework's call goes on in the scope it had.
    }
    return all.getStore();
  });
  return () => channel.unbindStore(all);
}

/**
 * Opens the scope of an agent, stage or tool of a framework. A parent that has closed is replaced by its nearest open ancestor. There is no
 * warning, because frameworks outlive their callers. What the program opens inside belongs to the scope and closes with it.
 */
export function openIn(parent: Scope | undefined, kind: string, name: string, options?: OpenOptions): Scope {
  const here = parent?.state === 'open' ? parent : currentScope();
  const inside = belonging(here);
  return openAs(
    'call',
    kind,
    name,
    options === undefined ? { parent: inside } : { ...options, parent: inside },
  );
}

/**
 * Opens the scope by which work comes in: a request, a message, a job. It is the current scope of what runs in it and the parent of the
 * agents that adapters open, but not of what the program itself opens: those scopes do not end with the request.
 */
export function openEntry(parent: Scope, kind: string, name: string, options?: OpenOptions): Scope {
  return openAs('entry', kind, name, options === undefined ? { parent } : { ...options, parent });
}
