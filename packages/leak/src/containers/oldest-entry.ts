import { types } from 'node:util';

/** The oldest entry must have gone this often. */
const leastLeft = 4;
/** The last time must be in this last share of the time that was watched: one entry that stays for ever ends it. */
const recentShare = 0.25;
/** A longer key is not kept. */
const longestKey = 1000;

/**
 * Whether a Map or Set lets go of its oldest entries. One that does keeps nothing for ever: with more load it has more entries, and a leak
 * among them would become its oldest one.
 */
export class OldestEntry {
  #key: unknown;
  #isKnown = false;
  #firstAt = 0;
  #lastAt = 0;
  #leftAt = 0;
  #left = 0;

  /** Looks at the container, which costs nothing. */
  look(container: object, at: number): void {
    if (!types.isMap(container) && !types.isSet(container)) return;
    if (this.#firstAt === 0) this.#firstAt = at;
    this.#lastAt = at;
    if (this.#isKnown) {
      const key: unknown = this.#key instanceof WeakRef ? this.#key.deref() : this.#key;
      if (key !== undefined && hasKey(container, key)) return;
      this.#left++;
      this.#leftAt = at;
    }
    const { value, done } = firstOf(container);
    const isText = typeof value === 'string' && value.length > longestKey;
    this.#isKnown = done !== true && value !== undefined && !isText;
    if (this.#isKnown)
      this.#key = typeof value === 'object' || typeof value === 'function' ? weak(value) : value;
  }

  /** True while the oldest entries go. */
  get isLeaving(): boolean {
    const isRecent = this.#lastAt - this.#leftAt <= recentShare * (this.#lastAt - this.#firstAt);
    return this.#left >= leastLeft && isRecent;
  }
}

/** Methods of the classes themselves, because those of a subclass are code of the program. */
function hasKey(container: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>, key: unknown): boolean {
  return types.isMap(container)
    ? Map.prototype.has.call(container, key)
    : Set.prototype.has.call(container, key);
}

function firstOf(
  container: ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>,
): IteratorResult<unknown, unknown> {
  return types.isMap(container)
    ? Map.prototype.keys.call(container).next()
    : Set.prototype.values.call(container).next();
}

function weak(value: object | null): WeakRef<object> | null {
  return value === null ? null : new WeakRef(value);
}
