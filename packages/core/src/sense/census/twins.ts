import { tellSame } from './same-string.ts';

/**
 * Whether equal strings that a scope has twice are one string or copies, learned by the name under which they are met again: the id of a
 * record is mostly its key, too, while a word that was cut out of a text is a copy each time. The time of a comparison tells them apart.
 */

/** Pairs of a name that are compared before it is believed, and one in how many after that. */
const fewestAsked = 3;
const mostAsked = 6;
const reviewEvery = 128;
/** A comparison takes some 10 µs. */
const mostPerWalk = 4;
const mostNames = 500;

/** Times that a comparison may tell nothing, as before V8 has compiled it. */
const mostTries = 200;

/** The first comparisons are made by code that V8 has not compiled yet. */
const warmUps = 8;
let compared = 0;

interface Name {
  tries: number;
  asked: number;
  same: number;
  met: number;
}

/** Of the strings of scopes of one kind. */
export class Twins {
  #names = new Map<string, Name>();
  #left = 0;
  #isUnsure = false;

  /** Begins the walk of one scope. */
  begin(): void {
    this.#left = mostPerWalk;
    this.#isUnsure = false;
  }

  /** Whether two equal strings are one; undefined while nothing is known of those of this name. */
  areOne(name: string, first: string, second: string): boolean | undefined {
    const record = this.#recordOf(name);
    if (this.#left > 0 && (record.asked < mostAsked || ++record.met % reviewEvery === 0)) {
      this.#left--;
      record.tries++;
      const isOne = tellSame(first, second);
      if (++compared <= warmUps) record.tries--;
      else if (isOne !== undefined) record.asked++;
      if (isOne === true && compared > warmUps) record.same++;
    }
    if (record.asked < fewestAsked && record.tries < mostTries) this.#isUnsure = true;
    return this.known(name);
  }

  /** True when something was asked in this walk that will be known later. */
  get isUnsure(): boolean {
    return this.#isUnsure;
  }

  known(name: string): boolean | undefined {
    const record = this.#names.get(name);
    return record === undefined || record.asked < fewestAsked ? undefined : 2 * record.same >= record.asked;
  }

  #recordOf(name: string): Name {
    let record = this.#names.get(name);
    if (record !== undefined) return record;
    if (this.#names.size >= mostNames) this.#names = new Map();
    record = { tries: 0, asked: 0, same: 0, met: 0 };
    this.#names.set(name, record);
    return record;
  }
}
