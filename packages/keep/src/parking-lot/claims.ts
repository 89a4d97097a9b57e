import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { failure } from '@plimsoll/core/internal/errors';
import type { KeeperClock } from '../clock.ts';
import type { LotClaim, SharedLot } from './parking-lot.ts';

/** A claim is renewed after this share of its time. */
const renewShare = 1 / 3;

interface HeldClaim {
  readonly fence: number;
  /** Monotonic ms of this process until which no other can have taken the session. */
  until: number;
  /** Settles when the row of a session that ended is gone. */
  ending: Promise<boolean> | undefined;
  /** True from the moment the session leaves the memory: from then on the fence alone decides. */
  isLeaving: boolean;
}

/** What the claims need to know of the cache that holds the sessions. */
interface ClaimHome {
  /** Whether the id is in memory, being opened or being let go of. */
  isInUse(id: string): boolean;
  /** Another process may hold the session from now on, so it has to go. */
  lost(id: string): void;
}

/**
 * The claims of one cache on the sessions of a shared lot.
 *
 * The time of a claim is counted on this process's monotonic clock from before the lot was asked, and by the lot from after. So this
 * process stops before another one can begin, whatever the clocks of the machines say. A process that was stopped for longer finds its
 * claims over when it asks, and its writes refused by their fence.
 */
export class Claims {
  readonly #lot: SharedLot;
  readonly #clock: KeeperClock;
  readonly #home: ClaimHome;
  readonly #holder: string;
  readonly #held = new Map<string, HeldClaim>();
  #cancel: (() => void) | undefined;
  #renewing: Promise<void> | undefined;

  constructor(lot: SharedLot, clock: KeeperClock, home: ClaimHome) {
    this.#lot = lot;
    this.#clock = clock;
    this.#home = home;
    this.#holder = `${hostname()}:${process.pid}#${randomUUID()}`;
  }

  get lot(): SharedLot {
    return this.#lot;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Takes the claim on an id, with what is parked under it. */
  async take(id: string): Promise<LotClaim> {
    // The row of an older session of the id may be on its way out.
    await this.#held.get(id)?.ending;
    const sentAt = this.#clock.monotonic();
    const claim = await this.#lot.claim(id, this.#holder);
    this.#held.set(id, {
      fence: claim.fence,
      until: sentAt + this.#lot.claimMs,
      ending: undefined,
      isLeaving: false,
    });
    this.#wake();
    return claim;
  }

  /** The fence of a session that is held; undefined when it is not. */
  fence(id: string): number | undefined {
    const held = this.#held.get(id);
    return held !== undefined && this.#clock.monotonic() < held.until ? held.fence : undefined;
  }

  /** Parks a form and gives the claim up. */
  async park(id: string, form: Uint8Array): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined) throw failure('PLM_KEEP_CLAIM_LOST', { id, lot: this.#lot.label });
    held.isLeaving = true;
    await this.#lot.put(id, form, held.fence);
    this.#forget(id, held);
  }

  /** Ends a session of this process: its row goes once `over` has resolved. True when there was one. */
  end(id: string, over: Promise<void> | undefined): Promise<boolean> {
    const held = this.#held.get(id);
    if (held === undefined) return this.#lot.remove(id);
    held.isLeaving = true;
    held.ending ??= this.#end(id, held, over);
    return held.ending;
  }

  async #end(id: string, held: HeldClaim, over: Promise<void> | undefined): Promise<boolean> {
    await over;
    try {
      return await this.#lot.remove(id, held.fence);
    } finally {
      this.#forget(id, held);
    }
  }

  /** Gives the claim up and leaves the parked copy as it is. A lot that does not answer lets the claim run out. */
  async release(id: string): Promise<void> {
    const held = this.#held.get(id);
    if (held === undefined || held.ending !== undefined) return;
    this.#forget(id, held);
    await this.#lot.release(id, held.fence).catch(() => {});
  }

  /** Gives up what is left; for the end of the cache. */
  async close(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#renewing;
    await Promise.all(
      [...this.#held].map(([id, { ending }]) =>
        ending === undefined ? this.release(id) : ending.catch(() => false),
      ),
    );
  }

  #forget(id: string, held: HeldClaim): void {
    if (this.#held.get(id) === held) this.#held.delete(id);
  }

  #wake(): void {
    if (this.#cancel !== undefined || this.#held.size === 0) return;
    this.#cancel = this.#clock.after(this.#lot.claimMs * renewShare, () => {
      this.#cancel = undefined;
      // A renewal that hangs does not put this off.
      this.#dropOverdue();
      this.#renewing ??= this.#renew().finally(() => {
        this.#renewing = undefined;
        this.#wake();
      });
      this.#wake();
    });
  }

  async #renew(): Promise<void> {
    const asked = new Map<string, number>();
    for (const [id, { fence, ending }] of this.#held) {
      if (ending !== undefined) continue;
      if (this.#home.isInUse(id)) asked.set(id, fence);
      else await this.release(id);
    }
    if (asked.size === 0) return;
    const sentAt = this.#clock.monotonic();
    const kept = await this.#lot.renew(asked).catch(() => undefined);
    // A lot that does not answer is asked again; until then the claims run.
    if (kept === undefined) return;
    for (const [id, fence] of asked) {
      const held = this.#held.get(id);
      if (held?.fence !== fence) continue;
      if (kept.has(id)) held.until = sentAt + this.#lot.claimMs;
      else this.#lose(id, held);
    }
  }

  /** Ends the sessions whose claim ran out without an answer of the lot. */
  #dropOverdue(): void {
    const now = this.#clock.monotonic();
    for (const [id, held] of this.#held) if (held.until <= now && !held.isLeaving) this.#lose(id, held);
  }

  /** True when the session is still held; ends it when its claim has run out. */
  check(id: string): boolean {
    const held = this.#held.get(id);
    if (held === undefined) return false;
    if (this.#clock.monotonic() < held.until) return true;
    if (!held.isLeaving) this.#lose(id, held);
    return false;
  }

  #lose(id: string, held: HeldClaim): void {
    this.#forget(id, held);
    this.#home.lost(id);
  }
}
