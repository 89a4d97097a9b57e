import { roster } from '@plimsoll/core/internal/scope/index';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import type { LeverScope } from '@plimsoll/govern/internal/actions/levers';
import type { ScopeBytes } from '../scopes/scope-bytes.ts';

/** Every open scope as the ladder sees it, parents before children. Made anew for each action that asks. */
export function* leverScopes(bytes: ScopeBytes): Generator<LeverScope> {
  const made = new Map<number, LeverScope>();
  const now = Date.now();
  const { open } = bytes;
  const leases = leasesInside(open);
  for (const record of open) {
    if (record.state !== 'open') continue;
    const lever = leverOf(record, {
      bytes: bytes.of(record),
      ageMs: Math.max(0, now - record.openedAt),
      leases: leases.get(record.id) ?? 0,
      parent: made.get(record.parent?.id ?? -1),
    });
    made.set(record.id, lever);
    yield lever;
  }
}

function leverOf(
  record: ScopeRecord,
  facts: Pick<LeverScope, 'bytes' | 'ageMs' | 'leases' | 'parent'>,
): LeverScope {
  const { id, kind, name, path, budget, idleMs } = record;
  return {
    id,
    kind,
    name,
    path,
    budget,
    idleMs,
    ...facts,
    close: (reason) => roster.scopeOf(record).close(reason),
  };
}

/** Leases of each scope and of everything inside it. */
function leasesInside(open: readonly ScopeRecord[]): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const record of open) {
    if (record.leases === 0) continue;
    for (let at: ScopeRecord | undefined = record; at !== undefined; at = at.parent)
      found.set(at.id, (found.get(at.id) ?? 0) + record.leases);
  }
  return found;
}
