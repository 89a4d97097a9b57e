import type { GrownLists } from '../../meter/grown-lists.ts';
import { joinedString } from '../../meter/rules.ts';
import type { ShapeReader } from '../../meter/shapes.ts';
import { Walk } from '../../meter/walk.ts';
import { isSharedWord, looksJoined, stringBytes } from '../../meter/string-bytes.ts';

/** Strings from this length on are texts: long enough to be worth a question, whereas equal short ones are mostly copies (paths, links). */
const textLength = 128;

/** V8 looks strings of one or two characters up in a table, whichever way they are made. */
const sharedLength = 2;

/** A walk that asks about each text before it is charged, and expects of the rest what sessions of real programs mostly hold. */
export class TextWalk extends Walk {
  /** Objects that may hide something, in the order they were met. */
  readonly hiding: object[] = [];
  /** The lists that sessions keep in maps were collected one by one. */
  protected override readonly mapListShare = 1;
  readonly #owns: (text: string) => boolean;

  /** `owns` says whether the text is to be charged here. */
  constructor(chunk: number, owns: (text: string) => boolean, lists?: GrownLists, shapes?: ShapeReader) {
    super({ chunk, lists, shapes });
    this.#owns = owns;
  }

  override hides(node: object): void {
    this.hiding.push(node);
  }

  /**
   * Short words in lists are data (cells of a table, words of a text), each mostly a string of its own. In properties they are mostly one of
   * a few constants that all objects share.
   */
  override element(value: unknown): void {
    if (typeof value !== 'string' || value.length <= sharedLength || !isSharedWord(value)) {
      this.value(value);
      return;
    }
    const bytes = stringBytes(value);
    this.leaf(bytes);
    this.below += bytes;
  }

  /** Half of the strings that look put together have a joint: the collector removes some. */
  override joint(text: string): void {
    super.joint(text);
    if (!looksJoined(text)) return;
    const expected = joinedString / 2;
    this.leaf(expected);
    this.below += expected;
    this.above -= expected;
  }

  override string(text: string): void {
    if (text.length <= sharedLength) return;
    if (text.length < textLength) super.string(text);
    else if (this.#owns(text)) {
      this.leaf(stringBytes(text));
      this.above += joinedString;
    }
  }
}
