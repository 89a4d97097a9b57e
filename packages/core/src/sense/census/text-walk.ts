import { joinedString } from '../../meter/rules.ts';
import { Walk } from '../../meter/walk.ts';
import { stringBytes } from '../../meter/string-bytes.ts';

/** Strings from this length on are texts: long enough to be worth a question, whereas equal short ones are mostly copies (paths, links). */
const textLength = 128;

/** A walk that asks about each text before it is charged. */
export class TextWalk extends Walk {
  /** Objects that may hide something, in the order they were met. */
  readonly hiding: object[] = [];
  readonly #owns: (text: string) => boolean;

  /** `owns` says whether the text is to be charged here. */
  constructor(chunk: number, owns: (text: string) => boolean, lengths?: WeakMap<object, number>) {
    super({ chunk, ...(lengths !== undefined && { lengths }) });
    this.#owns = owns;
  }

  override hides(node: object): void {
    this.hiding.push(node);
  }

  override string(text: string): void {
    if (text.length < textLength) super.string(text);
    else if (this.#owns(text)) {
      this.leaf(stringBytes(text));
      this.above += joinedString;
    }
  }
}
