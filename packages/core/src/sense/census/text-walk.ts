import type { GrownLists } from '../../meter/grown-lists.ts';
import type { Joints } from '../../meter/joints.ts';
import { joinedString } from '../../meter/rules.ts';
import type { ShapeReader } from '../../meter/shapes.ts';
import { joinedLength, keysAreNames, Walk } from '../../meter/walk.ts';
import type { KnownWords } from './known-words.ts';
import type { Twins } from './same-string.ts';
import {
  internedLength,
  isIdLike,
  isSharedWord,
  isUuid,
  looksJoined,
  stringBytes,
} from '../../meter/string-bytes.ts';

/** Strings from this length on are texts: long enough to be worth a question, whereas equal short ones are mostly copies (paths, links). */
export const textLength = 128;

/** What walks of scopes of one kind taught about their strings. */
export interface LearnedStrings {
  readonly joints: Joints;
  readonly twins: Twins;
  readonly words: KnownWords;
}

/** Where nothing is known, a string of this length or more that a scope has twice is one: an id, a text that is in a message and in its parts. */
const onceLength = 20;

/** V8 looks strings of one or two characters up in a table, whichever way they are made. */
const sharedLength = 2;

/** A walk that asks about each text before it is charged, and expects of the rest what sessions of real programs mostly hold. */
export class TextWalk extends Walk {
  /** Objects that may hide something, in the order they were met. */
  readonly hiding: object[] = [];
  /** The lists that sessions keep in maps were collected one by one. */
  protected override readonly mapListShare = 1;
  /** Timers that run. */
  readonly timers: object[] = [];
  readonly #owns: (text: string) => boolean;
  readonly #ownsSlab: ((slab: ArrayBufferLike) => boolean) | undefined;
  /** Short strings that were met, by themselves. */
  readonly #met = new Map<string, string>();
  readonly #learned: LearnedStrings | undefined;
  readonly #scope: number;
  /** Of the string that is looked at. */
  #jointShare: number | undefined;

  /** `owns` says whether the text is to be charged here. */
  constructor(
    chunk: number,
    owns: (text: string) => boolean,
    ownsSlab?: (slab: ArrayBufferLike) => boolean,
    lists?: GrownLists,
    shapes?: ShapeReader,
    learned?: LearnedStrings,
    scope = 0,
  ) {
    super({ chunk, lists, shapes });
    this.#learned = learned;
    this.#scope = scope;
    this.#owns = owns;
    this.#ownsSlab = ownsSlab;
  }

  /** A slab of which only this scope has pieces is kept alive by them as a whole; one that others use as well is nobody's. */
  override slab(buffer: ArrayBufferLike, bytes: number): void {
    if (this.#ownsSlab === undefined) return;
    if (this.#ownsSlab(buffer)) this.pending.push(buffer);
    else this.above += bytes;
  }

  override isHeldByNode(timer: object): boolean {
    const { _destroyed: ended, _idleNext: next } = timer as { _destroyed?: unknown; _idleNext?: unknown };
    if (ended === true || next === null || next === undefined) return false;
    this.timers.push(timer);
    return true;
  }

  override hides(node: object): void {
    this.hiding.push(node);
  }

  /**
   * Short words in lists are data (cells of a table, words of a text), each mostly a string of its own, unless those that are there twice are
   * one. In properties they are mostly one of a few constants that all objects share.
   */
  override element(value: unknown): void {
    if (typeof value !== 'string' || value.length <= sharedLength || !isSharedWord(value)) {
      this.value(value);
      return;
    }
    if (this.#isMetAgain(value) || this.#learned?.twins.known(this.place) === true) return;
    this.#word(value);
  }

  #word(text: string): void {
    const bytes = stringBytes(text);
    this.leaf(bytes);
    this.below += bytes;
  }

  /** True for a string that was met before in this walk and is one with that. */
  #isMetAgain(text: string): boolean {
    const first = this.#met.get(text);
    if (first === undefined) {
      this.#met.set(text, text);
      return false;
    }
    return this.#learned?.twins.areOne(this.place, first, text) ?? text.length >= onceLength;
  }

  /** Where no sample tells, half of the strings that look put together have a joint: the collector removes some. */
  override joint(text: string): void {
    super.joint(text);
    const share = this.#jointShare ?? (looksJoined(text) ? 0.5 : 0);
    // An UUID was charged with one.
    const expected = joinedString * (isUuid(text) ? (this.#jointShare ?? 1) - 1 : share);
    if (expected === 0) return;
    this.leaf(expected);
    this.below += Math.max(0, expected);
    this.above -= expected;
  }

  /** The name of a property: that of an id is the object's own, others are mostly used elsewhere, too. V8 has each but once. */
  override name(text: string): void {
    if (!isIdLike(text)) {
      super.name(text);
      return;
    }
    if (this.#met.has(text)) return;
    this.#met.set(text, text);
    // A name has no joint.
    const bytes = stringBytes(text) - (isUuid(text) ? joinedString : 0);
    this.leaf(bytes);
    this.below += bytes;
  }

  override string(text: string): void {
    const { length } = text;
    if (length <= sharedLength) return;
    if (length >= textLength) {
      if (!this.#owns(text)) return;
      this.leaf(stringBytes(text));
      this.above += joinedString;
      return;
    }
    const { place } = this;
    // Asked before anything reads the string.
    this.#jointShare = length >= joinedLength ? this.#learned?.joints.shareOf(place, text) : undefined;
    // By being met it becomes a name, to which what was put together leads until the collector has replaced it.
    if (keysAreNames && this.#jointShare !== undefined) this.#jointShare /= 2;
    const isNew = !this.#met.has(text);
    if (this.#isMetAgain(text)) return;
    // Words that are there twice and are copies are no constants.
    const areOne = this.#learned?.twins.known(place);
    if (areOne === true && length <= internedLength && this.#learned?.words.isOfOthers(text, this.#scope))
      return;
    const isCopy = !isNew && areOne === false;
    if (isCopy && isSharedWord(text)) this.#word(text);
    else super.string(text);
  }
}
