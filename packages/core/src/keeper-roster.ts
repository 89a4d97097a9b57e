import { slots } from './slots.ts';

/** What a shed asks for. */
export interface ShedRequest {
  /** Bytes to give up, or more. */
  readonly bytes: number;
  /** Why, as it appears in events; default "pressure". */
  readonly reason?: string;
  /** Most entries to let go of; for keepers that have any. */
  readonly atMost?: number;
  /** Whether the coldest go first, which is the default, or the largest of the coldest; for keepers that have an order. */
  readonly order?: 'idle' | 'idle-x-size';
  /** Newest turns that stay, whatever their bytes; for conversations, which otherwise keep their low water. */
  readonly keepLast?: number;
}

/** What a keeper can say about itself beside its bytes. A figure that it does not have is left out. */
export interface KeeperFigures {
  /** Entries in memory now. */
  readonly entries?: number;
  /** Most bytes that it holds in memory. */
  readonly boundBytes?: number;
  /** Most entries that it holds in memory. */
  readonly boundEntries?: number;
  /** Entries that are outside of the heap now: parked or spilled. */
  readonly parked?: number;
  /** Share of lookups that found their entry, 0 to 1. */
  readonly hitRatio?: number;
  /** Claims on entries that have not been given back. */
  readonly leases?: number;
}

/** One line of a report about a keeper. null stands for a figure that this kind of keeper does not have, or for no bound. */
export interface KeeperRow {
  readonly name: string;
  readonly kind: string;
  /** Path of the open scope that is charged; null when only the process is. */
  readonly scope: string | null;
  readonly bytes: number;
  readonly entries: number | null;
  readonly boundBytes: number | null;
  readonly boundEntries: number | null;
  readonly parked: number | null;
  readonly hitRatio: number | null;
  readonly leases: number | null;
}

/** What the delegation breakers of a process did, all together. */
export interface DelegationRow {
  /** Delegations admitted and not over. */
  readonly active: number;
  /** Deepest level that a tree which is not over reached; 0 when there is none. */
  readonly depth: number;
  readonly denied: number;
  readonly started: number;
  /** denied / (denied + started), 0 to 1. */
  readonly blockedRatio: number;
}

/** A container that cannot leak, as the governor sees it: named, counted and able to give memory back. */
export interface Keeper {
  readonly name: string;
  /** Such as "session-cache". */
  readonly kind: string;
  /** Bytes held now. */
  readonly bytes: number;
  /** Counters of this kind of keeper, for whoever knows the kind. */
  stats(): object;
  /** The figures that every kind of keeper shares, for page, metrics and ledger. Read about once a second. */
  figures?(): KeeperFigures;
  /** What was delegated; for delegation breakers. */
  delegations?(): Omit<DelegationRow, 'blockedRatio'>;
  /** Gives memory back, coldest first, without touching what is in use; resolves with the bytes freed. */
  shed(request: ShedRequest): Promise<number>;
  /** Lets go of what it holds under this id, parked copies included; resolves with the number of entries. For keepers with entries by id. */
  forget?(id: string): Promise<number>;
  /** Sets idle timeouts to a share, 0 to 1, of what was configured; for keepers that have any. */
  scaleIdle?(ratio: number): void;
}

/** Path of the scope that a keeper charges, or a function that gives it as long as the scope is open. */
type KeeperHome = string | (() => string | undefined);

/** The roster of keepers of this thread. */
export interface KeeperSlot {
  /** Keepers that are listed until their removal is called. */
  readonly held: Set<{ readonly keeper: Keeper }>;
  /** Keepers that are listed as long as somebody else holds them. */
  readonly refs: Set<WeakRef<Keeper>>;
  /** Size at which dead references are swept out. */
  sweepAt: number;
  readonly homes: WeakMap<Keeper, KeeperHome>;
}

const firstSweep = 64;
const processPath = 'process';

/**
 * Lists a keeper in this thread until the returned removal is called. With the path of the scope that it charges, it is also asked to shed
 * when that scope or one around it is over its budget.
 */
export function registerKeeper(keeper: Keeper, scopePath?: string): () => void {
  const { held, homes } = slot();
  const seat = { keeper };
  held.add(seat);
  if (scopePath !== undefined) homes.set(keeper, scopePath);
  return () => {
    held.delete(seat);
    if (homes.get(keeper) === scopePath) homes.delete(keeper);
  };
}

/**
 * Lists a keeper in this thread as long as somebody else holds it. Only for containers whose owner keeps them anyway, such as those of
 * @plimsoll/keep: an object that is made for the call would be gone after the next collection.
 */
export function registerKeeperWeakly(keeper: Keeper, home?: KeeperHome): () => void {
  const { refs, homes } = slot();
  const ref = new WeakRef(keeper);
  refs.add(ref);
  if (home !== undefined) homes.set(keeper, home);
  if (refs.size >= slot().sweepAt) {
    sweep(refs);
    slot().sweepAt = Math.max(firstSweep, 2 * refs.size);
  }
  return () => {
    refs.delete(ref);
    // The home has the line of the account, which a keeper that is over may outlive by long.
    const left = ref.deref();
    if (left !== undefined && homes.get(left) === home) homes.delete(left);
  };
}

/** Every keeper that is listed in this thread, also those made by another copy of the package. */
export function keepers(): Keeper[] {
  const { held, refs } = slot();
  sweep(refs);
  const found = new Set<Keeper>();
  for (const ref of refs) {
    const keeper = ref.deref();
    if (keeper !== undefined) found.add(keeper);
  }
  for (const { keeper } of held) found.add(keeper);
  return [...found];
}

/** Path of the scope that a keeper charges; undefined when it never said, or when that scope has closed. */
export function homeOf(keeper: Keeper): string | undefined {
  const home = slot().homes.get(keeper);
  return typeof home === 'function' ? home() : home;
}

/** One row for each listed keeper, largest first. A keeper that throws has a row of nulls. */
export function keeperRows(): KeeperRow[] {
  return keepers()
    .map(rowOf)
    .sort((a, b) => b.bytes - a.bytes);
}

/** The delegations of all listed breakers; null when there is no breaker. */
export function delegationRow(): DelegationRow | null {
  const all = keepers().flatMap((keeper) => attempt(() => keeper.delegations?.()) ?? []);
  if (all.length === 0) return null;
  const sum = (field: 'active' | 'denied' | 'started'): number =>
    all.reduce((total, one) => total + one[field], 0);
  const [denied, started] = [sum('denied'), sum('started')];
  return {
    active: sum('active'),
    depth: Math.max(...all.map(({ depth }) => depth)),
    denied,
    started,
    blockedRatio: denied === 0 ? 0 : denied / (denied + started),
  };
}

function rowOf(keeper: Keeper): KeeperRow {
  const figures = attempt(() => keeper.figures?.());
  const home = attempt(() => homeOf(keeper));
  return {
    name: keeper.name,
    kind: keeper.kind,
    scope: home === undefined || home === processPath ? null : home,
    bytes: known(attempt(() => keeper.bytes)) ?? 0,
    entries: known(figures?.entries),
    boundBytes: known(figures?.boundBytes),
    boundEntries: known(figures?.boundEntries),
    parked: known(figures?.parked),
    hitRatio: known(figures?.hitRatio),
    leases: known(figures?.leases),
  };
}

/** A figure that can be shown; no bound is given as Infinity by some keepers. */
function known(figure: unknown): number | null {
  return typeof figure === 'number' && figure >= 0 && figure <= Number.MAX_SAFE_INTEGER ? figure : null;
}

/** Keepers may be user code, and a report must not fail because of one of them. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function sweep(refs: Set<WeakRef<Keeper>>): void {
  for (const ref of refs) if (ref.deref() === undefined) refs.delete(ref);
}

function slot(): KeeperSlot {
  return (slots().keepers ??= {
    held: new Set(),
    refs: new Set(),
    sweepAt: firstSweep,
    homes: new WeakMap(),
  });
}
