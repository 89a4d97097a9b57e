/**
 * A place outside the heap for the state of cold sessions.
 *
 * Forms are opaque bytes with their own checksum (see parked-form.ts); a lot stores, finds and forgets them by id, and is bounded itself.
 * Calls may reject; the cache times them, retries and goes on without the lot.
 */
export interface ParkingLot {
  /** How errors name it, such as "parking lot /var/lib/app/parked". */
  readonly label: string;
  /**
   * Stores a form, replacing an older one of the same id. With the fence of a claim it also gives the claim up, and rejects with
   * PLM_KEEP_CLAIM_LOST when another process holds a newer one.
   */
  put(id: string, form: Uint8Array, fence?: number): Promise<void>;
  /** The form of an id; undefined when none is parked. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Forgets an id; true when it was parked. With the fence of a claim the claim goes, too. */
  remove(id: string, fence?: number): Promise<boolean>;
  /** Forms parked now, as far as it can be said without looking. */
  readonly size?: number | undefined;
  /** Bytes of the forms parked now, as far as it can be said without looking. */
  readonly bytes?: number | undefined;
  /** False when nothing is parked under an id as far as this process can know without looking; left out, the cache always looks. */
  mayHold?(id: string): boolean;
  /** Lets go of files and handles; what is parked stays. */
  close(): Promise<void>;
}

/** The right to be the only process that holds a session. */
export interface LotClaim {
  /** Grows with every claim that the lot gives. A write with an older fence is refused. */
  readonly fence: number;
  /** What is parked under the id. The copy stays in the lot until the holder parks again or removes it. */
  readonly form: Uint8Array | undefined;
}

/**
 * A lot that several processes use. A session belongs to at most one of them: whoever wants it takes a claim, renews it while the session
 * is in memory and gives it up by parking, removing or releasing. The claim of a process that died ends after `claimMs`.
 */
export interface SharedLot extends ParkingLot {
  /** How long a claim lasts after it was taken or renewed. */
  readonly claimMs: number;
  /** Claims an id for a holder; the same holder may claim again. Rejects with PLM_KEEP_HELD_ELSEWHERE while another one holds it. */
  claim(id: string, holder: string): Promise<LotClaim>;
  /** Renews claims, given as id and fence; resolves with the ids that are still held. */
  renew(claims: ReadonlyMap<string, number>): Promise<ReadonlySet<string>>;
  /** Gives a claim up; the parked copy stays as it was. */
  release(id: string, fence: number): Promise<void>;
}

export function isShared(lot: ParkingLot): lot is SharedLot {
  return 'claim' in lot;
}
