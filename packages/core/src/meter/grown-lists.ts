/**
 * Which arrays grow by `push`, and which maps replace their entries, learned from walk to walk.
 *
 * An array that was pushed to has room for half of its length more, and 17 slots at least; one that was made at once has none. Nothing shows
 * how many slots an array has. But an array that is longer than at the last walk was pushed to, and so were mostly those that other objects
 * have under the same name. So the lengths of some arrays per name are remembered, and one that grew tells about all of that name.
 *
 * The table of a map keeps the slots of deleted entries until it is full. A map from which as many are deleted as are set (a window, an LRU)
 * comes to rest with twice the slots that it needs, once all that were free are used up. It is known by a first key that is another one than
 * at the last walk.
 */

/** Arrays of one name whose lengths are remembered at a time. */
const mostFollowed = 256;
/** After so many arrays of a name others are followed, because the first ones may be gone. */
const renewAfter = 2048;
/** Names that are remembered; then all are forgotten and learned again. */
const mostNames = 500;

const markedChars = 64;

interface ListName {
  isGrown: boolean;
  followed: number;
  met: number;
}

interface FirstKey {
  /** Of the first key at the last walk. */
  mark: number;
  /** Walks that found another one. */
  changes: number;
}

/** The arrays and maps of scopes of one kind. */
export class GrownLists {
  /** Length at the last walk. Negative once the array grew: then the most that it ever had. */
  readonly #lengths = new WeakMap<object, number>();
  #names = new Map<string, ListName>();
  readonly #firstKeys = new WeakMap<object, FirstKey>();

  /** Length for which the array has room as far as is known, if it grows; undefined while nothing says that it does. */
  grownLength(array: readonly unknown[], name: string, isFollowed: boolean): number | undefined {
    const record = this.#recordOf(name);
    const { length } = array;
    const known = this.#lengths.get(array);
    if (known === undefined) this.#follow(array, record, isFollowed);
    else if (known < 0) this.#lengths.set(array, Math.min(known, -length));
    else if (length > known) {
      record.isGrown = true;
      this.#lengths.set(array, -length);
    }
    if (!record.isGrown) return undefined;
    return known !== undefined && known < 0 ? Math.max(length, -known) : length;
  }

  /** Whether so many entries of a map were replaced that its table has no free slot left of those that it needs. */
  isReplaced(map: object, size: number, firstKey: unknown): boolean {
    const mark = markOf(firstKey);
    const known = this.#firstKeys.get(map);
    if (known === undefined) this.#firstKeys.set(map, { mark, changes: 0 });
    else if (known.mark !== mark) {
      known.mark = mark;
      known.changes++;
    }
    // Between two walks that find another first key one entry at least was replaced.
    return known !== undefined && known.changes > freeSlots(size);
  }

  #follow(array: readonly unknown[], record: ListName, isFollowed: boolean): void {
    if (++record.met % renewAfter === 0) record.followed = 0;
    if (record.followed >= mostFollowed && !isFollowed) return;
    record.followed++;
    this.#lengths.set(array, array.length);
  }

  #recordOf(name: string): ListName {
    let record = this.#names.get(name);
    if (record !== undefined) return record;
    if (this.#names.size >= mostNames) this.#names = new Map();
    record = { isGrown: false, followed: 0, met: 0 };
    this.#names.set(name, record);
    return record;
  }
}

function freeSlots(size: number): number {
  let capacity = 4;
  while (capacity < size) capacity *= 2;
  return capacity - size;
}

/** Tells one key from another in most cases, and keeps neither alive. */
function markOf(key: unknown): number {
  if (typeof key === 'number') return Math.abs(key);
  if (typeof key !== 'string') return 0;
  let mark = key.length;
  for (let i = Math.max(0, mark - markedChars); i < key.length; i++) {
    mark = (Math.imul(mark, 31) + key.charCodeAt(i)) >>> 0;
  }
  return mark;
}
