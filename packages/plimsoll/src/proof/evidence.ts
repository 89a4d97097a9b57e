import type { Growth, ScopeRow, Suspect } from '@plimsoll/heap';

import { watchedTraces, type WatchedTrace } from './watched-trace.ts';

/** What the snapshots of a process say about its growth. */
export interface Evidence {
  /** Paths that gained objects between the two snapshots, most bytes first; empty when there was only one. */
  readonly growth: readonly Growth[];
  /** What a single snapshot makes suspicious; empty when there were two. */
  readonly suspects: readonly Suspect[];
  /** Exact bytes per scope with roots, heaviest first. */
  readonly scopes: readonly ScopeRow[];
  /** Who holds the watched objects of the scopes that were asked for. */
  readonly watched: readonly WatchedTrace[];
  readonly heapBytes: number;
  readonly ms: number;
}

const mostRows = 8;
const mostScopes = 50;

/** Reads one or two snapshots; heavy, so it belongs into a process of its own. */
export async function evidenceOf(
  last: string,
  first?: string,
  watchedScopes: readonly string[] = [],
): Promise<Evidence> {
  const started = performance.now();
  const heap = await import('@plimsoll/heap');
  const growth = first === undefined ? [] : (await heap.diff([first, last], { limit: mostRows })).growth;
  const snapshot = await heap.open(last);
  try {
    return {
      growth: growth.filter((each) => !isOurs(each)),
      suspects:
        first === undefined ? snapshot.suspects({ limit: mostRows }).filter((each) => !isOurs(each)) : [],
      scopes: snapshot.scopes().slice(0, mostScopes),
      watched: watchedScopes.length === 0 ? [] : watchedTraces(snapshot, watchedScopes),
      heapBytes: snapshot.heapBytes,
      ms: Math.round(performance.now() - started),
    };
  } finally {
    snapshot.close();
  }
}

/** Plimsoll itself loads modules while the program runs; that is our cost, not the program's leak. */
function isOurs({ trace }: Growth | Suspect): boolean {
  return trace.some((step) =>
    /(?:@plimsoll|packages)\/(?:core|keep|ledger|heap|plimsoll)\/(?:src|dist)\//.test(step.at ?? ''),
  );
}
