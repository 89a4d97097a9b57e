import { Walk } from '../../meter/walk.ts';
import { stringBytes } from '../../meter/string-bytes.ts';

/** Strings from this length on are texts: long enough to be worth a question, whereas equal short ones are mostly copies (paths, links). */
const textLength = 128;

/** A walk that asks about each text before it is charged. */
export class TextWalk extends Walk {
  readonly #owns: (text: string) => boolean;

  /** `owns` says whether the text is to be charged here. */
  constructor(chunk: number, owns: (text: string) => boolean) {
    super({ chunk });
    this.#owns = owns;
  }

  override string(text: string): void {
    if (text.length < textLength) super.string(text);
    else if (this.#owns(text)) this.leaf(stringBytes(text));
  }
}
