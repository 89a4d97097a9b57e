import type { Account } from '@plimsoll/core/internal/scope/account';
import { Holding } from '@plimsoll/core/internal/scope/holding';
import type { KindBytes } from '@plimsoll/core/internal/scope/holding';
import type { Roster } from '@plimsoll/core/internal/scope/roster';
import type { ScopeRecord } from '@plimsoll/core/internal/scope/scope-record';
import { Reconciliation } from '@plimsoll/govern/internal/level/reconciliation';
import type { Census } from '@plimsoll/core/internal/sense/census/census';
import type { Reading } from '@plimsoll/core/internal/sense/reading';
import { HeaviestScopes } from './heaviest.ts';

/** Anything with the account of a scope: the scope, its record or a row. */
interface Accounted {
  readonly account: object;
}

/**
 * The bytes of every open scope at the last reading, rolled up to the parents. A scope's own part is the larger of what the census walked
 * and what was charged: keepers charge what their owners also register as roots, so adding both would count it twice. Charges are re-based
 * at each major GC, because scopes together cannot hold more than is alive.
 *
 * A refresh looks only at accounts that were charged, walked or closed since the last one, and adds the difference to the parents. The cost
 * depends on the number of changed scopes, not on the number of open ones.
 */
export class ScopeBytes {
  readonly #roster: Roster;
  readonly #census: Pick<Census, 'bytesOf'>;
  readonly #reconciliation = new Reconciliation();
  readonly #heaviest = new HeaviestScopes(() => this.#holdings());
  #kinds = new Map<string, KindBytes>();
  #moved: Holding[] = [];
  #moves = 0;
  #refreshes = 0;
  #factor = 1;
  #walkedBytes = 0;
  #chargedBytes = 0;
  #majors = -1;

  constructor(roster: Roster, census: Pick<Census, 'bytesOf'>) {
    this.#roster = roster;
    this.#census = census;
  }

  /**
   * Open scopes, parents before children, without the process. It walks all of them, so it is called once per action or page and not per
   * reading.
   */
  get open(): readonly ScopeRecord[] {
    return this.#roster.records();
  }

  get count(): number {
    return this.#roster.count - 1;
  }

  /** Open scopes whose bytes changed at the last refresh. */
  get moved(): readonly Holding[] {
    return this.#moved;
  }

  /** How often the bytes of a scope changed. */
  get moves(): number {
    return this.#moves;
  }

  /** Bytes that scopes were charged with, all together. */
  get chargedBytes(): number {
    const { held, own } = this.#roster.process.account;
    return held - own;
  }

  /** Live bytes in no scope and no keeper; undefined before the first major GC. */
  get unattributedBytes(): number | undefined {
    return this.#reconciliation.unattributedBytes;
  }

  /** Factor on charges since the last major GC; 1 when they fit into the live bytes. */
  get chargeFactor(): number {
    return this.#reconciliation.factor;
  }

  refresh(): void {
    this.#roster.settle();
    this.#refreshes++;
    this.#moved = [];
    const changed = this.#roster.changes.take(this);
    if (changed === undefined) this.#rebuild();
    else if (this.#factor !== this.#reconciliation.factor) this.#all();
    if (changed !== undefined) for (const account of changed) this.#update(account);
    this.#moves += this.#moved.length;
    this.#moved = this.#moved.filter((holding) => holding.isOpen);
    for (const holding of this.#moved) {
      if (holding.bytes > holding.peak) holding.peak = holding.bytes;
      this.#heaviest.note(holding);
    }
  }

  /**
   * Re-bases the charges of scopes after a major GC. Call it after `refresh`. `keptBytes` are the bytes of keepers that charge no scope.
   */
  reconcile(
    reading: Pick<Reading, 'floor' | 'external' | 'majors'>,
    keptBytes: () => number = () => 0,
  ): void {
    if (reading.floor === undefined || reading.majors === this.#majors) return;
    this.#majors = reading.majors;
    this.#reconciliation.note({
      liveBytes: reading.floor + reading.external,
      walkedBytes: this.#walkedBytes,
      chargedBytes: this.#chargedBytes + keptBytes(),
    });
  }

  /** The scopes that hold most, heaviest first, at most 200. Scopes without figures fill the rest. */
  heaviest(count: number): readonly ScopeRecord[] {
    const found = this.#heaviest.top(count).map(({ record }) => record);
    if (found.length >= Math.min(count, this.count)) return found;
    for (const record of this.#roster.records(count + found.length)) {
      if (found.length >= count) break;
      if (this.#holdingOf(record)?.isHeavy !== true) found.push(record);
    }
    return found;
  }

  /** Bytes of all open scopes of a kind, each with what is inside it. */
  ofKind(kind: string): number {
    return this.#kinds.get(kind)?.bytes ?? 0;
  }

  of(scope: Accounted): number {
    return this.#holdingOf(scope)?.bytes ?? 0;
  }

  peakOf(scope: Accounted): number {
    const account = scope.account as Account;
    return account.closed ? 0 : Math.max(account.peak, this.#holdingOf(scope)?.peak ?? 0);
  }

  /** The source of the larger part: walked by the census, or charged by code and keepers. */
  knownBy(scope: Accounted): 'census' | 'account' {
    const holding = this.#holdingOf(scope);
    return holding !== undefined && holding.walked > holding.bytes / 2 ? 'census' : 'account';
  }

  /** When the scope's own bytes were measured: now for charged bytes, else at its last walk. Null before the first walk. */
  measuredAt(scope: Accounted, now: number): number | null {
    const holding = this.#holdingOf(scope);
    if (holding === undefined) return null;
    return holding.ownWalked > 0 ? (holding.measuredAt ?? null) : now;
  }

  /** Lower and upper bound of the scope's bytes, inner scopes included. Null when they were charged or not measured yet. */
  spreadOf(scope: Accounted): { readonly low: number; readonly high: number } | null {
    const holding = this.#holdingOf(scope);
    if (holding === undefined || holding.ownWalked === 0) return null;
    const { bytes, own, ownLow, ownHigh } = holding;
    return { low: bytes - own + Math.min(own, ownLow), high: bytes - own + Math.max(own, ownHigh) };
  }

  /** Ends following the accounts. */
  stop(): void {
    this.#roster.changes.leave(this);
  }

  #holdingOf({ account }: Accounted): Holding | undefined {
    const { holding } = account as Account;
    return holding?.keeper === this ? holding : undefined;
  }

  *#holdings(): Generator<Holding> {
    for (const { account } of this.open) if (account.holding?.keeper === this) yield account.holding;
  }

  /** Starts over: at first, and when changes were lost because the loop was blocked. Peaks are kept. */
  #rebuild(): void {
    const peaks = Array.from(this.#holdings(), ({ record, peak }) => [record, peak] as const);
    for (const { account } of this.open) account.holding = undefined;
    this.#heaviest.clear();
    this.#kinds = new Map();
    this.#walkedBytes = 0;
    this.#chargedBytes = 0;
    this.#all();
    for (const [{ account }, peak] of peaks) if (account.holding !== undefined) account.holding.peak = peak;
  }

  /** Computes every scope again. It is also called when charges were re-based. */
  #all(): void {
    this.#factor = this.#reconciliation.factor;
    for (const { account } of this.open) this.#update(account);
  }

  #update(account: Account): void {
    account.isNoted = false;
    const record = account.owner as ScopeRecord | undefined;
    if (record === undefined) this.#close(account);
    else if (record.id !== 0) this.#measure(record);
  }

  #close(account: Account): void {
    const { holding } = account;
    if (holding?.keeper !== this) return;
    holding.isOpen = false;
    account.holding = undefined;
    this.#set(holding, 0, 0, 0);
    this.#heaviest.note(holding);
  }

  #measure(record: ScopeRecord): void {
    const { account } = record;
    const result = this.#census.bytesOf(record);
    const walked = result?.bytes ?? 0;
    const charged = account.own;
    const known = this.#holdingOf(record);
    if (known === undefined && walked === 0 && charged === 0) return;
    const holding = known ?? this.#make(record);
    holding.measuredAt = result?.at;
    holding.ownLow = result?.low ?? 0;
    holding.ownHigh = result?.high ?? 0;
    if (walked >= charged) this.#set(holding, walked, walked, 0);
    else this.#set(holding, Math.max(walked, charged * this.#factor), 0, charged);
  }

  #set(holding: Holding, own: number, walked: number, charged: number): void {
    const bytesMore = own - holding.own;
    const walkedMore = walked - holding.ownWalked;
    this.#walkedBytes += walkedMore;
    this.#chargedBytes += charged - holding.ownCharged;
    holding.own = own;
    holding.ownWalked = walked;
    holding.ownCharged = charged;
    if (bytesMore === 0 && walkedMore === 0) return;
    for (let at: Holding | undefined = holding; at !== undefined; at = at.up) {
      at.bytes += bytesMore;
      at.walked += walkedMore;
      at.kind.bytes += bytesMore;
      if (at.movedIn === this.#refreshes) continue;
      at.movedIn = this.#refreshes;
      this.#moved.push(at);
    }
  }

  #make(record: ScopeRecord): Holding {
    const { parent } = record;
    const isTop = parent === undefined || parent.id === 0;
    const up = isTop ? undefined : (this.#holdingOf(parent) ?? this.#make(parent));
    let kind = this.#kinds.get(record.kind);
    if (kind === undefined) this.#kinds.set(record.kind, (kind = { bytes: 0 }));
    return (record.account.holding = new Holding(record, up, kind, this));
  }
}
