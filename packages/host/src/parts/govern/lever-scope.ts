import type { Scope } from '@plimsoll/core';
import type { LeverScope } from '@plimsoll/govern/internal/actions/levers';
import type { ScopeBytes } from '../scopes/scope-bytes.ts';

/** Every open scope as the ladder sees it, parents before children. Made anew for each action that asks. */
export function* leverScopes(bytes: ScopeBytes): Generator<LeverScope> {
  const made = new Map<number, LeverScope>();
  const now = Date.now();
  for (const scope of bytes.open) {
    if (scope.state !== 'open') continue;
    const lever = leverOf(scope, bytes, now, made.get(scope.parent?.id ?? -1));
    made.set(scope.id, lever);
    yield lever;
  }
}

function leverOf(scope: Scope, bytes: ScopeBytes, now: number, parent: LeverScope | undefined): LeverScope {
  const { id, kind, name, path, budget, idleMs } = scope;
  return {
    id,
    kind,
    name,
    path,
    parent,
    bytes: bytes.of(scope),
    budget,
    idleMs,
    ageMs: Math.max(0, now - scope.openedAt),
    leases: Math.max(scope.leases, bytes.leasesOf(scope)),
    close: (reason) => scope.close(reason),
  };
}
