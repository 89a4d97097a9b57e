/** Things with a deadline, soonest first: finding what is due costs nothing while nothing is. */
export class DeadlineList<Item extends { readonly deadlineMs: number }> {
  /** Latest first, so that taking the soonest moves nothing. */
  readonly #items: Item[] = [];

  get soonestMs(): number | undefined {
    return this.#items.at(-1)?.deadlineMs;
  }

  add(item: Item): void {
    this.#items.splice(this.#firstNotAfter(item.deadlineMs), 0, item);
  }

  remove(item: Item): void {
    let i = this.#firstNotAfter(item.deadlineMs);
    while (i < this.#items.length && this.#items[i] !== item) i++;
    if (i < this.#items.length) this.#items.splice(i, 1);
  }

  /** The soonest when it is due; it stays until it is removed. */
  due(nowMs: number): Item | undefined {
    const soonest = this.#items.at(-1);
    return soonest !== undefined && soonest.deadlineMs <= nowMs ? soonest : undefined;
  }

  /** Index of the first item whose deadline is not after this one. */
  #firstNotAfter(deadlineMs: number): number {
    let low = 0;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle] as Item).deadlineMs > deadlineMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
