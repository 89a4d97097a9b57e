import { accountChanges, settleMeters } from './account.ts';
import type { AccountChanges } from './account.ts';
import { closeWeigher } from './close-tree.ts';
import { faults } from './fault-log.ts';
import type { FaultLog } from './fault-log.ts';
import { scopeOf } from './scope.ts';
import type { Scope } from './scope.ts';
import type { ScopeRecord } from './scope-record.ts';
import type { PlimsollScopeRoot } from './scope-root.ts';
import type { ScopeTotal } from './scope-totals.ts';
import { openRecords, tree } from './tree.ts';
import { usedScopes } from './used-scopes.ts';
import { watchList } from './watch-list.ts';
import type { Watched } from './watch-list.ts';

/** A closed scope whose object or async context is still reachable from somewhere. */
export interface LingeringScope {
  readonly id: number;
  readonly path: string;
  readonly kind: string;
  readonly name: string;
  readonly closedAt: number;
  readonly majorGcEpoch: number;
}

/** A scope with roots. */
interface RootedScope {
  readonly scope: ScopeRecord;
  readonly roots: readonly object[];
  readonly marker: PlimsollScopeRoot;
}

/** Every open scope of the thread and what remains of the closed ones. */
export interface Roster {
  /** Open and closing scopes, parents before children, the process scope first; a copy taken at the time of the call. */
  readonly open: Iterable<Scope>;
  readonly count: number;
  /** The process scope. */
  readonly process: Pick<ScopeRecord, 'account'>;
  /** Scopes opened since the start, closed ones included. */
  readonly opened: number;
  /** Those of them that no adapter opened. */
  readonly openedByProgram: number;
  /** The records of open and closing scopes in the order of `open`, without the process. No scope object is looked up or made. At most `most`. */
  records(most?: number): readonly ScopeRecord[];
  /** Scopes with registered roots, for the census. */
  roots(): Iterable<RootedScope>;
  /** Those of them that were opened, used or given another root since this follower asked last; undefined when it has to look at all. */
  usedRoots(follower: object): readonly RootedScope[] | undefined;
  /** Ends the following of `usedRoots`. */
  leaveRoots(follower: object): void;
  /** Per kind and name, at most 1,000 names of at most 100 kinds; the rest is in the rows named `(other)`. */
  totals(): readonly Readonly<ScopeTotal>[];
  /** The rows of `totals` without the bytes of scopes that are open: no scope is walked. */
  closedTotals(): Iterable<Readonly<ScopeTotal>>;
  readonly faults: Pick<FaultLog, 'count' | 'byCode' | 'recent'>;
  /** Watched objects of closed scopes that have not been collected. */
  watched(): Iterable<Watched>;
  /** Watches refused because 50,000 were live. */
  readonly watchOverflow: number;
  /** Closed scopes that something still refers to; after two major GCs that is a leak. */
  lingering(): Iterable<LingeringScope>;
  /** Closed scopes that were not followed to their end because 10,000 closed ones still waited for a major GC. */
  readonly untracked: number;
  /** Re-reads all charged meters; call it before reading many accounts. */
  settle(): void;
  /** Accounts that changed. They are noted by the copy of the package that made the scopes, so a follower has to ask that one. */
  readonly changes: Pick<AccountChanges, 'take' | 'leave'>;
  /** Where the census says how it weighs a scope that closes. */
  readonly weigher: typeof closeWeigher;
  /** The scope object of a record; a new one when nobody holds the old one any more. */
  scopeOf(record: ScopeRecord): Scope;
  /** Major GCs told by `noteMajorGc`. */
  readonly majorGcEpoch: number;
  /** Told by the sensor after each major GC. */
  noteMajorGc(): void;
}

export const roster: Roster = {
  get open() {
    return openRecords().map(scopeOf);
  },
  get count() {
    return tree.count;
  },
  process: tree.process,
  get opened() {
    return tree.lastId;
  },
  get openedByProgram() {
    return tree.openedByProgram;
  },
  records(most = Number.POSITIVE_INFINITY) {
    return openRecords(most + 1).slice(1);
  },
  roots: () => rooted(openRecords()),
  usedRoots(follower) {
    const used = usedScopes.take(follower, openRecords);
    return used && [...rooted(used)];
  },
  leaveRoots: (follower) => usedScopes.leave(follower),
  totals() {
    const rows = new Map<ScopeTotal, ScopeTotal>();
    for (const total of tree.totals) rows.set(total, { ...total });
    for (const { total, account } of openRecords()) {
      const row = rows.get(total) as ScopeTotal;
      row.chargedBytes += account.charged;
      row.peakBytes = Math.max(row.peakBytes, account.peak);
    }
    return [...rows.values()];
  },
  closedTotals: () => tree.totals,
  faults,
  watched: () => [...watchList],
  get watchOverflow() {
    return watchList.overflow;
  },
  lingering() {
    return [...tree.tokens.lingering].map(({ id, path, kind, name, closedAt, closedEpoch }) => ({
      id,
      path,
      kind,
      name,
      closedAt,
      majorGcEpoch: closedEpoch,
    }));
  },
  get untracked() {
    return tree.tokens.untracked;
  },
  settle: settleMeters,
  changes: accountChanges,
  weigher: closeWeigher,
  scopeOf,
  get majorGcEpoch() {
    return tree.majorGcEpoch;
  },
  noteMajorGc() {
    tree.majorGcEpoch += 1;
  },
};

/** The scopes that have roots. One that closes while the list is walked has no marker any more. */
function* rooted(records: readonly ScopeRecord[]): Generator<RootedScope> {
  for (const record of records) {
    const marker = record.extras?.marker;
    if (marker !== undefined) yield { scope: record, roots: marker.roots, marker };
  }
}
