/**
 * Which objects are looked into next: roots of scopes first, for all that their scopes hold may be behind them, then objects of classes of
 * which little is known, then others, class by class in turn.
 *
 * Of each class a random sample of those that were met waits. The first ones of a walk are mostly the youngest, which hide less.
 */
import { isMeasured } from './hidden-classes.ts';
import type { HiddenClass } from './hidden-classes.ts';

export interface Wish {
  readonly node: WeakRef<object>;
  readonly record: HiddenClass;
}

/** The sample of one class. */
interface Line {
  readonly wishes: Wish[];
  /** Objects that were met since the line began. */
  met: number;
}

const mostRoots = 1024;
const mostPerClass = 24;
const mostWishes = 512;

export class LookQueue {
  #roots: Wish[] = [];
  readonly #lines = new Map<HiddenClass, Line>();
  #waiting = 0;
  #wished = new WeakSet<object>();

  get size(): number {
    return this.#roots.length + this.#waiting;
  }

  has(node: object): boolean {
    return this.#wished.has(node);
  }

  /** Puts an object down, unless it waits already or another one of its class waits in its place. */
  add(node: object, record: HiddenClass, isRoot: boolean): void {
    if (this.#wished.has(node)) return;
    if (!isRoot) this.#addTo(this.#lineOf(record), node, record);
    else if (this.#roots.length < mostRoots) this.#roots.push(this.#wish(node, record));
  }

  #addTo(line: Line, node: object, record: HiddenClass): void {
    line.met++;
    if (line.wishes.length < mostPerClass && this.#waiting < mostWishes) {
      line.wishes.push(this.#wish(node, record));
      this.#waiting++;
      return;
    }
    const at = Math.floor(Math.random() * line.met);
    const replaced = line.wishes[at]?.node.deref();
    if (at >= line.wishes.length) return;
    if (replaced !== undefined) this.#wished.delete(replaced);
    line.wishes[at] = this.#wish(node, record);
  }

  /** Takes the next objects out that are still alive. */
  take(count: number): { nodes: object[]; records: HiddenClass[] } {
    const nodes: object[] = [];
    const records: HiddenClass[] = [];
    for (
      let wish = this.#next();
      wish !== undefined;
      wish = nodes.length < count ? this.#next() : undefined
    ) {
      const node = wish.node.deref();
      if (node === undefined) continue;
      this.#wished.delete(node);
      nodes.push(node);
      records.push(wish.record);
    }
    return { nodes, records };
  }

  clear(): void {
    this.#roots = [];
    this.#lines.clear();
    this.#waiting = 0;
    this.#wished = new WeakSet();
  }

  #next(): Wish | undefined {
    const root = this.#roots.shift();
    if (root !== undefined) return root;
    let chosen: HiddenClass | undefined;
    for (const record of this.#lines.keys()) {
      chosen ??= record;
      if (isMeasured(record)) continue;
      chosen = record;
      break;
    }
    if (chosen === undefined) return undefined;
    const line = this.#lines.get(chosen) as Line;
    const wish = line.wishes.pop();
    this.#waiting--;
    // The next time it is the turn of another class.
    this.#lines.delete(chosen);
    if (line.wishes.length > 0) this.#lines.set(chosen, line);
    return wish;
  }

  #lineOf(record: HiddenClass): Line {
    let line = this.#lines.get(record);
    if (line === undefined) {
      line = { wishes: [], met: 0 };
      if (this.#waiting < mostWishes) this.#lines.set(record, line);
    }
    return line;
  }

  #wish(node: object, record: HiddenClass): Wish {
    record.wishes++;
    this.#wished.add(node);
    return { node: new WeakRef(node), record };
  }
}
