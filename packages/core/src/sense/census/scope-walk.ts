import { types } from 'node:util';
import type { GrownLists } from '../../meter/grown-lists.ts';
import { isListLink } from '../../meter/exotics.ts';
import { expand } from '../../meter/layout.ts';
import { expandInstance } from '../../meter/properties.ts';
import type { Shapes } from '../../meter/shapes.ts';
import type { UnknownKind } from '../../meter/walk.ts';
import type { Clock } from '../clock.ts';
import type { Fence, Owner } from './fence.ts';
import { hiderOf } from './hidden-classes.ts';
import type { Lens } from './lens.ts';
import { isSameString } from './same-string.ts';
import { TextWalk } from './text-walk.ts';
import type { LearnedStrings } from './text-walk.ts';

/** What the census knows of one scope. */
export interface CensusResult {
  /** Heap and external bytes of what only this scope reaches. */
  readonly bytes: number;
  /** The part of `bytes` outside the V8 heap: backing stores of buffers. */
  readonly external: number;
  /** Wall time of the measurement. */
  readonly at: number;
  /** The same moment on the monotonic clock. */
  readonly measuredAt: number;
  /** Objects visited. */
  readonly objects: number;
  /** True when the scope has more objects than are visited; `bytes` is then extrapolated from the part that was. */
  readonly truncated: boolean;
  /** Long strings found in pieces, which take several times their length until they are flattened. */
  readonly ropes: number;
  /** The truth lies between these two, apart from what `unseen` objects hide. */
  readonly low: number;
  readonly high: number;
  /** The part of `bytes` that is reached without looking into private fields and closures. */
  readonly visible: number;
  /** Objects that hide something which has not been looked at yet. */
  readonly unseen: number;
  /** Objects that were looked into one by one. What the census remembers of each hangs on it, so a snapshot charges it to the scope. */
  readonly opened: number;
  /** Objects whose insides nothing can show: generators, proxies, weak collections, promises that somebody waits for. */
  readonly unknown: number;
}

/** A scope to measure. Holds its marker's list of roots, which empties itself when the scope closes, and nothing else of the user's. */
export interface CensusTarget {
  readonly id: number;
  readonly kind: string;
  /** The kind with the class of the root: what such scopes hide and share is alike. */
  readonly group: string;
  readonly roots: readonly object[];
  readonly marker: Owner;
  /** Told when the scope has been measured. */
  readonly account?: { changed(): void };
}

export interface Learned extends LearnedStrings {
  readonly lists: GrownLists;
}

export interface ScopeWalkOptions {
  readonly maxObjects: number;
  readonly flatten: boolean;
  /** Looks into private fields and closures; without it what they hold stays unknown. */
  readonly lens?: Lens | undefined;
  /** What earlier walks learned about arrays that grow and about strings, by the kind of scope and root. */
  readonly learned?: (group: string) => Learned;
  /** The scope was not walked before. */
  readonly isFirst?: boolean;
  /** What they learned about shapes of objects. */
  readonly shapes?: Shapes;
}

interface Container {
  readonly node: object;
  /** Sum of the walk after the container itself was charged. */
  readonly base: number;
  done: number;
}

interface Opened {
  readonly node: object;
  /** Of the walk, when it was opened. */
  readonly before: number;
  readonly left: number;
  readonly unseen: number;
}

/** Elements of a container that one step looks at. */
const chunk = 64;
const objectsPerLook = 16;
/** A function that only this scope reaches is a closure, with a context that nothing shows; one variable takes this much. */
const leastContext = 40;
/** An object that added less than this is not asked whether it is a buffer. */
const bufferSize = 512;
/** Equal texts of one scope are mostly the same string (content and parts); from this length on it is worth the time to make sure. */
const doubtedLength = 1024;

/**
 * Share of the room that `push` leaves which a list is taken to have, by what hides it. A private field that begins empty can only be filled
 * by its class, entry by entry. A promise results in what was made at once.
 */
const sharesOfLists: Readonly<Record<ReturnType<typeof hiderOf>, number>> = {
  instance: 1,
  promise: 0,
  other: 0.5,
};

/** The walk over what one scope holds, in as many slices as it takes. Dropping it drops every reference it has. */
export class ScopeWalk {
  readonly target: CensusTarget;
  readonly #fence: Fence;
  readonly #options: ScopeWalkOptions;
  #walk: TextWalk;
  readonly #seen = new Set<object>();
  readonly #texts = new Map<string, string>();
  /** By the first value that they hold, variables that functions were found to share. */
  readonly #contexts = new Map<object, number>();
  /** True while a walk goes through what timers hold, which is left out. */
  #isElsewhere = false;
  #twins: Learned['twins'] | undefined;
  #wasElsewhere = false;
  readonly #containers: Container[] = [];
  #external = 0;
  #objects = 0;
  #ropes = 0;
  #truncated = false;
  #visible: number | undefined;
  #unseen = 0;
  #openedCount = 0;
  #hasChanged = false;
  /** Objects being looked into, one inside the other. */
  readonly #opened: Opened[] = [];

  constructor(target: CensusTarget, fence: Fence, options: ScopeWalkOptions) {
    this.target = target;
    this.#fence = fence;
    this.#options = options;
    this.#walk = this.#begin();
  }

  #begin(): TextWalk {
    const { id, roots, group, marker } = this.target;
    const { shapes, isFirst = false } = this.#options;
    const learned = this.#options.learned?.(group);
    learned?.joints.begin(isFirst);
    this.#twins = learned?.twins;
    this.#twins?.begin();
    const walk = new TextWalk(
      chunk,
      (text) => this.#ownsText(text),
      (slab) => this.#fence.isOnlyUser(slab, marker),
      learned?.lists,
      shapes?.reader(group, marker),
      learned,
      id,
    );
    for (const root of roots) {
      walk.markState(root);
      walk.pending.push(root);
    }
    return walk;
  }

  /**
   * Begins again when running timers were met. Node.js holds them and what they reach, so that closing the scope frees none of it and a
   * snapshot charges it to nobody.
   */
  #beginElsewhere(): boolean {
    const { timers } = this.#walk;
    if (timers.length === 0 || this.#wasElsewhere) return false;
    this.#wasElsewhere = true;
    this.#isElsewhere = true;
    this.#clear();
    this.#walk = new TextWalk(chunk, (text) => this.#ownsText(text));
    for (const root of this.target.roots) this.#seen.add(root);
    for (const timer of timers) expandInstance(timer, this.#walk, isListLink);
    return true;
  }

  /** What was seen stays seen, but nothing of it is charged. */
  #endElsewhere(): void {
    this.#isElsewhere = false;
    const texts = [...this.#texts];
    const seen = [...this.#seen];
    this.#clear();
    for (const [text, first] of texts) this.#texts.set(text, first);
    for (const object of seen) this.#seen.add(object);
    for (const root of this.target.roots) this.#seen.delete(root);
    this.#walk = this.#begin();
  }

  #clear(): void {
    this.#seen.clear();
    this.#texts.clear();
    this.#contexts.clear();
    this.#containers.length = 0;
    this.#opened.length = 0;
    this.#external = 0;
    this.#ropes = 0;
    this.#unseen = 0;
    this.#openedCount = 0;
    this.#visible = undefined;
  }

  /** Goes on until the deadline; true when the walk is over. */
  run(clock: Clock, deadlineMs: number): boolean {
    const isOver = this.#goOn(clock, deadlineMs);
    this.#walk.settle();
    return isOver;
  }

  #goOn(clock: Clock, deadlineMs: number): boolean {
    do {
      for (let i = 0; i < objectsPerLook; i++) {
        if (!this.#step()) return true;
      }
      if (this.#objects >= this.#options.maxObjects) {
        this.#truncated = true;
        return true;
      }
    } while (clock.monotonic() < deadlineMs);
    return false;
  }

  /** True when a root was found to hide something else than when it was looked into; what it hides now is looked at soon. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** Goes on until the deadline and extrapolates what is left. */
  finishBy(clock: Clock, deadlineMs: number): void {
    if (!this.run(clock, deadlineMs)) this.#truncated = true;
  }

  result(clock: Clock): CensusResult {
    const walk = this.#walk;
    walk.settle();
    const bytes = this.#truncated ? this.#extrapolated() : walk.bytes;
    const scale = bytes / Math.max(1, walk.bytes);
    return {
      bytes: Math.round(bytes),
      low: Math.round(walk.lo * scale),
      high: Math.round(walk.hi * scale),
      visible: Math.round((this.#visible ?? walk.bytes) * scale),
      unseen: this.#unseen,
      opened: this.#openedCount,
      unknown: unknownAmong(walk.unknown),
      external: Math.round(this.#external * scale),
      at: clock.now(),
      measuredAt: clock.monotonic(),
      objects: this.#objects,
      truncated: this.#truncated,
      ropes: this.#ropes,
    };
  }

  /** One object, or the next elements of the innermost open container; objects first, so that little is pending at any time. */
  #step(): boolean {
    const node = this.#walk.pending.pop();
    if (node === undefined) return this.#resume();
    const seen = this.#seen;
    const walk = this.#walk;
    const before = seen.size;
    seen.add(node);
    if (seen.size === before || this.#fence.bars(node, this.target.marker)) return true;
    const bytesBefore = walk.bytes;
    this.#objects++;
    expand(node, walk);
    if (walk.bytes - bytesBefore >= bufferSize) this.#noteExternal(node);
    if (walk.cursors.length > this.#containers.length)
      this.#containers.push({ node, base: walk.bytes, done: 0 });
    return true;
  }

  #resume(): boolean {
    const { cursors } = this.#walk;
    const cursor = cursors.pop();
    if (cursor === undefined) return this.#lookInside() || this.#turn();
    cursor.resume(this.#walk);
    if (cursors.length < this.#containers.length) this.#containers.pop();
    else (this.#containers.at(-1) as Container).done += chunk;
    return true;
  }

  /** At the end of one pass, begins the next; false when there is none. */
  #turn(): boolean {
    if (!this.#isElsewhere) return this.#beginElsewhere();
    this.#endElsewhere();
    return true;
  }

  /** Goes on with what the next object hides that was met; false when there is none left. */
  #lookInside(): boolean {
    const walk = this.#walk;
    const { lens } = this.#options;
    this.#visible ??= walk.bytes;
    if (lens === undefined) {
      this.#unseen += walk.hiding.splice(0).filter((node) => typeof node === 'function').length;
      return false;
    }
    for (;;) {
      this.#learn();
      const node = walk.hiding.pop();
      if (node === undefined) return false;
      const { group, roots } = this.target;
      const answer = lens.ask(node, group, {
        isRoot: roots.includes(node),
        itself: this.#isElsewhere,
        scopeBytes: walk.bytes,
      });
      if (answer === 'seen' || answer === 'changed') {
        if (answer === 'changed') this.#hasChanged = true;
        this.#open(node, lens);
        return true;
      }
      if (answer === 'unseen') {
        if (lens.lookNow(node, walk.hiding, group)) {
          walk.hiding.push(node);
          return true;
        }
        this.#unseen++;
        if (typeof node === 'function') walk.bytes += leastContext;
      } else if (answer !== 'nothing') {
        walk.bytes += answer.bytes;
        walk.below += Math.min(answer.bytes, answer.spread + (typeof node === 'function' ? leastContext : 0));
        walk.above += answer.spread;
      }
    }
  }

  #open(node: object, lens: Lens): void {
    const walk = this.#walk;
    this.#opened.push({ node, before: walk.bytes, left: walk.hiding.length, unseen: this.#unseen });
    this.#openedCount++;
    const hidden = lens.of(node);
    const own = this.#ownOf(node, hidden);
    walk.bytes += own;
    // Functions made together share their variables.
    if (typeof node === 'function') walk.below += own;
    const share = sharesOfLists[hiderOf(node)];
    for (const value of hidden?.values ?? []) {
      walk.markState(value, share);
      walk.pending.push(value);
    }
  }

  /** Functions made by one call share its variables, which are charged once. An object that nothing else refers to tells that they do. */
  #ownOf(node: object, hidden: ReturnType<Lens['of']>): number {
    const own = hidden?.bytes ?? 0;
    // What an iterator goes through is mostly charged already.
    if (types.isMapIterator(node) || types.isSetIterator(node))
      return hidden?.values.some((value) => !this.#seen.has(value)) === true ? own : 0;
    if (typeof node !== 'function' || hidden === undefined) return own;
    const { values } = hidden;
    if (values.some((value) => this.#contexts.get(value) === own)) return 0;
    const mark = values.find((value) => !this.#seen.has(value));
    if (mark !== undefined) this.#contexts.set(mark, own);
    return own;
  }

  /** Tells the lens what objects added that were looked into, with what lies behind further hidden things, once all of it was seen. */
  #learn(): void {
    const { bytes, hiding } = this.#walk;
    for (let last = this.#opened.at(-1); last !== undefined; last = this.#opened.at(-1)) {
      if (hiding.length > last.left) return;
      this.#opened.pop();
      if (this.#unseen === last.unseen && !this.#isElsewhere && this.#twins?.isUnsure !== true)
        this.#options.lens?.learn(
          last.node,
          this.target.group,
          bytes - last.before,
          this.target.roots.includes(last.node),
        );
    }
  }

  #noteExternal(node: object): void {
    if (types.isAnyArrayBuffer(node)) this.#external += node.byteLength;
  }

  /** A text that several scopes share is nobody's, and one that the scope refers to twice (content and parts) is charged once. */
  #ownsText(text: string): boolean {
    if (this.#options.flatten && flattenTimed(text)) this.#ropes++;
    if (this.#fence.barsText(text)) return false;
    const first = this.#texts.get(text);
    if (first === undefined) {
      this.#texts.set(text, text);
      return true;
    }
    return text.length >= doubtedLength && !isSameString(first, text);
  }

  /** Containers cut short are taken to go on as they began, the innermost first; elements still pending have not been counted yet. */
  #extrapolated(): number {
    let bytes = this.#walk.bytes;
    let pending = this.#walk.pending.length;
    for (const { node, base, done } of this.#containers.toReversed()) {
      const open = Math.min(pending, chunk - 1);
      pending -= open;
      const counted = done - open;
      const size = sizeOf(node);
      if (counted > 0 && size > counted) bytes += ((bytes - base) / counted) * (size - counted);
    }
    return bytes;
  }
}

function unknownAmong(counts: TextWalk['unknown']): number {
  const of = (kind: UnknownKind): number => counts.get(kind) ?? 0;
  return of('native') + of('promise') + of('proxy') + of('weak');
}

/** Elements of a container, without running user code. */
export function sizeOf(node: object): number {
  if (Array.isArray(node)) return node.length;
  if (types.isMap(node) || types.isSet(node)) {
    return Reflect.get(types.isMap(node) ? Map.prototype : Set.prototype, 'size', node) as number;
  }
  return Object.keys(node).length;
}

/** Longer strings are left as they are, because flattening one would not fit into a slice. */
const maxFlattenChars = 256 * 1024;

let sink = 0;

/**
 * Flattens a string and says whether it was a rope.
 *
 * Text built by `s += delta` is a tree of its pieces and takes up to seven times its length (measured: 7.2 times for 1,000 deltas, 1.17
 * after flattening). Reading a character makes V8 join the pieces; the first read of a rope of 1,024 characters takes over a microsecond,
 * of a flat string 0.05 to 0.2. Nothing but memory changes for the owner. Committing text flat (`flatten` of the meter) saves the detour.
 */
export function flattenTimed(text: string): boolean {
  const { length } = text;
  if (length > maxFlattenChars) return false;
  const start = performance.now();
  // The result has to be used, or optimised code leaves the read out.
  sink = (sink + text.charCodeAt(length >> 1)) | 0;
  const elapsedMs = performance.now() - start;
  return length >= 1024 && elapsedMs > 0.0006 + length * 1e-7;
}
