/**
 * Which strings were put together by `+` or a template, learned from samples by the name under which they are held.
 *
 * Such a string keeps a joint of 32 bytes beside its characters once something has read it. Nothing shows the joint, but the first read of a
 * string in pieces allocates its characters. So a few strings of each name are read for the first time between two looks at the heap. A
 * string that was read before tells nothing, and therefore only scopes are asked that were not walked before.
 */
import { allocatedOnce } from './heap-growth.ts';
import { stringHeader } from './rules.ts';
import { flatten, isOneByte } from './string-bytes.ts';

/** Strings of a name that are asked before it is believed, and one in how many after that. */
const fewestAsked = 4;
const mostAsked = 12;
const reviewEvery = 64;
/** A reading takes 1 to 2 µs. */
const mostPerWalk = 16;
const mostNames = 500;
/** Sizes are rounded up to words. */
const tolerance = 16;

const warmUps = 20;
let warmed = 0;

interface Name {
  asked: number;
  joined: number;
  met: number;
}

/** Of the strings of scopes of one kind. */
export class Joints {
  #names = new Map<string, Name>();
  #left = 0;

  /** Begins the walk of one scope. */
  begin(isFirst: boolean): void {
    this.#left = isFirst ? mostPerWalk : 0;
  }

  /** Share of the strings of this name that have a joint; undefined while too few were asked. The text must not have been read in this walk. */
  shareOf(name: string, text: string): number | undefined {
    const record = this.#recordOf(name);
    if (this.#left > 0 && (record.asked < mostAsked || ++record.met % reviewEvery === 0))
      this.#ask(record, text);
    return record.asked < fewestAsked ? undefined : record.joined / record.asked;
  }

  #ask(record: Name, text: string): void {
    this.#left--;
    // Code that runs for the first times allocates for itself.
    for (; warmed < warmUps; warmed++) allocatedOnce(() => flatten(text));
    if (warmed === warmUps) {
      // This text was read by that.
      warmed++;
      return;
    }
    const bytes = allocatedOnce(() => flatten(text));
    if (bytes === undefined) return;
    record.asked++;
    // Anything else is the work of somebody else: of V8, which notes how this code runs, for instance.
    const size = stringHeader + (isOneByte(text) ? 1 : 2) * text.length;
    if (bytes >= size && bytes <= size + tolerance) record.joined++;
  }

  #recordOf(name: string): Name {
    let record = this.#names.get(name);
    if (record !== undefined) return record;
    if (this.#names.size >= mostNames) this.#names = new Map();
    record = { asked: 0, joined: 0, met: 0 };
    this.#names.set(name, record);
    return record;
  }
}
