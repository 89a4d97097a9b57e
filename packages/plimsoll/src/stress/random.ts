/** Numbers from a seed: the same seed gives the same run (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number below `bound`. */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }

  /** A text of about `bytes` bytes. */
  text(bytes: number): string {
    const parts: string[] = [];
    let length = 0;
    while (length < bytes) {
      const word = this.pick(words);
      parts.push(word);
      length += word.length + 1;
    }
    return parts.join(' ').slice(0, Math.max(1, bytes));
  }
}

const words =
  'please compare the quarterly figures of both regions and tell me which customers left because of late deliveries or prices'.split(
    ' ',
  );
