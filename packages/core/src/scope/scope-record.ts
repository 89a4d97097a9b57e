import { failure } from '../errors.ts';
import type { PlimsollError } from '../errors.ts';
import { Account } from './account.ts';
import type { AccountOwner } from './account.ts';
import { describe, faults } from './fault-log.ts';
import type { ScopeFault } from './fault-log.ts';
import type { ScopeHandle } from './handle.ts';
import { LinkedPath } from './scope-path.ts';
import type { PlimsollScopeRoot } from './scope-root.ts';
import type { ScopeSignal } from './scope-signal.ts';
import type { ScopeTotal } from './scope-totals.ts';
import type { WatchEntry } from './watch-list.ts';

export type ScopeState = 'open' | 'closing' | 'closed';

/**
 * Who opened a scope. `call`: an adapter, for an agent, stage or tool of a framework; what the program opens inside belongs to it.
 * `entry`: an adapter, for the session or request that the work came in by. An entry is the current scope without being the parent of what
 * the program opens: the program's scopes stay where they are without the adapter, and do not end with a response.
 */
export type ScopeOrigin = 'program' | 'call' | 'entry';

/** A resource a scope has to let go of. */
export interface Owned {
  readonly label: string;
  readonly dispose: () => unknown;
}

/** The parts few scopes have; one object so that the others pay one word for them. */
export interface ScopeExtras {
  resources?: Map<unknown, Owned>;
  watches?: Set<WatchEntry>;
  marker?: PlimsollScopeRoot;
  /** The root that `holds` replaces. */
  held?: object;
  /** Longer-lived signal to forward. */
  source?: AbortSignal;
  signal?: ScopeSignal;
  disposeTimeoutMs?: number;
  leases?: number;
  /** Close with one walk of the roots. */
  measure?: boolean;
}

/** What a running close has done so far. */
export interface Closing {
  readonly faults: ScopeFault[];
  disposed: number;
  descendants: number;
  disposing: boolean;
  onClosed: (() => void) | undefined;
}

/** By which what outlives a scope finds its open ancestors. It refers to a scope only while that is in the tree. */
export class Ancestry {
  record: ScopeRecord | undefined;
  up: Ancestry | undefined = undefined;

  constructor(record: ScopeRecord) {
    this.record = record;
  }
}

/**
 * The node of a scope in the tree; the tree holds records, user code holds `Scope` objects.
 *
 * A record reaches its scope object only weakly. So a scope that nobody can reach any more is noticed although the
 * tree still counts it, and the tree never keeps what user code captured together with the scope object.
 */
export class ScopeRecord implements AccountOwner {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  /** By the clock that does not jump, as all times of a record. */
  readonly openedMs: number;
  readonly account: Account;
  readonly total: ScopeTotal;
  readonly depth: number;
  activeMs: number;
  state: ScopeState = 'open';
  origin: ScopeOrigin = 'program';
  /** Opened by an adapter for a call and not run yet. */
  isNew = false;
  /** Its next use is noted for the census; only with roots, and while the census runs. */
  tellsUse = false;
  /** Its place among the scopes that were used; it may be out of date. */
  usedAt = -1;
  budget: number | undefined = undefined;
  /** Why it closed. */
  reason = '';
  closedMs = 0;
  /** Major GCs seen when it closed. */
  closedEpoch = 0;
  /** Own bytes left when it closed. */
  leftBytes = 0;
  /** What its roots held when it closed; undefined when nobody looked. */
  rootBytes: number | undefined = undefined;
  /** The garbage collector found its scope object out of reach. */
  unreachable = false;
  /** Reported as abandoned and kept for what it owns. */
  abandoned = false;

  parent: ScopeRecord | undefined;
  firstChild: ScopeRecord | undefined = undefined;
  lastChild: ScopeRecord | undefined = undefined;
  previous: ScopeRecord | undefined = undefined;
  next: ScopeRecord | undefined = undefined;

  handle: WeakRef<ScopeHandle> | ScopeHandle | undefined = undefined;
  extras: ScopeExtras | undefined = undefined;
  closing: Closing | undefined = undefined;

  /** Of the parent, and its own once somebody asks for the path or opens a scope inside. */
  readonly #up: LinkedPath | undefined;
  #step: LinkedPath | undefined = undefined;
  /** Here, too, because the analysis of a snapshot finds the records of named scopes by it. */
  #path: string | undefined = undefined;
  #ancestry: Ancestry | undefined = undefined;

  constructor(
    id: number,
    kind: string,
    name: string,
    parent: ScopeRecord | undefined,
    total: ScopeTotal,
    nowMs: number,
  ) {
    this.id = id;
    this.kind = kind;
    this.name = name;
    this.total = total;
    this.openedMs = nowMs;
    this.activeMs = nowMs;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.#up = parent?.step;
    this.account = new Account(parent?.account, this);
    if (parent !== undefined) this.#link(parent);
  }

  get path(): string {
    return (this.#path ??= this.step.path);
  }

  get step(): LinkedPath {
    return (this.#step ??= new LinkedPath(this.kind, this.name, this.#up));
  }

  get openedAt(): number {
    return unixTime(this.openedMs);
  }

  get closedAt(): number {
    return unixTime(this.closedMs);
  }

  /** Milliseconds since the scope was last opened, run, leased or touched. */
  get idleMs(): number {
    return performance.now() - this.activeMs;
  }

  /** Leases held now. */
  get leases(): number {
    return this.extras?.leases ?? 0;
  }

  /** Takes the record out of the tree; returns the parent it had. */
  unlink(): ScopeRecord | undefined {
    const { parent, previous, next } = this;
    if (parent === undefined) return undefined;
    if (previous === undefined) parent.firstChild = next;
    else previous.next = next;
    if (next === undefined) parent.lastChild = previous;
    else next.previous = previous;
    this.parent = undefined;
    this.previous = undefined;
    this.next = undefined;
    if (this.#ancestry !== undefined) this.#ancestry.record = undefined;
    this.#ancestry = undefined;
    return parent;
  }

  /** This scope and its ancestors, shared by every child that closes. */
  ancestry(): Ancestry {
    return this.#ancestry ?? this.#newAncestry();
  }

  #newAncestry(): Ancestry {
    const own = (this.#ancestry = new Ancestry(this));
    let last = own;
    for (let at = this.parent; at !== undefined && last.up === undefined; at = at.parent)
      last = last.up = at.#ancestry ??= new Ancestry(at);
    return own;
  }

  liveHandle(): ScopeHandle | undefined {
    return this.handle instanceof WeakRef ? this.handle.deref() : this.handle;
  }

  meterFailed(cause: unknown): void {
    this.fault(
      failure('PLM_SCOPE_METER_FAILED', { path: this.path, error: describe(cause) }),
      'meter',
      cause,
    );
  }

  fault(error: PlimsollError, label: string, cause?: unknown): void {
    const fault = faults.report(error, label, cause);
    if (this.closing !== undefined && this.closing.faults.length < 100) this.closing.faults.push(fault);
  }

  #link(parent: ScopeRecord): void {
    const last = parent.lastChild;
    this.previous = last;
    if (last === undefined) parent.firstChild = this;
    else last.next = this;
    parent.lastChild = this;
  }
}

/** Unix time of a moment; by today's setting of the clock, so that an earlier jump does not tear moments apart. */
function unixTime(ms: number): number {
  return Math.round(Date.now() - (performance.now() - ms));
}

/** The nearest scope of an ancestry that is open. */
export function nearestOpen(ancestry: Ancestry | undefined): ScopeRecord | undefined {
  for (let at = ancestry; at !== undefined; at = at.up) if (at.record?.state === 'open') return at.record;
  return undefined;
}
