/**
 * Which strings were put together by `+` or a template, learned from samples by the name under which they are held.
 *
 * Such a string keeps a joint of 32 bytes beside its characters once something has read it. Nothing shows the joint, but the first read of a
 * string in pieces allocates its characters. So a few strings of each name are read for the first time between two looks at the heap. A
 * string that was read before tells nothing, so that strings in one piece only count in scopes that were not walked before.
 */
import { allocatedOnce } from './heap-growth.ts';
import { stringHeader } from './rules.ts';
import { flatten, isOneByte } from './string-bytes.ts';

/** Strings of a name that are asked before it is believed, and one in how many after that. */
const fewestAsked = 4;
const mostAsked = 12;
const reviewEvery = 64;
/** A reading takes 1 to 2 µs. */
const mostPerFirstWalk = 16;
const mostPerWalk = 4;
const mostNames = 500;
/** Strings of a name are mostly made in one way, and now and then a reading is disturbed. */
const disturbed = 0.2;

const warmUps = 20;
let warmed = 0;

interface Name {
  /** Strings that told whether they were put together, and those that were. */
  asked: number;
  joined: number;
  met: number;
}

/** Of the strings of scopes of one kind. */
export class Joints {
  #names = new Map<string, Name>();
  #left = 0;
  #isFirst = false;

  /** Begins the walk of one scope. */
  begin(isFirst: boolean): void {
    this.#isFirst = isFirst;
    this.#left = isFirst ? mostPerFirstWalk : mostPerWalk;
  }

  /** Share of the strings of this name that have a joint; undefined while too few were asked. The text must not have been read in this walk. */
  shareOf(name: string, text: string): number | undefined {
    const record = this.#recordOf(name);
    const enough = this.#isFirst ? mostAsked : fewestAsked;
    if (this.#isAsked(record, record.asked >= enough)) {
      const isJoined = allocatesCopy(text, () => flatten(text));
      if (this.#isFirst || (isJoined && record.asked < enough)) {
        record.asked++;
        if (isJoined) record.joined++;
      }
    }
    if (record.asked < fewestAsked) return undefined;
    const share = record.joined / record.asked;
    return share < disturbed ? 0 : share > 1 - disturbed ? 1 : share;
  }

  #isAsked(record: Name, isKnown: boolean): boolean {
    if (this.#left <= 0 || (isKnown && ++record.met % reviewEvery !== 0)) return false;
    this.#left--;
    return true;
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

/** Whether work allocates as much as the characters of a text take. Anything else is the work of somebody else. */
function allocatesCopy(text: string, work: () => void): boolean {
  // Code that runs for the first times allocates for itself. The text is read by that.
  for (; warmed < warmUps; warmed++) allocatedOnce(() => flatten(text));
  const bytes = allocatedOnce(work);
  const size = stringHeader + (isOneByte(text) ? 1 : 2) * text.length;
  return bytes === Math.ceil(size / 8) * 8;
}
