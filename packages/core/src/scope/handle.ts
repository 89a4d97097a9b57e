import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { contextBrand } from '../meter/kind.ts';
import type { Scope } from './scope.ts';
import type { Ancestry } from './scope-record.ts';

/**
 * What AsyncLocalStorage carries: a few words, never the payload.
 *
 * Timers and kept promises pin the store for as long as they live, so a closed scope empties its handle: what stays is
 * the handle and a list of ancestors that all children of one parent share. The handle is also the token by which
 * the garbage collector tells us that neither the scope object nor any of its async work is reachable any more.
 */
export class ScopeHandle {
  scope: Scope | undefined = undefined;
  /** Of the parent; set when the scope closes. */
  ancestry: Ancestry | undefined = undefined;
}

Object.defineProperty(ScopeHandle.prototype, contextBrand, { value: true });

/**
 * The handle of a scope that an adapter opened. Connections, timers and pools of a framework keep the async context of the call that made
 * them, so this handle may outlive its scope: that is no sign of a leak, and opening a scope in such a context is no mistake.
 */
export class AdapterHandle extends ScopeHandle {}

/** The async context of the process. */
export const context = new AsyncLocalStorage<ScopeHandle>();

/** From here on a store is kept in a map that is copied for every change, and a resource remembers the map of its context. */
const hasFrames = Number.parseInt(process.versions.node, 10) >= 24;

/**
 * Runs a function in the context of a scope. As `context.run`, which on these versions of Node.js copies the map of all stores twice: for the
 * function, and after it for the caller. A resource gives the caller the map that it had, which takes a third less and leaves nothing behind.
 */
export function runInside<T>(handle: ScopeHandle, work: () => T): T {
  if (context.getStore() === handle) return work();
  if (!hasFrames) return context.run(handle, work);
  return new AsyncResource('PlimsollScope').runInAsyncScope(enter<T>, undefined, handle, work);
}

function enter<T>(handle: ScopeHandle, work: () => T): T {
  context.enterWith(handle);
  return work();
}
