/**
 * Which shapes of plain objects only one scope has: the keys that its objects were given, in their order.
 *
 * V8 makes a hidden class for each key that is added to an object, and keeps it for all objects that are given the same keys in the same
 * order. Where no other scope has such an object the class is the scope's own, and takes several times as much as the value: a record of
 * series by name, a form that is filled in in any order.
 */
import { isIdLike } from './string-bytes.ts';

/** Of the shape of one object, key by key. */
export interface ShapeReader {
  /** Begins with the next object. */
  start(): void;
  /** Goes on to the next key; true when the step to it has to be charged, because it is the scope's own and was not charged yet. */
  next(key: string): boolean;
  /** What objects of the shape that was gone through take beside their slots; it is measured once, and unknown where that fails. */
  storeBytes(measure: () => number | undefined): number | undefined;
}

/** Where no other scopes are known: keys that look like ids belong to one object. */
export const idsAsShapes: ShapeReader = {
  start: () => undefined,
  next: isIdLike,
  storeBytes: () => undefined,
};

/** Shapes that are remembered, at about 100 bytes each; further ones are taken for shared. */
const mostShapes = 20_000;
/** After so many walks a full memory is emptied and filled again: scopes that had many of the shapes have closed. */
const renewAfterWalks = 10_000;
/** So many scopes of a kind must have been walked before a shape that only one has counts as its own. */
const fewestScopes = 3;
const mostKinds = 1000;
const longestKey = 200;
const mostFailures = 3;

interface Holder {
  readonly state: 'open' | 'closed';
}

interface Shape {
  /** Undefined once several have it. */
  holder: Holder | undefined;
  /** The walk that charged it last. */
  walk: number;
  /** The last key that led on, which mostly is the next one, too, and the others. */
  key: string;
  next: Shape | undefined;
  others: Map<string, Shape> | undefined;
  storeBytes: number | undefined;
  /** Times that it could not be told. */
  failures: number;
}

interface Kind {
  last: Holder | undefined;
  scopes: number;
}

export class Shapes {
  #root: Shape = newShape(undefined);
  #kinds = new Map<string, Kind>();
  #count = 0;
  #walks = 0;
  #emptiedAt = 0;

  get retainedBytes(): number {
    return 100 * this.#count;
  }

  /** For the walk of one scope of a kind. */
  reader(group: string, holder: Holder): ShapeReader {
    if (this.#count >= mostShapes && this.#walks - this.#emptiedAt >= renewAfterWalks) this.forget();
    const isKnown = this.#countOf(group, holder) > fewestScopes;
    const walk = ++this.#walks;
    let at = this.#root;
    return {
      start: () => {
        at = this.#root;
      },
      next: (key) => {
        if (at === ownIds || key.length > longestKey || isIdLike(key)) {
          // Ids and texts are not remembered: they are many, and who remembers a key keeps it alive.
          at = ownIds;
          return true;
        }
        at = this.#step(at, key, holder);
        if (!isKnown || at.holder !== holder || at.walk === walk) return false;
        at.walk = walk;
        return true;
      },
      storeBytes: (measure) => {
        if (at.storeBytes === undefined && at !== ownIds && at !== unknown && at.failures < mostFailures) {
          at.storeBytes = measure();
          if (at.storeBytes === undefined) at.failures++;
        }
        return at.storeBytes;
      },
    };
  }

  #step(from: Shape, key: string, holder: Holder): Shape {
    let shape = from.next !== undefined && from.key === key ? from.next : from.others?.get(key);
    if (shape === undefined) {
      if (from === unknown || this.#count >= mostShapes) return unknown;
      shape = newShape(holder);
      this.#count++;
      if (from.next !== undefined)
        (from.others ??= new Map<string, Shape>([[from.key, from.next]])).set(key, shape);
    } else if (shape.holder !== undefined && shape.holder !== holder) {
      shape.holder = shape.holder.state === 'closed' ? holder : undefined;
    }
    from.key = key;
    from.next = shape;
    return shape;
  }

  #countOf(group: string, holder: Holder): number {
    let kind = this.#kinds.get(group);
    if (kind === undefined) {
      if (this.#kinds.size >= mostKinds) this.#kinds = new Map();
      kind = { last: undefined, scopes: 0 };
      this.#kinds.set(group, kind);
    }
    if (kind.last !== holder) kind.scopes++;
    kind.last = holder;
    return kind.scopes;
  }

  forget(): void {
    this.#root = newShape(undefined);
    this.#kinds = new Map();
    this.#count = 0;
    this.#emptiedAt = this.#walks;
  }
}

function newShape(holder: Holder | undefined): Shape {
  return { holder, walk: 0, key: '', next: undefined, others: undefined, storeBytes: undefined, failures: 0 };
}

/** After a key that is an id every step is the object's own. */
const ownIds: Shape = newShape(undefined);
/** Leads nowhere: of what comes after it no step is known, and all are taken for shared. */
const unknown: Shape = newShape(undefined);
