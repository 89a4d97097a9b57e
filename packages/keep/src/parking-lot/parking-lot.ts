/**
 * A place outside the heap for the state of cold sessions.
 *
 * Forms are opaque bytes with their own checksum (see parked-form.ts); a lot stores, finds and forgets them by id, and is bounded itself.
 * Calls may reject; the cache times them, retries and goes on without the lot.
 */
export interface ParkingLot {
  /** How errors name it, such as "parking lot /var/lib/app/parked". */
  readonly label: string;
  /** Stores a form, replacing an older one of the same id. */
  put(id: string, form: Uint8Array): Promise<void>;
  /** The form of an id; undefined when none is parked. */
  get(id: string): Promise<Uint8Array | undefined>;
  /** Forgets an id; true when it was parked. */
  remove(id: string): Promise<boolean>;
  /** Forms parked now, as far as it can be said without looking. */
  readonly size?: number | undefined;
  /** False when nothing is parked under an id as far as this process can know without looking; left out, the cache always looks. */
  mayHold?(id: string): boolean;
  /** Lets go of files and handles; what is parked stays. */
  close(): Promise<void>;
}
