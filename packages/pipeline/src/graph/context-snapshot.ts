/** One value of a snapshot with its bytes. */
interface Held {
  readonly value: unknown;
  readonly bytes: number;
}

/**
 * The values that a stage may read: the input of the run and the outputs of earlier stages. It cannot be changed. `with` makes a new one
 * that shares all other values. Its bytes are known without a walk, because each value was measured once, when its stage returned it.
 */
export class ContextSnapshot<Values extends object = Readonly<Record<string, unknown>>> {
  readonly #held: ReadonlyMap<string, Held>;
  readonly bytes: number;
  /** The values as a frozen object. */
  readonly values: Readonly<Values>;

  /** Snapshots are made by `ContextSnapshot.of` and `with`. */
  private constructor(held: ReadonlyMap<string, Held>, bytes: number) {
    this.#held = held;
    this.bytes = bytes;
    const entries = [...held].map(([key, { value }]) => [key, value] as const);
    this.values = Object.freeze(Object.fromEntries(entries)) as Readonly<Values>;
    Object.freeze(this);
  }

  static of<Values extends object>(values: {
    readonly [K in keyof Values]: { readonly value: Values[K]; readonly bytes: number };
  }): ContextSnapshot<Values> {
    const held = new Map<string, Held>(Object.entries(values));
    let bytes = 0;
    for (const each of held.values()) bytes += each.bytes;
    return new ContextSnapshot<Values>(held, bytes);
  }

  get keys(): readonly string[] {
    return [...this.#held.keys()];
  }

  /** Bytes of one value; 0 when there is none. */
  bytesOf(key: string): number {
    return this.#held.get(key)?.bytes ?? 0;
  }

  /** A snapshot with this value added or replaced. */
  with<Key extends string, Value>(
    key: Key,
    value: Value,
    bytes: number,
  ): ContextSnapshot<Omit<Values, Key> & Record<Key, Value>> {
    const held = new Map(this.#held).set(key, { value, bytes });
    return new ContextSnapshot(held, this.bytes - this.bytesOf(key) + bytes);
  }
}
