import { measure } from '../meter/measure.ts';
import { closeChannel } from './channels.ts';
import { closedReason } from './closed-reason.ts';
import { disposeAll } from './disposal.ts';
import type { ScopeFault } from './fault-log.ts';
import type { ScopeHandle } from './handle.ts';
import type { PlimsollScopeRoot } from './scope-root.ts';
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
  /** The most that was charged at once here and below, or what the roots held at the end if that was more. */
  readonly peakBytes: number;
  readonly chargedBytes: number;
  /**
   * What the roots of the scope held when it closed: exact with `measure: true`, else what the census knows of it. Absent without roots,
   * and when nobody measured.
   */
  readonly rootBytes?: number;
  /** Resources disposed, failed ones included. */
  readonly disposed: number;
  /** Descendants that were still open and were closed with it. */
  readonly descendants: number;
  readonly faults: readonly ScopeFault[];
}

/** A scope that closes, for who can tell what its roots hold. */
export interface ClosingScope {
  readonly id: number;
  readonly kind: string;
  readonly marker: PlimsollScopeRoot;
}

/** The census, while it runs. It measures a scope that closes before it was measured, so that the scope does not count as empty. */
export const closeWeigher: { bytesOf: ((scope: ClosingScope) => number | undefined) | undefined } = {
  bytesOf: undefined,
};

/** What the tree does when a scope is gone. */
export interface CloseWatcher {
  closed(record: ScopeRecord, handle: ScopeHandle | undefined): void;
  /** The last child of an open scope that user code cannot reach has closed. */
  childless(parent: ScopeRecord): void;
}

/**
 * Closes a scope and everything below it: signals are aborted from the top, then resources are let go from the leaves up, each scope after
 * its last child. Uses loops and no recursion, so that a chain of a hundred thousand scopes can close.
 */
export function closeTree(root: ScopeRecord, reason: string, watcher: CloseWatcher): void {
  if (root.state !== 'open') return;
  if (root.firstChild === undefined) {
    markClosing(root, reason);
    abortSignal(root);
    settle(root, watcher);
    return;
  }
  const order = subtree(root);
  for (const record of order) if (record.state === 'open') markClosing(record, 'parent closed');
  root.reason = reason;
  closingOf(root).descendants = order.length - 1;
  // Listeners are user code. While they run, every scope of the subtree is closing, so none can be opened in it.
  for (const record of order) abortSignal(record);
  for (const record of order.toReversed()) settle(record, watcher);
}

/** A scope and its descendants, each before its children, siblings in the order they were opened; at most `most` of them. */
export function subtree(root: ScopeRecord, most = Number.POSITIVE_INFINITY): ScopeRecord[] {
  const order: ScopeRecord[] = [];
  let at: ScopeRecord | undefined = root;
  while (at !== undefined && order.length < most) {
    order.push(at);
    if (at.firstChild !== undefined) at = at.firstChild;
    else {
      while (at !== root && at?.next === undefined) at = at?.parent;
      at = at === root ? undefined : at?.next;
    }
  }
  return order;
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
    openMs: record.closedMs - record.openedMs,
    leftBytes: record.leftBytes,
    peakBytes: Math.max(account.peak, record.rootBytes ?? 0),
    chargedBytes: account.charged,
    ...(record.rootBytes !== undefined && { rootBytes: record.rootBytes }),
    disposed: closing?.disposed ?? 0,
    descendants: closing?.descendants ?? 0,
    faults: closing?.faults ?? [],
  };
}

function markClosing(record: ScopeRecord, reason: string): void {
  record.state = 'closing';
  record.reason = reason;
}

function abortSignal(record: ScopeRecord): void {
  record.extras?.signal?.abort(closedReason(record));
}

/** Lets go of what a closing scope owns and takes it out of the tree, unless a child or a resource still needs time. */
function settle(record: ScopeRecord, watcher: CloseWatcher): ScopeRecord | undefined {
  if (record.state !== 'closing' || record.firstChild !== undefined) return undefined;
  if (record.closing?.disposing === true) return undefined;
  const resources = record.extras?.resources;
  if (resources !== undefined && resources.size > 0) {
    closingOf(record).disposing = true;
    const list = [...resources.values()];
    resources.clear();
    if (disposeAll(record, list, () => settleFrom(record, watcher))) return undefined;
  }
  return finish(record, watcher);
}

/** Ends a scope whose last resource took its time, and then the ancestors that waited for it. */
function settleFrom(record: ScopeRecord, watcher: CloseWatcher): void {
  let waiting = finish(record, watcher);
  while (waiting !== undefined) waiting = settle(waiting, watcher);
}

/** What the roots of a closing scope hold; undefined when it has none or nobody can tell. */
function rootBytesOf({ id, kind, extras }: ScopeRecord): number | undefined {
  const marker = extras?.marker;
  if (marker === undefined || marker.roots.length === 0) return undefined;
  try {
    return extras?.measure === true
      ? measure(marker.roots).bytes
      : closeWeigher.bytesOf?.({ id, kind, marker });
  } catch {
    return undefined;
  }
}

function finish(record: ScopeRecord, watcher: CloseWatcher): ScopeRecord | undefined {
  if (record.extras?.marker !== undefined) record.rootBytes ??= rootBytesOf(record);
  record.leftBytes = record.account.close();
  record.closedMs = performance.now();
  record.state = 'closed';
  const handle = record.liveHandle();
  if (handle !== undefined) {
    handle.scope = undefined;
    handle.ancestry = record.parent?.ancestry();
  }
  const parent = record.unlink();
  watcher.closed(record, handle);
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
