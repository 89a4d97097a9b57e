import { warnOnce } from '../errors.ts';
import { contextBrand } from '../meter/kind.ts';
import type { AccountLine, Metered } from './account.ts';
import { budgetChannel } from './channels.ts';
import { closeAnswer } from './close-answer.ts';
import { closeReport, closingOf } from './close-tree.ts';
import { closedReason } from './closed-reason.ts';
import type { CloseReport } from './close-tree.ts';
import { disposeLate, nounOf, owned, warnNotDisposable } from './disposal.ts';
import type { Ownable } from './disposal.ts';
import { AdapterHandle, runInside, ScopeHandle } from './handle.ts';
import { closeProcess } from './process-close.ts';
import { nearestOpen } from './scope-record.ts';
import type { ScopeExtras, ScopeRecord, ScopeState } from './scope-record.ts';
import { PlimsollScopeRoot } from './scope-root.ts';
import { ScopeSignal } from './scope-signal.ts';
import { closeRecord, tree, watchedScope } from './tree.ts';
import { usedScopes } from './used-scopes.ts';
import { watchList } from './watch-list.ts';
import type { WatchEntry } from './watch-list.ts';

/** What a scope holds, in bytes. */
export interface AccountView {
  /** Own bytes and those of all descendants. */
  readonly held: number;
  readonly own: number;
  /** Highest `held` so far. */
  readonly peak: number;
  /** Bytes ever charged here and below. */
  readonly charged: number;
  /** Re-reads the meters charged here. */
  settle(): void;
  /** What the lines of this scope say; meters appear as `meter`. */
  lines(): readonly { readonly label: string; readonly bytes: number }[];
}

/** A claim that a scope is in use; eviction leaves it alone until the lease is released. */
export interface ScopeLease extends Disposable {
  release(): void;
}

/** The tree node of a scope; undefined for anything that is no scope. */
export let recordOf: (scope: unknown) => ScopeRecord | undefined;

/** The handle of a scope. */
export let handleOf: (scope: Scope) => ScopeHandle;

/** Named owner of memory: session, agent, run, stage or tool; opened, charged, closed. */
export class Scope implements Disposable, AsyncDisposable {
  readonly #record: ScopeRecord;
  readonly #handle: ScopeHandle;
  #closed: Promise<CloseReport> | undefined = undefined;

  static {
    recordOf = (scope) =>
      typeof scope === 'object' && scope !== null && #record in scope ? scope.#record : undefined;
    handleOf = (scope) => scope.#handle;
  }

  /** Scopes are made by `open`. */
  constructor(record: ScopeRecord, handle: ScopeHandle) {
    this.#record = record;
    this.#handle = handle;
    handle.scope = this;
  }

  get id(): number {
    return this.#record.id;
  }

  get kind(): string {
    return this.#record.kind;
  }

  get name(): string {
    return this.#record.name;
  }

  /** Such as `process/agent:planner/session:42`; characters that would break a path are escaped. */
  get path(): string {
    return this.#record.path;
  }

  /** Steps below the process scope. */
  get depth(): number {
    return this.#record.depth;
  }

  /** Unix time in ms. */
  get openedAt(): number {
    return this.#record.openedAt;
  }

  get state(): ScopeState {
    return this.#record.state;
  }

  /** The scope this one was opened in; undefined for the process scope and once closed. */
  get parent(): Scope | undefined {
    const parent = this.#record.parent;
    return parent === undefined ? undefined : scopeOf(parent);
  }

  get account(): AccountView {
    return this.#record.account;
  }

  /** Bytes this scope may hold; what happens above it is the policy's business. */
  get budget(): number | undefined {
    return this.#record.budget;
  }

  set budget(bytes: number | undefined) {
    this.#record.budget = validBudget(bytes, this.#record.kind);
    if (budgetChannel.hasSubscribers) budgetChannel.publish(this);
  }

  /** Milliseconds since the scope was last opened, run, leased or touched, by a clock that does not jump. */
  get idleMs(): number {
    return performance.now() - this.#record.activeMs;
  }

  /** Leases held now; a scope with any is in use. */
  get leases(): number {
    return this.#record.extras?.leases ?? 0;
  }

  /** True when nothing in the program refers to the scope any more and it stayed open for what it owns. */
  get abandoned(): boolean {
    return this.#record.abandoned;
  }

  /**
   * Aborted when the scope closes or when the longer-lived signal given to it or to an ancestor is.
   * Made on first use; hand it to fetch, tools and frameworks instead of a process-lifetime signal.
   */
  get signal(): AbortSignal {
    const record = this.#record;
    if (record.state !== 'open' && record.extras?.signal === undefined) {
      return AbortSignal.abort(closedReason(record));
    }
    const extras = this.#extras();
    return (extras.signal ??= new ScopeSignal(sourceOf(record))).signal;
  }

  /** Runs a function, and the async work it starts, inside this scope. */
  run<T>(work: () => T): T {
    const record = this.#record;
    // An adapter runs a scope right after it has opened it. The clock was read then, and reading it is a fifth of the cost here.
    if (record.isNew) record.isNew = false;
    else record.activeMs = performance.now();
    if (record.tellsUse) usedScopes.note(record);
    return runInside(this.#handle, work);
  }

  /** Says that the scope is in use now. */
  touch(): void {
    const record = this.#record;
    record.activeMs = performance.now();
    if (record.tellsUse) usedScopes.note(record);
  }

  /** Claims the scope until the lease is released. */
  lease(): ScopeLease {
    const record = this.#record;
    if (record.state !== 'closed') this.#extras().leases = this.leases + 1;
    this.touch();
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      // Read again: the parts of a scope are dropped when it closes, and a kept lease must not hold them.
      if (record.extras?.leases !== undefined) record.extras.leases -= 1;
      this.touch();
    };
    return { release, [Symbol.dispose]: release };
  }

  /** Adds bytes, or a meter whose bytes are read now and again whenever accounts are settled. */
  charge(bytes: number | Metered): void {
    if (isObject(bytes)) this.#record.account.meter(bytes);
    else this.#record.account.charge(bytes);
  }

  /** Takes bytes, or a charged meter, off again. */
  credit(bytes: number | Metered): void {
    if (isObject(bytes)) this.#record.account.unmeter(bytes);
    else this.#record.account.credit(bytes);
  }

  /** An entry whose holder says "my bytes are now N"; ended by `line.close()` or with the scope. */
  line(label: string): AccountLine {
    return this.#record.account.line(label, this);
  }

  /** Makes the scope let go of a resource when it closes; returns the resource. A closing scope lets go at once. */
  own<T extends Ownable>(resource: T, label?: string): T {
    const record = this.#record;
    const entry = owned(resource, label);
    if (entry === undefined) warnNotDisposable(record.kind, resource);
    else if (record.state === 'open') {
      const resources = (this.#extras().resources ??= new Map());
      resources.delete(resource);
      resources.set(resource, entry);
    } else disposeLate(record, entry);
    return resource;
  }

  /** Takes a resource back that was let go of elsewhere; true when it was owned. */
  disown(resource: Ownable): boolean {
    return this.#record.extras?.resources?.delete(resource) ?? false;
  }

  /** Names an object that must be gone after the scope closed; returns it. The object is not kept alive by this. */
  watch<T extends object>(object: T, label: string): T {
    const record = this.#record;
    if (!isObject(object)) {
      warnNotAnObject('watch', object, record.kind);
      return object;
    }
    const isClosed = record.state === 'closed';
    const watches = isClosed ? new Set<WatchEntry>() : (this.#extras().watches ??= new Set());
    watchList.add(object, label, record, watches);
    if (isClosed) watchList.close(watches, watchedScope(record));
    return object;
  }

  /** Registers an object whose memory is this scope's, for the census and for heap snapshots; kept until the scope closes. */
  root<T extends object>(object: T): T {
    const record = this.#record;
    if (!isObject(object)) warnNotAnObject('root', object, record.kind);
    else if (record.state === 'open') {
      const extras = this.#extras();
      if (extras.marker === undefined || record.tellsUse) usedScopes.note(record);
      const { roots } = (extras.marker ??= new PlimsollScopeRoot(record.path));
      if (!roots.includes(object)) roots.push(object);
    }
    return object;
  }

  /** Takes a registered root back; true when it was one. */
  unroot(object: object): boolean {
    const roots = this.#record.extras?.marker?.roots;
    const at = roots?.indexOf(object) ?? -1;
    if (at >= 0) roots?.splice(at, 1);
    return at >= 0;
  }

  /**
   * Says what the scope holds now, in place of what an earlier call said: the messages of an agent, the state of a graph. The object is
   * registered as by `root`, and the earlier one is taken back.
   */
  holds(object: object): void {
    const record = this.#record;
    if (record.state !== 'open') return;
    const extras = this.#extras();
    const { held } = extras;
    if (held === object) return;
    const roots = extras.marker?.roots;
    const at = held === undefined || roots === undefined ? -1 : roots.indexOf(held);
    extras.held = object;
    // The census measures a scope again that was in use since.
    if (held !== undefined) this.touch();
    if (roots === undefined || at < 0) this.root(object);
    else if (roots.includes(object)) roots.splice(at, 1);
    else roots[at] = object;
  }

  /** Scopes opened in this one that have not closed. */
  children(): Scope[] {
    const children: Scope[] = [];
    for (let at = this.#record.firstChild; at !== undefined; at = at.next) children.push(scopeOf(at));
    return children;
  }

  /**
   * Closes the scope and everything below it: aborts signals, lets go of owned resources in reverse order and takes its
   * bytes off the ancestors. Never throws or rejects; what went wrong is in the report. Closing twice gives the same promise.
   * With `measure: true` the report has the exact bytes of its roots, by one walk of them.
   */
  close(reason = 'closed', options?: { readonly measure?: boolean }): Promise<CloseReport> {
    const record = this.#record;
    if (options?.measure === true && record.state === 'open') this.#extras().measure = true;
    if (record.id === 0) return closeProcess(record, reason);
    if (this.#closed !== undefined) return this.#closed;
    closeRecord(record, reason);
    return (this.#closed ??= reportOf(record));
  }

  [Symbol.dispose](): void {
    if (this.#record.id === 0) void closeProcess(this.#record, 'closed');
    else closeRecord(this.#record, 'closed');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #extras(): ScopeExtras {
    return (this.#record.extras ??= {});
  }
}

Object.defineProperty(Scope.prototype, contextBrand, { value: true });

/** The scope object of a record; a new one when nobody holds the old one any more. */
export function scopeOf(record: ScopeRecord): Scope {
  const known = record.liveHandle()?.scope;
  if (known !== undefined) return known;
  const handle = record.origin === 'program' ? new ScopeHandle() : new AdapterHandle();
  const scope = new Scope(record, handle);
  record.unreachable = false;
  // An abandoned scope was reported and stays for what it owns; following it again would report it again.
  if (record.abandoned || record.id === 0) record.handle = handle;
  else tree.tokens.hold(handle, record);
  return scope;
}

/** The open scope that async work belongs to. */
export function recordBehind(handle: ScopeHandle | undefined): ScopeRecord {
  if (handle === undefined) return tree.process;
  const record = handle.scope === undefined ? undefined : recordOf(handle.scope);
  return record ?? nearestOpen(handle.ancestry) ?? tree.process;
}

/** Bytes as given when they can be a budget; otherwise a coded warning and no budget. */
export function validBudget(bytes: number | undefined, kind: string): number | undefined {
  if (bytes === undefined || (bytes > 0 && Number.isFinite(bytes))) return bytes;
  const accepted = 'a number of bytes above 0';
  warnOnce('PLM_SCOPE_BAD_OPTION', { option: 'budget', value: String(bytes), accepted, kind });
  return undefined;
}

function reportOf(record: ScopeRecord): Promise<CloseReport> {
  if (record.state === 'closed') return closeAnswer(record);
  return new Promise((resolve) => {
    const closing = closingOf(record);
    const before = closing.onClosed;
    closing.onClosed = () => {
      before?.();
      resolve(closeReport(record));
    };
  });
}

/** The nearest longer-lived signal given to the scope or an ancestor. */
function sourceOf(record: ScopeRecord): AbortSignal | undefined {
  for (let at: ScopeRecord | undefined = record; at !== undefined; at = at.parent) {
    if (at.extras?.source !== undefined) return at.extras.source;
  }
  return undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function warnNotAnObject(verb: string, value: unknown, kind: string): void {
  const scope = `scopes of kind ${JSON.stringify(kind)}`;
  warnOnce('PLM_SCOPE_NOT_AN_OBJECT', { verb, value: nounOf(value), scope });
}
