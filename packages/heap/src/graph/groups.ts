import type { DominatorTree } from './dominator-tree.ts';
import { hasBit, setBit } from '../kernel/typescript/rows.ts';
import { act, visibleBit } from '../kernel/typescript/survey.ts';
import type { Scan } from './scan.ts';
import { typeMask, weakBit } from '../kernel/columns.ts';
import { actsOf } from './survey.ts';

/** Nodes of one class below one holder: of one class name, of one function name, or text. */
export interface Group {
  readonly members: Uint32Array;
  /** Bytes that the members keep alive. */
  readonly bytes: number;
}

/** A number that nodes of the same class share: the class for objects, the function name for closures, one for all text. */
export function classKey(does: number, name: number): number | undefined {
  if (does >= act.string && does <= act.slice) return -1;
  if (does === act.object || does === act.native) return name * 2;
  return does === act.closure ? name * 2 + 1 : undefined;
}

/** Groups what a node refers to, or what it dominates, by class. */
export class Grouping {
  readonly #scan: Scan;
  readonly #tree: DominatorTree;
  readonly #acts: Uint8Array;
  readonly #groups = new Map<number, GrowingGroup>();
  #lastKey: number | undefined;
  #last: GrowingGroup | undefined;

  constructor(scan: Scan, tree: DominatorTree) {
    this.#scan = scan;
    this.#tree = tree;
    this.#acts = actsOf(scan);
  }

  /** The nodes that a node retains by a reference of its own, each once. */
  targets(node: number): readonly Group[] {
    const { columns, space } = this.#scan;
    const { firstEdge, to } = columns;
    const seen = space.marked.fill(0);
    for (let e = firstEdge[node] as number, end = firstEdge[node + 1] as number; e < end; e++) {
      const j = to[e] as number;
      if (j >= weakBit || hasBit(seen, j)) continue;
      setBit(seen, j);
      this.#add(j);
    }
    return this.#done();
  }

  /** The visible nodes that a node dominates, seen through what V8 keeps between, but for code. */
  dominated(node: number, roles: Uint8Array): readonly Group[] {
    const { kind } = this.#scan.columns;
    const { vertex } = this.#tree;
    const stack = [node];
    while (stack.length > 0) {
      this.#tree.forEachChild(stack.pop() as number, (i) => {
        if (((roles[i] as number) & visibleBit) !== 0) this.#add(i);
        else {
          const child = vertex[i] as number;
          if (this.#acts[(kind[child] as number) & typeMask] !== act.code) stack.push(child);
        }
      });
    }
    return this.#done();
  }

  #add(i: number): void {
    const { columns, names } = this.#scan;
    const node = this.#tree.vertex[i] as number;
    const name = hasBit(columns.plain, node) ? names.object : (columns.name[node] as number);
    const key = classKey(this.#acts[(columns.kind[node] as number) & typeMask] as number, name);
    if (key === undefined) return;
    if (key !== this.#lastKey || this.#last === undefined) {
      this.#lastKey = key;
      this.#last = this.#groups.get(key);
      if (this.#last === undefined) this.#groups.set(key, (this.#last = new GrowingGroup()));
    }
    this.#last.add(node, this.#tree.retained[i] as number);
  }

  #done(): readonly Group[] {
    return [...this.#groups.values()].map((group) => group.done());
  }
}

class GrowingGroup {
  #members = new Uint32Array(16);
  #count = 0;
  #bytes = 0;

  add(node: number, bytes: number): void {
    if (this.#count === this.#members.length) {
      const grown = new Uint32Array(this.#count * 2);
      grown.set(this.#members);
      this.#members = grown;
    }
    this.#members[this.#count++] = node;
    this.#bytes += bytes;
  }

  done(): Group {
    return { members: this.#members.subarray(0, this.#count), bytes: this.#bytes };
  }
}
