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

/** A container that cannot leak, as the governor sees it: named, counted and able to give memory back. */
export interface Keeper {
  readonly name: string;
  /** Such as "session-cache". */
  readonly kind: string;
  /** Bytes held now. */
  readonly bytes: number;
  /** Figures for the ledger. */
  stats(): object;
  /** Gives memory back, coldest first, without touching what is in use; resolves with the bytes freed. */
  shed(request: ShedRequest): Promise<number>;
  /** Sets idle timeouts to a share, 0 to 1, of what was configured; for keepers that have any. */
  scaleIdle?(ratio: number): void;
}

/** The roster of keepers of this thread. */
export interface KeeperSlot {
  readonly refs: Set<WeakRef<Keeper>>;
  /** Size at which dead references are swept out. */
  sweepAt: number;
  /** Path of the scope that each keeper charges; another copy of the package may not know it. */
  homes?: WeakMap<Keeper, string>;
}

const firstSweep = 64;

/**
 * Adds a keeper to the roster of this thread, weakly: a keeper nobody holds any more leaves by itself. Returns its removal.
 * With the path of the scope that it charges, it is also asked to shed when that scope or one around it is over its budget.
 */
export function registerKeeper(keeper: Keeper, scopePath?: string): () => void {
  const { refs } = slot();
  const ref = new WeakRef(keeper);
  refs.add(ref);
  if (scopePath !== undefined) (slot().homes ??= new WeakMap()).set(keeper, scopePath);
  if (refs.size >= slot().sweepAt) {
    sweep(refs);
    slot().sweepAt = Math.max(firstSweep, 2 * refs.size);
  }
  return () => {
    refs.delete(ref);
  };
}

/** Every keeper of this thread that is still held, also those made by another copy of the package. */
export function keepers(): Keeper[] {
  const { refs } = slot();
  sweep(refs);
  const found: Keeper[] = [];
  for (const ref of refs) {
    const keeper = ref.deref();
    if (keeper !== undefined) found.push(keeper);
  }
  return found;
}

/** Path of the scope that a keeper charges; undefined when it never said. */
export function homeOf(keeper: Keeper): string | undefined {
  return slot().homes?.get(keeper);
}

function sweep(refs: Set<WeakRef<Keeper>>): void {
  for (const ref of refs) if (ref.deref() === undefined) refs.delete(ref);
}

function slot(): KeeperSlot {
  return (slots().keepers ??= { refs: new Set(), sweepAt: firstSweep });
}
