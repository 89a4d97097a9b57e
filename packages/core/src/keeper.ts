/** What a shed asks for. */
export interface ShedRequest {
  /** Bytes to give up, or more. */
  readonly bytes: number;
  /** Why, as it appears in events; default "pressure". */
  readonly reason?: string;
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
}

interface KeeperSlot {
  readonly refs: Set<WeakRef<Keeper>>;
  /** Size at which dead references are swept out. */
  sweepAt: number;
}

const key = Symbol.for('plimsoll.keepers.v1');
const firstSweep = 64;

/** Adds a keeper to the roster of this thread, weakly: a keeper nobody holds any more leaves by itself. Returns its removal. */
export function registerKeeper(keeper: Keeper): () => void {
  const { refs } = slot();
  const ref = new WeakRef(keeper);
  refs.add(ref);
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

function sweep(refs: Set<WeakRef<Keeper>>): void {
  for (const ref of refs) if (ref.deref() === undefined) refs.delete(ref);
}

function slot(): KeeperSlot {
  const holder = globalThis as { [key]?: KeeperSlot };
  if (holder[key] === undefined)
    Object.defineProperty(holder, key, { value: { refs: new Set(), sweepAt: firstSweep } });
  return holder[key] as KeeperSlot;
}
