import { expand } from '../../meter/layout.ts';
import type { Clock } from '../clock.ts';
import type { Fence } from './fence.ts';
import type { Lens } from './lens.ts';
import { isSameString } from './same-string.ts';
import type { CensusTarget } from './scope-walk.ts';
import { Walk } from '../../meter/walk.ts';
import { textLength } from './text-walk.ts';

/** Scopes of one kind that are sampled. */
export const samplesPerKind = 8;
const chunk = 64;
const maxObjectsPerScope = 20_000;
const maxObjects = 60_000;
const objectsPerLook = 16;
/** A comparison of two strings by time is wrong once in some hundred times on a busy machine, so that one alone decides only unopposed. */
const enoughSame = 2;

/** A text that a sample has, with what comparisons with those of other samples said. */
interface KnownText {
  readonly id: number;
  readonly text: string;
  same: number;
  isCopied: boolean;
}

/** Goes by objects and texts. It does not read short strings: the first read of one tells whether it is in pieces. */
class SharedWalk extends Walk {
  readonly hiding: object[] = [];
  readonly #note: (text: string) => void;

  constructor(note: (text: string) => void) {
    super({ chunk });
    this.#note = note;
  }

  override hides(node: object): void {
    this.hiding.push(node);
  }

  override string(text: string): void {
    if (text.length >= textLength) this.#note(text);
  }

  override slab(): void {}
}

/**
 * Finds what scopes share by walking a sample of them: an object or long string reached from two of them belongs to neither.
 * It keeps the sampled objects alive for as long as it runs, which at the usual budget is a fraction of a second.
 */
export class SharedFinder {
  readonly #fence: Fence;
  readonly #lens: Lens | undefined;
  readonly #scopes: readonly CensusTarget[];
  /** Those that were not walked yet. */
  readonly #samples: CensusTarget[];
  readonly #owners = new Map<object, number>();
  readonly #texts = new Map<string, KnownText>();
  /** Those that were found the same once. */
  readonly #once: KnownText[] = [];
  #walk: SharedWalk;
  #current: CensusTarget | undefined;
  #visited = 0;

  constructor(samples: readonly CensusTarget[], fence: Fence, lens: Lens | undefined) {
    this.#fence = fence;
    this.#lens = lens;
    this.#scopes = samples;
    this.#samples = [...samples];
    this.#walk = this.#newWalk();
  }

  /** True when all its scopes have closed, and what it keeps alive tells nothing any more. */
  get isVoid(): boolean {
    return this.#scopes.every(({ marker }) => marker.state === 'closed');
  }

  /** Goes on until the deadline; true when every sample has been walked. */
  run(clock: Clock, deadlineMs: number): boolean {
    do {
      for (let i = 0; i < objectsPerLook; i++) {
        if (!this.#step()) return true;
      }
    } while (clock.monotonic() < deadlineMs);
    return false;
  }

  #step(): boolean {
    const walk = this.#walk;
    const current = this.#current;
    if (current === undefined || this.#visited >= maxObjectsPerScope || current.marker.state === 'closed') {
      return this.#nextSample();
    }
    const node = walk.pending.pop();
    if (node !== undefined) this.#visit(node, current);
    else {
      const cursor = walk.cursors.pop();
      if (cursor === undefined) return this.#nextSample();
      cursor.resume(walk);
    }
    return true;
  }

  #nextSample(): boolean {
    this.#current = this.#owners.size < maxObjects ? this.#samples.pop() : undefined;
    if (this.#current === undefined) {
      for (const { text, same, isCopied } of this.#once)
        if (same < enoughSame && !isCopied) this.#fence.shareText(text);
      return false;
    }
    this.#visited = 0;
    this.#walk = this.#newWalk();
    for (const root of this.#current.roots) this.#walk.pending.push(root);
    return true;
  }

  #visit(node: object, { id, marker }: CensusTarget): void {
    // The root of another scope is its own, whoever refers to it.
    if (this.#fence.isOfOther(node, marker)) return;
    const owner = this.#owners.get(node);
    if (owner !== undefined) {
      if (owner !== id) this.#fence.share(node);
      return;
    }
    this.#owners.set(node, id);
    // What is known to be shared has to be seen again to stay so, but not what lies behind it.
    if (this.#fence.bars(node, marker)) return;
    this.#visited++;
    expand(node, this.#walk);
    this.#followHidden();
  }

  /** What private fields and closures are known to hold can be shared as well: a closure often refers to the program around it. */
  #followHidden(): void {
    const { hiding, pending } = this.#walk;
    for (const node of hiding.splice(0)) {
      for (const value of this.#lens?.of(node)?.values ?? []) pending.push(value);
    }
  }

  #newWalk(): SharedWalk {
    return new SharedWalk((text) => this.#noteText(text));
  }

  /** A text is shared when samples have the same string; equal ones may be copies that each of them has for itself. */
  #noteText(text: string): void {
    const id = this.#current?.id ?? -1;
    const known = this.#texts.get(text);
    if (known === undefined) this.#texts.set(text, { id, text, same: 0, isCopied: false });
    else if (known.id !== id && known.same < enoughSame) {
      if (!isSameString(known.text, text)) known.isCopied = true;
      else if (++known.same === enoughSame) this.#fence.shareText(text);
      else this.#once.push(known);
    }
  }
}
