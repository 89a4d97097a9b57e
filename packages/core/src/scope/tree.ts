import { failure } from '../errors.ts';
import { closeTree } from './close-tree.ts';
import { faults } from './fault-log.ts';
import { ScopeRecord } from './scope-record.ts';
import { ScopeTotals } from './scope-totals.ts';
import { TokenRegistry } from './token-registry.ts';
import { watchList } from './watch-list.ts';

const totals = new ScopeTotals();

/** The scopes of this thread and what outlives them. */
export const tree = {
  process: new ScopeRecord(0, 'process', 'process', undefined, totals.row('process', 'process'), {
    now: Date.now(),
    active: performance.now(),
  }),
  totals,
  tokens: new TokenRegistry(abandon),
  /** Open scopes, the process scope included. */
  count: 1,
  lastId: 0,
  /** Major GCs the sensor has seen. */
  majorGcEpoch: 0,
};
tree.process.total.opened = 1;

export function closeRecord(record: ScopeRecord, reason: string): void {
  closeTree(record, reason, onClosed);
}

function onClosed(record: ScopeRecord): void {
  const { total, account, extras } = record;
  tree.count -= 1;
  record.closedEpoch = tree.majorGcEpoch;
  tree.tokens.closed(record);
  total.closed += 1;
  total.chargedBytes += account.charged;
  if (account.peak > total.peakBytes) total.peakBytes = account.peak;
  if (extras === undefined) return;
  if (extras.marker !== undefined) {
    extras.marker.state = 'closed';
    extras.marker.roots.length = 0;
  }
  if (extras.watches !== undefined) {
    watchList.close(extras.watches, {
      scopePath: record.path,
      kind: record.kind,
      closedAt: record.closedAt,
      majorGcEpoch: record.closedEpoch,
    });
  }
}

/** Nobody can reach the scope any more: it is closed, unless that would dispose what may still be in use. */
function abandon(record: ScopeRecord): void {
  if (record.state !== 'open' || record.liveHandle() !== undefined || record.abandoned) return;
  record.abandoned = true;
  const ownedCount = record.extras?.resources?.size ?? 0;
  const mayClose = ownedCount === 0 && record.firstChild === undefined;
  const error = failure('PLM_SCOPE_ABANDONED', { path: record.path, closed: mayClose, owned: ownedCount });
  faults.report(error, undefined);
  if (mayClose) closeRecord(record, 'abandoned');
}
