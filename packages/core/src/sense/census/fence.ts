const maxObjects = 20_000;
const maxTexts = 256;
const maxTextChars = 512 * 1024;
const generations = 8;

/** The marker of a scope, which tells a closed one; it holds nothing of the user's then. */
export interface Owner {
  readonly state: 'open' | 'closed';
  /** Of the scope, where it is known. */
  readonly path?: string;
}

/**
 * Where a walk stops: at roots of other scopes, and at what several scopes share, which belongs to none of them.
 *
 * Objects are held weakly. Strings cannot be; the few that are known to be shared (a system prompt) are held until the next generation,
 * bounded by number and by length. An object that nobody found shared again for eight generations counts as unshared.
 */
export class Fence {
  /** The owner of a root, or the generation in which an object was last found shared. */
  #marks = freshMarks();
  #texts = new Set<string>();
  #lengths = new Set<number>();
  #nextTexts = new Set<string>();
  #textChars = 0;
  #generation = 1;
  #objectCount = 0;
  #epoch = 0;

  /** Shared objects found since the marks were last thrown away. */
  get objects(): number {
    return this.#objectCount;
  }

  /** Changes when the marks are thrown away. Roots have to be claimed again then. */
  get epoch(): number {
    return this.#epoch;
  }

  get textCount(): number {
    return this.#texts.size;
  }

  /** Bytes the fence keeps alive: its table and the shared strings. */
  get retainedBytes(): number {
    let chars = 0;
    for (const text of this.#texts) chars += text.length;
    return 48 * this.#objectCount + chars + 4096;
  }

  /** True when the object is not the scope's own: shared, or the root of another open scope. */
  bars(node: object, owner: Owner): boolean {
    const mark = this.#marks.get(node);
    if (mark === undefined || mark === owner) return false;
    return typeof mark === 'number' ? this.#generation - mark <= generations : mark.state === 'open';
  }

  isOfOther(node: object, owner: Owner): boolean {
    const mark = this.#marks.get(node);
    return typeof mark === 'object' && mark !== owner && mark.state === 'open';
  }

  /** Says that this object is a root of the scope; of several open scopes the first to claim it has it. */
  claim(node: object, owner: Owner): void {
    const mark = this.#marks.get(node);
    if (typeof mark !== 'object' || mark.state === 'closed') this.#marks.set(node, owner);
  }

  /** Whether no other open scope has a piece of this slab of buffers, and Buffer takes no more pieces from it. */
  isOnlyUser(slab: object, user: Owner): boolean {
    const mark = this.#marks.get(slab);
    if (mark === undefined || (typeof mark === 'object' && mark.state === 'closed'))
      this.#marks.set(slab, user);
    else if (mark !== user) {
      this.#marks.set(slab, this.#generation);
      return false;
    }
    return Buffer.allocUnsafe(1).buffer !== slab;
  }

  share(node: object): void {
    const mark = this.#marks.get(node);
    if (typeof mark === 'object' && mark.state === 'open') return;
    if (mark === undefined) {
      // Full: what was learned is dropped as a whole and learned again.
      if (this.#objectCount >= maxObjects) this.#forget();
      this.#objectCount++;
    }
    this.#marks.set(node, this.#generation);
  }

  shareText(text: string): void {
    if (this.#nextTexts.size >= maxTexts || this.#textChars + text.length > maxTextChars) return;
    this.#nextTexts.add(text);
    this.#textChars += text.length;
  }

  /** True for a string that several scopes share. The length is compared first, because hashing a long string takes time. */
  barsText(text: string): boolean {
    return this.#lengths.has(text.length) && this.#texts.has(text);
  }

  /** Ends a round of discovery. Strings found in it replace the former ones. */
  turn(): void {
    this.#texts = this.#nextTexts;
    this.#lengths = new Set([...this.#texts].map((text) => text.length));
    this.#nextTexts = new Set();
    this.#textChars = 0;
    this.#generation++;
  }

  #forget(): void {
    this.#marks = freshMarks();
    this.#epoch++;
    this.#objectCount = 0;
  }
}

/** The whole program can be reached from these two. */
function freshMarks(): WeakMap<object, Owner | number> {
  return new WeakMap<object, Owner | number>([
    [globalThis, Number.POSITIVE_INFINITY],
    [process, Number.POSITIVE_INFINITY],
  ]);
}
