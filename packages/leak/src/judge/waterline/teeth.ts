import { parameters as p } from './parameters.ts';

/** The teeth of a level that rises and falls: how long and how high they were, and how low the level fell between them. */
export class Teeth {
  #drop = 0;
  #first = Number.NaN;
  #most = Number.NEGATIVE_INFINITY;
  /** Lows before the first tooth and before the present one, and the top of the present one. */
  #firstLow = Number.NaN;
  #low = Number.NaN;
  #top = Number.NaN;
  #begun = 0;
  #now = 0;
  /** Of the teeth that have ended. */
  #longest = 0;
  #highest = 0;
  #isFalling = false;

  /** Forgets all teeth. A fall by `drop` ends a tooth from now on. */
  begin(drop: number): void {
    this.#drop = drop;
    this.#first = Number.NaN;
    this.#most = Number.NEGATIVE_INFINITY;
    this.#longest = 0;
    this.#highest = 0;
    this.#isFalling = false;
  }

  /** From the first value to the highest. */
  get rise(): number {
    return Math.max(0, this.#most - this.#first);
  }

  add(t: number, value: number): void {
    this.#now = t;
    this.#most = Math.max(this.#most, value);
    if (Number.isNaN(this.#first)) {
      this.#first = this.#low = this.#top = value;
      this.#begun = t;
    } else if (value <= this.#top - this.#drop) this.#fall(t, value);
    else if (this.#isFalling && value <= this.#low + this.#drop / 2) this.#low = Math.min(this.#low, value);
    else this.#climb(value);
  }

  /** Whether the lows did not rise and the present tooth is like the others; false when none has ended. */
  get areFlat(): boolean {
    if (this.#longest === 0) return false;
    const isNew =
      this.#now - this.#begun > p.newTooth * this.#longest &&
      this.#top - this.#low > p.newTooth * this.#highest;
    return !isNew && this.#low - this.#firstLow < p.lowRise * this.rise;
  }

  #fall(t: number, value: number): void {
    if (!this.#isFalling) {
      if (this.#longest === 0) this.#firstLow = this.#low;
      this.#longest = Math.max(this.#longest, t - this.#begun);
      this.#highest = Math.max(this.#highest, this.#top - this.#low);
      this.#low = value;
    }
    this.#isFalling = true;
    this.#low = Math.min(this.#low, value);
    this.#top = this.#low + this.#drop;
    this.#begun = t;
  }

  #climb(value: number): void {
    this.#top = this.#isFalling ? value : Math.max(this.#top, value);
    this.#isFalling = false;
    if (this.#longest === 0) this.#low = Math.min(this.#low, value);
  }
}
