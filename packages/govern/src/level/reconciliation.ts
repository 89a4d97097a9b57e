/** What scopes say they hold, beside what was measured; all in bytes. */
interface Declared {
  /** Live heap after the last major GC and external memory. */
  readonly liveBytes: number;
  /** The part of all scopes that was walked. */
  readonly walkedBytes: number;
  /** The part of all scopes that is known by charges alone. */
  readonly chargedBytes: number;
}

/** Below this the charges are nonsense and scaling them would only hide it. */
const leastFactor = 0.1;

/**
 * Lowers declared bytes where scopes together would hold more than is alive.
 *
 * Charges drift upwards (what is never credited stays for ever), so at each major GC they are re-based to what was measured: the part of
 * the live bytes that the census did not walk, shared among those who charged. It never raises them. What nobody declared is reported as
 * unattributed.
 */
export class Reconciliation {
  #factor = 1;
  #unattributedBytes: number | undefined;

  /** By what charges are multiplied, 0.1 to 1. */
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
