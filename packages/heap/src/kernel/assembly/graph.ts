// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, float, setBit, setFloat, setWord, weakBit, word } from './memory';

const unvisited: u32 = 0xffffffff;
const shared: u32 = 0xfffffffe;

/** Spreads ownership from every node that owns itself to the backing stores (`owned` bits) it alone reaches. */
export function owners(first: u32, last: u32, firstEdge: usize, to: usize, owned: usize, owner: usize, stack: usize): void {
  for (let n = first; n < last; n++) {
    if (bit(owned, n)) continue;
    const end = word(firstEdge, n + 1);
    let depth: u32 = 0;
    for (let e = word(firstEdge, n); e < end; e++) {
      const target = word(to, e);
      if (target >= weakBit || !bit(owned, target)) continue;
      const current = word(owner, target);
      if (current == n || current == shared) continue;
      setWord(owner, target, current == unvisited ? n : shared);
      setWord(stack, depth++, target);
    }
    while (depth > 0) {
      const from = word(stack, --depth);
      const own = word(owner, from);
      const stop = word(firstEdge, from + 1);
      for (let e = word(firstEdge, from); e < stop; e++) {
        const target = word(to, e);
        if (target >= weakBit || !bit(owned, target)) continue;
        const current = word(owner, target);
        if (current == own || current == shared) continue;
        setWord(owner, target, current == unvisited ? own : shared);
        setWord(stack, depth++, target);
      }
    }
  }
}

/**
 * Moves the size of each backing store to its owner, from node `first` on. Stops at a node whose owner's size would no
 * longer fit into 32 bits and returns its number, or `count` at the end.
 */
export function moveSizes(first: u32, count: u32, owned: usize, owner: usize, kind: usize, synthetic: u32, root: u32, size: usize): u32 {
  for (let n = first; n < count; n++) {
    if (!bit(owned, n)) continue;
    const own = word(owner, n);
    if (own >= shared || own == root || (<u32>load<u8>(kind + own) & 63) == synthetic) continue;
    const moved = word(size, n);
    const sum = <u64>word(size, own) + <u64>moved;
    if (sum >= 0xffffffff) return n;
    setWord(size, own, <u32>sum);
    setWord(size, n, 0);
  }
  return count;
}

/** True while a walk has stopped at its limit and has to be resumed. */
export let walking: u32 = 0;
let walkDepth: u32 = 0;
let walkNode: u32 = 0;
let walkNumber: u32 = 0;
let walkEdge: u32 = 0;

/**
 * Numbers depth-first all that `from` reaches and that has no number yet; returns the next free number. Stops at
 * `limit` numbers with `walking` set; the same call with `resume` goes on.
 */
export function visit(
  resume: u32, limit: u32, from: u32, parentOf: u32, next: u32, firstEdge: usize, to: usize, order: usize, vertex: usize,
  parent: usize, seen: usize, stackNode: usize, stackEdge: usize,
): u32 {
  let n = next;
  let depth: u32 = 0;
  let v = from;
  let i: u32 = 0;
  let e: u32 = 0;
  if (resume != 0) {
    depth = walkDepth;
    v = walkNode;
    i = walkNumber;
    e = walkEdge;
  } else {
    i = n++;
    e = word(firstEdge, v);
    setBit(seen, v);
    setWord(order, v, i);
    setWord(vertex, i, v);
    setWord(parent, i, parentOf);
  }
  let end = word(firstEdge, v + 1);
  walking = 0;
  while (true) {
    let found: u32 = weakBit;
    while (e < end) {
      const target = word(to, e++);
      if (target < weakBit && !bit(seen, target)) { found = target; break; }
    }
    if (found == weakBit) {
      if (depth == 0) break;
      depth--;
      v = word(stackNode, depth);
      e = word(stackEdge, depth);
      end = word(firstEdge, v + 1);
      i = word(order, v);
      continue;
    }
    if (n == limit) {
      walking = 1;
      walkDepth = depth;
      walkNode = v;
      walkNumber = i;
      walkEdge = e - 1;
      break;
    }
    if (e < end) {
      setWord(stackNode, depth, v);
      setWord(stackEdge, depth, e);
      depth++;
    }
    setBit(seen, found);
    setWord(order, found, n);
    setWord(vertex, n, found);
    setWord(parent, n, i);
    i = n++;
    v = found;
    e = word(firstEdge, v);
    end = word(firstEdge, v + 1);
  }
  return n;
}

/**
 * Rewrites edge targets to preorder numbers, takes the first candidates of the semidominators from forward edges and
 * counts the others per target. Nothing retains the root, and edges from the debugger's nodes (`user` and above) do not
 * retain the user's.
 */
export function renumber(
  first: u32, last: u32, attached: u32, cliques: u32, user: u32, firstEdge: usize, to: usize, order: usize, vertex: usize, semi: usize,
  counts: usize,
): void {
  for (let i = first; i < last; i++) {
    const v = word(vertex, i);
    const end = word(firstEdge, v + 1);
    const floor: u32 = i >= user ? user : 1;
    const dead = i >= attached || (i >= cliques && i < user);
    for (let e = word(firstEdge, v); e < end; e++) {
      const target = word(to, e);
      const j = word(order, target & 0x7fffffff);
      if (target >= weakBit || j == i || j < floor) { setWord(to, e, j | weakBit); continue; }
      setWord(to, e, j);
      if (dead) continue;
      if (j > i) {
        if (word(semi, j) > i) setWord(semi, j, i);
      } else {
        setWord(counts, j, word(counts, j) + 1);
      }
    }
  }
}

/** Turns counts into positions: entry `i` becomes the sum of all before it. Returns the sum of all. */
export function positions(count: u32, counts: usize): u32 {
  let sum: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const c = word(counts, i);
    setWord(counts, i, sum);
    sum += c;
  }
  setWord(counts, count, sum);
  return sum;
}

/**
 * Lists the sources of back and cross edges whose target is between `low` and `high`, for the sources from `last` down
 * to `first`. `ends` holds where the list of each target begins (less `origin`) and becomes where it ends.
 */
export function reverse(
  first: u32, last: u32, low: u32, high: u32, origin: u32, firstEdge: usize, to: usize, vertex: usize, ends: usize,
  sources: usize,
): void {
  const span = high - low;
  for (let i = last; i-- > first;) {
    const v = word(vertex, i);
    const end = word(firstEdge, v + 1);
    for (let e = word(firstEdge, v); e < end; e++) {
      const j = word(to, e);
      if (j <= i && j - low < span) {
        const at = word(ends, j);
        setWord(sources, at - origin, i);
        setWord(ends, j, at + 1);
      }
    }
  }
}

/** Pairs of label and ancestor: each vertex is its own label, below its parent. */
export function link(first: u32, last: u32, links: usize, parent: usize): void {
  for (let i = first; i < last; i++) store<u64>(links + (<usize>i << 3), (<u64>word(parent, i) << 32) | <u64>i);
}

/**
 * Lowers `semi` to the semidominators, from vertex `last - 1` down to `first`, with path compression. `links` are pairs
 * of label and ancestor, side by side because a step up a path needs both. The list of `low` begins at `origin`.
 */
export function semidominators(
  first: u32, last: u32, low: u32, origin: u32, semi: usize, links: usize, ends: usize, sources: usize, path: usize,
): void {
  for (let i = last; i-- > first;) {
    let lowest = word(semi, i);
    const end = word(ends, i) - origin;
    for (let k: u32 = i == low ? 0 : word(ends, i - 1) - origin; k < end; k++) {
      let u = word(sources, k);
      let link = load<u64>(links + (<usize>u << 3));
      let above = <u32>(link >> 32);
      let best = <u32>link;
      if (above > i) {
        let depth: u32 = 0;
        do {
          setWord(path, depth++, u);
          u = above;
          link = load<u64>(links + (<usize>u << 3));
          above = <u32>(link >> 32);
        } while (above > i);
        best = <u32>link;
        while (depth > 0) {
          u = word(path, --depth);
          const label = load<u32>(links + (<usize>u << 3));
          if (label < best) best = label;
          store<u64>(links + (<usize>u << 3), (<u64>above << 32) | <u64>best);
        }
      }
      if (best < lowest) lowest = best;
    }
    setWord(semi, i, lowest);
    store<u32>(links + (<usize>i << 3), lowest);
  }
}

/** Turns parents into immediate dominators: the nearest ancestor that is not above the semidominator. */
export function nearest(first: u32, last: u32, semi: usize, dom: usize): void {
  for (let i = first; i < last; i++) {
    const limit = word(semi, i);
    let d = word(dom, i);
    while (d > limit) d = word(dom, d);
    setWord(dom, i, d);
  }
}

/** Self sizes by preorder number, before they are summed. */
export function ownSizes(first: u32, last: u32, vertex: usize, size: usize, retained: usize): void {
  for (let i = first; i < last; i++) setWord(retained, i, word(size, word(vertex, i)));
}

/** As `ownSizes`, for sums beyond 32 bits. */
export function ownSizesLarge(first: u32, last: u32, vertex: usize, size: usize, retained: usize): void {
  for (let i = first; i < last; i++) setFloat(retained, i, <f64>word(size, word(vertex, i)));
}

/** Adds each vertex's bytes and subtree size to its dominator, from `last - 1` down to `first`. */
export function sumUp(first: u32, last: u32, dom: usize, retained: usize, members: usize): void {
  for (let i = last; i-- > first;) {
    const d = word(dom, i);
    setWord(retained, d, word(retained, d) + word(retained, i));
    setWord(members, d, word(members, d) + word(members, i));
  }
}

/** As `sumUp`, for sums beyond 32 bits. */
export function sumUpLarge(first: u32, last: u32, dom: usize, retained: usize, members: usize): void {
  for (let i = last; i-- > first;) {
    const d = word(dom, i);
    setFloat(retained, d, float(retained, d) + float(retained, i));
    setWord(members, d, word(members, d) + word(members, i));
  }
}

/** Marks the backing stores, which nobody owns yet: nodes whose type is in the 64 type bits, and one kind of native node. */
export function ownedBits(
  first: u32, last: u32, kind: usize, name: usize, typesLow: u32, typesHigh: u32, native: u32, nativeName: u32, bits: usize,
  owner: usize,
): void {
  const types = (<u64>typesHigh << 32) | <u64>typesLow;
  for (let n = first; n < last; n++) {
    const type = <u32>load<u8>(kind + n) & 63;
    if (((types >> <u64>type) & 1) != 0 || (type == native && word(name, n) == nativeName)) {
      setBit(bits, n);
      setWord(owner, n, unvisited);
    }
  }
}

/** Turns a permutation around: `to[from[i]] = i`. */
export function invert(first: u32, last: u32, from: usize, to: usize): void {
  for (let i = first; i < last; i++) setWord(to, word(from, i), i);
}

/** Counts the edges that retain each vertex. */
export function countRetainers(first: u32, last: u32, to: usize, counts: usize): void {
  for (let e = first; e < last; e++) {
    const j = word(to, e);
    if (j < weakBit) setWord(counts, j, word(counts, j) + 1);
  }
}

/** Lists the edges that retain each vertex; `ends` holds where each list begins and becomes where it ends. */
export function listRetainers(first: u32, last: u32, to: usize, ends: usize, list: usize): void {
  for (let e = first; e < last; e++) {
    const j = word(to, e);
    if (j >= weakBit) continue;
    const at = word(ends, j);
    setWord(list, at, e);
    setWord(ends, j, at + 1);
  }
}
