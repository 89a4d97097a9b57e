/** A queue of fixed size in an array that is allocated in steps and never moves its items. */
export class Ring<T> {
  readonly capacity: number;
  /** Sum of the bytes of the items. */
  bytes = 0;
  length = 0;
  #items: (T | undefined)[];
  #sizes: Float64Array | undefined;
  #head = 0;

  constructor(capacity: number, isMeasured: boolean) {
    this.capacity = capacity;
    this.#items = Array.from({ length: Math.min(capacity, 16) });
    this.#sizes = isMeasured ? new Float64Array(this.#items.length) : undefined;
  }

  /** Adds an item; the caller has made sure that there is room. */
  push(item: T, bytes: number): void {
    if (this.length === this.#items.length) this.#grow();
    let at = this.#head + this.length;
    if (at >= this.#items.length) at -= this.#items.length;
    this.#items[at] = item;
    if (this.#sizes !== undefined) {
      this.#sizes[at] = bytes;
      this.bytes += bytes;
    }
    this.length++;
  }

  /** Puts an item in the place of the oldest one of a full ring without sizes. */
  replace(item: T): void {
    this.#items[this.#head] = item;
    if (++this.#head === this.#items.length) this.#head = 0;
  }

  /** Takes the oldest item; the caller has made sure that there is one. */
  shift(): T {
    const at = this.#head;
    const item = this.#items[at] as T;
    this.#items[at] = undefined;
    if (this.#sizes !== undefined) this.bytes -= this.#sizes[at] as number;
    this.#head = at + 1 === this.#items.length ? 0 : at + 1;
    this.length--;
    return item;
  }

  /** Takes the item at a place counted from the oldest; the oldest one moves there. */
  removeAt(place: number): T {
    let at = this.#head + place;
    if (at >= this.#items.length) at -= this.#items.length;
    const item = this.#items[at] as T;
    this.#items[at] = this.#items[this.#head];
    this.#items[this.#head] = item;
    if (this.#sizes !== undefined) {
      const bytes = this.#sizes[at] as number;
      this.#sizes[at] = this.#sizes[this.#head] as number;
      this.#sizes[this.#head] = bytes;
    }
    return this.shift();
  }

  #grow(): void {
    const size = Math.min(this.capacity, 2 * this.#items.length);
    const items: (T | undefined)[] = Array.from({ length: size });
    const sizes = this.#sizes === undefined ? undefined : new Float64Array(size);
    for (let i = 0; i < this.length; i++) {
      const at = (this.#head + i) % this.#items.length;
      items[i] = this.#items[at];
      if (sizes !== undefined) sizes[i] = this.#sizes?.[at] as number;
    }
    this.#items = items;
    this.#sizes = sizes;
    this.#head = 0;
  }
}
