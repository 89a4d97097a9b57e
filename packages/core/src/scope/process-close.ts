import { closingOf } from './close-tree.ts';
import { closedReason } from './closed-reason.ts';
import type { CloseReport } from './close-tree.ts';
import { disposeAll } from './disposal.ts';
import type { ScopeRecord } from './scope-record.ts';
import { closeRecord } from './tree.ts';

let running: Promise<CloseReport> | undefined;

/** Closes everything in the process scope. The process scope itself stays open, because work that still runs needs an owner. */
export function closeProcess(record: ScopeRecord, reason: string): Promise<CloseReport> {
  running ??= closeAll(record, reason).finally(() => {
    running = undefined;
  });
  return running;
}

async function closeAll(record: ScopeRecord, reason: string): Promise<CloseReport> {
  const closing = closingOf(record);
  record.reason = reason;
  const { extras } = record;
  extras?.signal?.abort(closedReason(record));
  if (extras !== undefined) delete extras.signal;
  const children: ScopeRecord[] = [];
  for (let at = record.lastChild; at !== undefined; at = at.previous) children.push(at);
  const waits: Promise<void>[] = [];
  for (const child of children) {
    closeRecord(child, reason);
    if (child.state === 'closing') waits.push(whenClosed(child));
  }
  await Promise.all(waits);
  const resources = [...(extras?.resources?.values() ?? [])];
  extras?.resources?.clear();
  await new Promise<void>((done) => {
    if (!disposeAll(record, resources, done)) done();
  });
  record.closing = undefined;
  return {
    path: record.path,
    kind: record.kind,
    name: record.name,
    reason,
    openMs: performance.now() - record.openedMs,
    leftBytes: record.account.own,
    peakBytes: record.account.peak,
    chargedBytes: record.account.charged,
    disposed: closing.disposed,
    descendants: children.length,
    faults: closing.faults,
  };
}

function whenClosed(record: ScopeRecord): Promise<void> {
  return new Promise((resolve) => {
    const closing = closingOf(record);
    const before = closing.onClosed;
    closing.onClosed = () => {
      before?.();
      resolve();
    };
  });
}
