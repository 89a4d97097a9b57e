/** Strings shorter than this compare too fast for the difference to show. */
const tellableLength = 3;
/** From this length on a copy takes so much longer that it needs no other copy to be held against. */
const plainLength = 4096;
const rounds = 7;
/** Code that has not been compiled yet tells nothing; asking compiles it. */
const tries = 4;
const characters = 16_384;

/**
 * True when two equal strings are one object on the heap, as far as time can tell: comparing a string with itself does not look at its
 * characters, comparing it with a copy does. JavaScript has no other way to tell a shared system prompt from a thousand restored copies of
 * it. What a comparison takes hangs on how far V8 has compiled this code, so the question is whose time is nearer, that of the string
 * itself or that of a copy made here. Measured on a loaded machine with 128 characters: 2 to 3 ns for the same one, 9 to 13 ns for a copy,
 * 720 of 720 told apart but three. Shorter ones are taken for one. Node 26 makes equal strings one as soon as a Map has compared them, so
 * that there the answer is true and becomes true.
 */
export function isSameString(a: string, b: string): boolean {
  return tellSame(a, b) ?? true;
}

/** The same; undefined where not even a copy can be told from the string itself, as before V8 has compiled this code. */
function tellSame(a: string, b: string): boolean | undefined {
  if (a !== b) return false;
  if (a.length < tellableLength) return undefined;
  if (a.length >= plainLength) return compareMs(a, b) < 2 * compareMs(a, a) + a.length * 1e-8;
  const copy = structuredClone(a);
  // A moment's disturbance can make a copy look like the string itself, hardly twice; shared by mistake is worse than missed.
  const looks = looksSame(a, b, copy);
  return looks === true ? looksSame(a, b, copy) : looks;
}

/** Whether the time of `b` is nearer to that of the string itself than to that of a copy. */
function looksSame(a: string, b: string, copy: string): boolean | undefined {
  for (let i = 0; i < tries; i++) {
    const itself = compareMs(a, a);
    const other = compareMs(a, b);
    const copied = compareMs(a, copy);
    if (copied > 1.5 * itself) return other < (itself + copied) / 2;
  }
  return undefined;
}

function compareMs(a: string, b: string): number {
  return timeMs(a, [b, b, b, b, b, b, b, b]);
}

/**
 * Best of several rounds. What it is compared with comes in a list from outside, or optimised code would compare but once; and each turn
 * compares eight times without a branch, because what surrounds the comparison may take longer than the comparison itself.
 */
function timeMs(text: string, others: readonly string[]): number {
  const turns = Math.max(1, Math.min(32, Math.floor(characters / text.length / others.length)));
  const equal = others.map(() => false);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    for (let turn = 0; turn < turns; turn++) {
      equal[0] = text === others[0];
      equal[1] = text === others[1];
      equal[2] = text === others[2];
      equal[3] = text === others[3];
      equal[4] = text === others[4];
      equal[5] = text === others[5];
      equal[6] = text === others[6];
      equal[7] = text === others[7];
    }
    best = Math.min(best, performance.now() - start);
  }
  return equal.includes(true) ? best / turns / others.length : 0;
}

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

/**
 * Whether equal strings that a scope has twice are one string or copies, learned for scopes of one kind by the name under which they are met again: the id of a
 * record is mostly its key, too, while a word that was cut out of a text is a copy each time. The time of a comparison tells them apart.
 */
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
