import type { AsyncLocalStorage } from 'node:async_hooks';
import { context } from './handle.ts';
import type { ScopeHandle } from './handle.ts';
import { currentScope, open, openAs, owningScope } from './open.ts';
import { roster } from './roster.ts';
import type { Roster } from './roster.ts';
import { handleOf, scopeOf } from './scope.ts';
import type { Scope } from './scope.ts';
import { tree } from './tree.ts';
import { slots } from '../slots.ts';

/** What all copies of the package in one thread share; the first copy loaded provides it. */
export interface ProcessSlot {
  readonly open: typeof open;
  readonly currentScope: typeof currentScope;
  readonly processScope: () => Scope;
  readonly roster: Roster;
  /** What a diagnostics channel is bound with, so that the traced work runs inside a scope. */
  readonly binding: {
    readonly store: AsyncLocalStorage<ScopeHandle>;
    readonly handleOf: (scope: Scope) => ScopeHandle;
  };
  /** As `open`, for the scopes of adapters. */
  readonly openAs: typeof openAs;
  readonly owningScope: typeof owningScope;
}

/** The slot of this thread. A second copy of the package, CommonJS bundle or other version, finds the scopes of the first. */
export function processSlot(): ProcessSlot {
  const shared = slots();
  if (shared.scopes !== undefined) return shared.scopes;
  // Held here for the whole life of the process, because the process scope has no other owner.
  const scope = scopeOf(tree.process);
  return (shared.scopes = {
    open,
    currentScope,
    processScope: () => scope,
    roster,
    binding: { store: context, handleOf },
    openAs,
    owningScope,
  });
}
