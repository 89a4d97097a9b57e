import type { Scope } from '@plimsoll/core';

/** Kinds of scopes in which work goes on for as long as they are open. */
const workKinds: ReadonlySet<string> = new Set(['run', 'stage', 'tool']);

/** How many scopes have work going on: runs and their parts, and whatever is leased. */
export function workInFlight(scopes: Iterable<Pick<Scope, 'kind' | 'leases'>>): number {
  let count = 0;
  for (const { kind, leases } of scopes) if (workKinds.has(kind) || leases > 0) count++;
  return count;
}

/** How many scopes of a kind are open. */
export function openOf(wanted: string, scopes: Iterable<Pick<Scope, 'kind'>>): number {
  let count = 0;
  for (const { kind } of scopes) if (kind === wanted) count++;
  return count;
}
