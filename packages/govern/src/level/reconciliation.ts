/** The declared bytes of scopes and the measured bytes. */
interface Declared {
  /** Live heap after the last major GC and external memory. */
  readonly liveBytes: number;
  /** Bytes of all scopes that the census walked. */
  readonly walkedBytes: number;
  /** Bytes of all scopes that are known only from charges. */
  readonly chargedBytes: number;
}

/** Below this factor the charges are wrong, and scaling them would hide it. */
const leastFactor = 0.1;

/**
 * Lowers declared bytes when all scopes together would hold more than is alive.
 *
 * Charges drift upwards, because a charge without a credit stays for ever. So at each major GC they are re-based to the live bytes that the
 * census did not walk, shared among the scopes that charged. They are never raised. Live bytes that no scope declared are reported as
 * unattributed.
 */
export class Reconciliation {
  #factor = 1;
  #unattributedBytes: number | undefined;

  /** Factor on charges, 0.1 to 1. */
  get factor(): number {
    return this.#factor;
  }

  /** Live bytes in no scope; undefined before the first major GC. */
  get unattributedBytes(): number | undefined {
    return this.#unattributedBytes;
  }

  /** Takes the sums at a major GC. */
  note({ liveBytes, walkedBytes, chargedBytes }: Declared): void {
    const room = Math.max(0, liveBytes - walkedBytes);
    this.#factor = chargedBytes <= room ? 1 : Math.max(leastFactor, room / chargedBytes);
    this.#unattributedBytes = Math.max(0, room - this.#factor * chargedBytes);
  }
}
