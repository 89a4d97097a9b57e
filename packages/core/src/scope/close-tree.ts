import { failure } from '../errors.ts';
import { closeChannel } from './channels.ts';
import { disposeAll } from './disposal.ts';
import type { ScopeFault } from './fault-log.ts';
import type { Closing, ScopeRecord } from './scope-record.ts';

/** What closing a scope did. */
export interface CloseReport {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
  readonly reason: string;
  /** How long the scope was open, in ms. */
  readonly openMs: number;
  /** Own bytes that were still charged when it closed; they were taken off the ancestors. */
  readonly leftBytes: number;
  readonly peakBytes: number;
  readonly chargedBytes: number;
  /** Resources disposed, failed ones included. */
  readonly disposed: number;
  /** Descendants that were still open and were closed with it. */
  readonly descendants: number;
  readonly faults: readonly ScopeFault[];
}

/** What the tree does when a scope is gone. */
export interface CloseWatcher {
  closed(record: ScopeRecord, isReachable: boolean): void;
  /** The last child of an open scope that user code cannot reach has closed. */
  childless(parent: ScopeRecord): void;
}

/**
 * Closes a scope and everything below it: signals are aborted from the top, then resources are let go from the leaves
 * up, each scope after its last child. Loops, not recursion: a chain of a hundred thousand scopes must close as well.
 */
export function closeTree(root: ScopeRecord, reason: string, watcher: CloseWatcher): void {
  if (root.state !== 'open') return;
  if (root.firstChild === undefined) {
    markClosing(root, reason);
    settle(root, watcher);
    return;
  }
  const order: ScopeRecord[] = [root];
  for (let at = 0; at < order.length; at += 1) {
    const record = order[at] as ScopeRecord;
    for (let child = record.firstChild; child !== undefined; child = child.next) order.push(child);
    if (record.state === 'open') markClosing(record, at === 0 ? reason : 'parent closed');
  }
  closingOf(root).descendants = order.length - 1;
  for (let at = order.length - 1; at >= 0; at -= 1) settle(order[at] as ScopeRecord, watcher);
}

export function closingOf(record: ScopeRecord): Closing {
  return (record.closing ??= {
    faults: [],
    disposed: 0,
    descendants: 0,
    disposing: false,
    onClosed: undefined,
  });
}

export function closeReport(record: ScopeRecord): CloseReport {
  const { path, kind, name, reason, closing, account } = record;
  return {
    path,
    kind,
    name,
    reason,
    openMs: Math.max(0, record.closedAt - record.openedAt),
    leftBytes: record.leftBytes,
    peakBytes: account.peak,
    chargedBytes: account.charged,
    disposed: closing?.disposed ?? 0,
    descendants: closing?.descendants ?? 0,
    faults: closing?.faults ?? [],
  };
}

/** The abort reason of a closed scope; its name makes fetch and frameworks treat it as a cancellation. */
export function closedReason(record: ScopeRecord): Error {
  const error = failure('PLM_SCOPE_CLOSED', { path: record.path, reason: record.reason });
  error.name = 'AbortError';
  return error;
}

function markClosing(record: ScopeRecord, reason: string): void {
  record.state = 'closing';
  record.reason = reason;
  record.extras?.signal?.abort(closedReason(record));
}

/** Goes on from a scope that may be ready to the ancestors that waited for it. */
function settle(from: ScopeRecord, watcher: CloseWatcher): void {
  let record: ScopeRecord | undefined = from;
  while (record !== undefined && record.state === 'closing' && record.firstChild === undefined) {
    const current: ScopeRecord = record;
    const resources = current.extras?.resources;
    if (resources !== undefined && resources.size > 0) {
      const closing = closingOf(current);
      if (closing.disposing) return;
      closing.disposing = true;
      const list = [...resources.values()];
      resources.clear();
      if (disposeAll(current, list, () => settleParent(current, watcher))) return;
    } else if (current.closing?.disposing === true) return;
    record = finish(current, watcher);
  }
}

function settleParent(record: ScopeRecord, watcher: CloseWatcher): void {
  const parent = finish(record, watcher);
  if (parent !== undefined) settle(parent, watcher);
}

function finish(record: ScopeRecord, watcher: CloseWatcher): ScopeRecord | undefined {
  record.leftBytes = record.account.close();
  record.closedAt = Date.now();
  record.state = 'closed';
  const handle = record.liveHandle();
  if (handle !== undefined) {
    handle.scope = undefined;
    handle.lineage = record.parent?.lineage();
  }
  const parent = record.unlink();
  watcher.closed(record, handle !== undefined);
  record.extras = undefined;
  record.handle = undefined;
  if (closeChannel.hasSubscribers) closeChannel.publish(closeReport(record));
  const waiting = record.closing?.onClosed;
  if (waiting !== undefined && record.closing !== undefined) {
    record.closing.onClosed = undefined;
    waiting();
  }
  if (parent?.unreachable === true && parent.firstChild === undefined) watcher.childless(parent);
  return parent;
}
