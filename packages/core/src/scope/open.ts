import { warnOnce } from '../errors.ts';
import { openChannel } from './channels.ts';
import { nounOf } from './disposal.ts';
import { AdapterHandle, context, ScopeHandle } from './handle.ts';
import { handleOf, recordBehind, recordOf, Scope, scopeOf, validBudget } from './scope.ts';
import { clip } from './scope-path.ts';
import { ScopeRecord } from './scope-record.ts';
import type { ScopeOrigin } from './scope-record.ts';
import { tree } from './tree.ts';

/** How a scope is opened; every part has a default. */
export interface OpenOptions {
  /** Scope to open in; the current one when left out. */
  readonly parent?: Scope;
  /** Bytes the scope may hold; none when left out. */
  readonly budget?: number;
  /** Longer-lived signal that `scope.signal` follows until the scope closes. */
  readonly signal?: AbortSignal;
  /** Object whose memory is the scope's, for the census and for heap snapshots. */
  readonly root?: object;
  /** How long one owned resource may take to be disposed; 5,000 ms when left out, at most 2^31 - 1. */
  readonly disposeTimeoutMs?: number;
  /** Whether the close report has the exact bytes of the roots, false when left out: one walk of them at close, about 0.1 ms per 1,000 objects. */
  readonly measure?: boolean;
}

/** Deepest nesting below the process scope: a charge walks up to the process, and a path names every step. */
const maxDepth = 1_000;

/** Opens a scope of a kind (`session`, `agent`, `tool`) under a name (an id), in the current scope unless told otherwise. */
export function open(kind: string, name: string, options?: OpenOptions): Scope {
  return openAs('program', kind, name, options);
}

/** As `open`, for an adapter: without a parent given, the scope is opened in the current one, be it an entry or not. */
export function openAs(origin: ScopeOrigin, kind: string, name: string, options?: OpenOptions): Scope {
  const safeKind = named('kind', kind);
  const safeName = named('name', name);
  const parent = parentOf(safeKind, options?.parent, origin);
  const total = tree.totals.row(safeKind, safeName);
  const record = new ScopeRecord((tree.lastId += 1), safeKind, safeName, parent, total, performance.now());
  record.origin = origin;
  if (origin === 'program') tree.openedByProgram += 1;
  else record.isNew = origin === 'call';
  const handle = origin === 'program' ? new ScopeHandle() : new AdapterHandle();
  const scope = new Scope(record, handle);
  tree.tokens.hold(handle, record);
  tree.count += 1;
  total.opened += 1;
  if (options !== undefined) apply(record, scope, options);
  if (openChannel.hasSubscribers) openChannel.publish(scope);
  return scope;
}

/** The scope that what the running code makes belongs to: the current one, or the nearest around it that is no entry of an adapter. */
export function owningScope(): Scope {
  const record = recordBehind(context.getStore());
  return record.origin === 'entry' ? scopeOf(owner(record)) : scopeOf(record);
}

function owner(record: ScopeRecord): ScopeRecord {
  let at = record;
  while (at.origin === 'entry' && at.parent !== undefined) at = at.parent;
  return at;
}

/** The scope that the running code belongs to: the one it runs in, else its nearest open ancestor, else the process scope. */
export function currentScope(): Scope {
  const handle = context.getStore();
  return handle?.scope ?? scopeOf(recordBehind(handle));
}

/** The scope to open in: the wanted one, or its nearest ancestor that is still open. */
function parentOf(kind: string, given: Scope | undefined, origin: ScopeOrigin): ScopeRecord {
  const known = given === undefined ? undefined : recordOf(given);
  const handle = known === undefined ? context.getStore() : handleOf(given as Scope);
  if (handle === undefined) return tree.process;
  let parent: ScopeRecord | undefined = recordBehind(handle);
  if (parent.state !== 'open' || handle.ancestry !== undefined) {
    while (parent !== undefined && parent.state !== 'open') parent = parent.parent;
    parent ??= tree.process;
    if (origin === 'program' && !(handle instanceof AdapterHandle))
      warnOnce('PLM_SCOPE_PARENT_CLOSED', { kind, attachedTo: parent.path });
  }
  return shallow(kind, origin === 'program' && known === undefined ? owner(parent) : parent);
}

/** The parent, or its ancestor at the greatest depth allowed. */
function shallow(kind: string, wanted: ScopeRecord): ScopeRecord {
  if (wanted.depth < maxDepth) return wanted;
  warnOnce('PLM_SCOPE_TOO_DEEP', { kind, depth: maxDepth });
  return wanted.parent as ScopeRecord;
}

function apply(record: ScopeRecord, scope: Scope, options: OpenOptions): void {
  const { kind } = record;
  const { budget, signal, root, disposeTimeoutMs: ms } = options;
  if (budget !== undefined) record.budget = validBudget(budget, kind);
  if (signal !== undefined) {
    if (signal instanceof AbortSignal) (record.extras ??= {}).source = signal;
    else refuse(kind, 'signal', nounOf(signal), 'an AbortSignal');
  }
  if (ms !== undefined) {
    if (ms >= 0 && ms < 2 ** 31) (record.extras ??= {}).disposeTimeoutMs = ms;
    else refuse(kind, 'disposeTimeoutMs', String(ms), 'a number of ms from 0 to 2147483647');
  }
  if (options.measure === true) (record.extras ??= {}).measure = true;
  if (root !== undefined) scope.root(root);
}

function refuse(kind: string, option: string, value: string, accepted: string): void {
  warnOnce('PLM_SCOPE_BAD_OPTION', { option, value, accepted, kind });
}

function named(part: 'kind' | 'name', given: unknown): string {
  if (typeof given === 'string' && given !== '') return clip(given);
  if (typeof given === 'number' || typeof given === 'bigint') return String(given);
  const used = part === 'kind' ? 'scope' : '(unnamed)';
  warnOnce('PLM_SCOPE_BAD_NAME', { part, value: given === '' ? '""' : nounOf(given), used });
  return used;
}
