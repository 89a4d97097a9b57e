import { failure } from '../errors.ts';
import { closeTree, subtree } from './close-tree.ts';
import type { CloseWatcher } from './close-tree.ts';
import { faults } from './fault-log.ts';
import type { ScopeHandle } from './handle.ts';
import { ScopeRecord } from './scope-record.ts';
import { ScopeTotals } from './scope-totals.ts';
import { TokenRegistry } from './token-registry.ts';
import { usedScopes } from './used-scopes.ts';
import { watchList } from './watch-list.ts';
import type { Watched } from './watch-list.ts';

const totals = new ScopeTotals();

/** The scopes of this thread and what outlives them. */
export const tree = {
  process: new ScopeRecord(
    0,
    'process',
    'process',
    undefined,
    totals.row('process', 'process'),
    performance.now(),
  ),
  totals,
  tokens: new TokenRegistry({ unreachable, records: () => openRecords() }),
  /** Open scopes, the process scope included. */
  count: 1,
  lastId: 0,
  /** Scopes that the program itself has opened, and no adapter. */
  openedByProgram: 0,
  /** Major GCs the sensor has seen. */
  majorGcEpoch: 0,
};
tree.process.total.opened = 1;

const watcher: CloseWatcher = { closed: onClosed, childless: unreachable };

export function closeRecord(record: ScopeRecord, reason: string): void {
  closeTree(record, reason, watcher);
}

function onClosed(record: ScopeRecord, handle: ScopeHandle | undefined): void {
  const { total, account, extras } = record;
  tree.count -= 1;
  record.closedEpoch = tree.majorGcEpoch;
  tree.tokens.closed(record, handle);
  total.closed += 1;
  total.chargedBytes += account.charged;
  total.peakBytes = Math.max(total.peakBytes, account.peak, record.rootBytes ?? 0);
  if (extras === undefined) return;
  if (extras.marker !== undefined) {
    usedScopes.closed(record);
    extras.marker.state = 'closed';
    extras.marker.roots.length = 0;
  }
  if (extras.watches !== undefined) {
    watchList.close(extras.watches, watchedScope(record));
  }
}

/** What a watched object remembers of its closed scope. */
export function watchedScope(record: ScopeRecord): Omit<Watched, 'label' | 'ref'> {
  const { path, kind, closedAt, closedEpoch } = record;
  return { scopePath: path, kind, closedAt, majorGcEpoch: closedEpoch };
}

/** Open and closing scopes, each before its children; the process is the first. At most `most` of them. */
export function openRecords(most?: number): ScopeRecord[] {
  return subtree(tree.process, most);
}

/** Nobody can reach the scope any more. It is closed, unless closing would dispose something that may still be in use. */
function unreachable(record: ScopeRecord): void {
  record.unreachable = record.state === 'open' && record.liveHandle() === undefined;
  // A child in use stands for its parent, which is looked at again when its last child has closed.
  if (!record.unreachable || record.abandoned || record.firstChild !== undefined) return;
  const ownedCount = record.extras?.resources?.size ?? 0;
  const details = { path: record.path, closed: ownedCount === 0, owned: ownedCount };
  // A framework that drops a call tells nobody; that is no mistake of the program.
  if (record.origin === 'program') faults.report(failure('PLM_SCOPE_ABANDONED', details), undefined);
  if (ownedCount === 0) closeRecord(record, 'abandoned');
  else record.abandoned = true;
}
