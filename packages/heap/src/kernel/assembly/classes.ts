// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, float, setFloat, setWord, word } from './memory';

/**
 * The preorder of the dominator tree: `sequence[q]` is the vertex at position q, and its `members[...]` follow it.
 * `next` is scratch.
 */
export function treeOrder(first: u32, last: u32, dom: usize, members: usize, next: usize, sequence: usize): void {
  for (let i = first; i < last; i++) {
    const d = word(dom, i);
    const q = word(next, d);
    setWord(next, d, q + word(members, i));
    setWord(next, i, q + 1);
    setWord(sequence, q, i);
  }
}

/** Sums by class over the tree order; an instance below another of its class adds no retained bytes. */
export function totals(
  first: u32, last: u32, sequence: usize, vertex: usize, members: usize, classOf: usize, size: usize, retained: usize,
  counts: usize, shallow: usize, kept: usize, until: usize,
): void {
  for (let q = first; q < last; q++) {
    const i = word(sequence, q);
    const v = word(vertex, i);
    const own = word(size, v);
    if (own == 0) continue;
    const c = word(classOf, v);
    setWord(counts, c, word(counts, c) + 1);
    setFloat(shallow, c, float(shallow, c) + <f64>own);
    if (q >= word(until, c)) {
      setFloat(kept, c, float(kept, c) + <f64>word(retained, i));
      setWord(until, c, q + word(members, i));
    }
  }
}

/** As `totals`, for sums beyond 32 bits. */
export function totalsLarge(
  first: u32, last: u32, sequence: usize, vertex: usize, members: usize, classOf: usize, size: usize, retained: usize,
  counts: usize, shallow: usize, kept: usize, until: usize,
): void {
  for (let q = first; q < last; q++) {
    const i = word(sequence, q);
    const v = word(vertex, i);
    const own = word(size, v);
    if (own == 0) continue;
    const c = word(classOf, v);
    setWord(counts, c, word(counts, c) + 1);
    setFloat(shallow, c, float(shallow, c) + <f64>own);
    if (q >= word(until, c)) {
      setFloat(kept, c, float(kept, c) + float(retained, i));
      setWord(until, c, q + word(members, i));
    }
  }
}

/** How many classes `nameClasses` has made so far. */
export let classCount: u32 = 0;

/**
 * Class of every node: that of its type, or, where `typeClass` is 0xffffffff, one per name. `byName` starts as zeros;
 * the names met are listed in `names`, in order of first sight. Plain objects carry their shape in place of a name.
 */
export function nameClasses(
  first: u32, last: u32, kind: usize, name: usize, plain: usize, typeClass: usize, fixedClasses: u32, classes: u32,
  byName: usize, names: usize, shapeClass: usize, classOf: usize,
): void {
  let count = classes;
  for (let n = first; n < last; n++) {
    const fixed = word(typeClass, <u32>load<u8>(kind + n) & 63);
    if (fixed != 0xffffffff) { setWord(classOf, n, fixed); continue; }
    const index = word(name, n);
    if (bit(plain, n)) { setWord(classOf, n, word(shapeClass, index)); continue; }
    let found = word(byName, index);
    if (found == 0) {
      setWord(names, count - fixedClasses, index);
      found = ++count;
      setWord(byName, index, found);
    }
    setWord(classOf, n, found - 1);
  }
  classCount = count;
}

/** How many distinct lists `shapes` found. */
export let shapeCount: u32 = 0;

/**
 * Groups the lists of a stream `[length, word...]*`. `table` is zeroed, with a power of two of slots; `firstAt` receives
 * where each distinct list begins, `counts` how often it occurs, `shapeOf` the group of each list. Stops when the table
 * is half full; returns the position in the stream and, in `shapeLists`, how many lists were grouped.
 */
export let shapeLists: u32 = 0;
export function shapes(
  stream: usize, from: u32, end: u32, lists: u32, known: u32, table: usize, slots: u32, firstAt: usize, counts: usize, shapeOf: usize,
): u32 {
  let at = from;
  let k = lists;
  let groups = known;
  while (at < end && groups < slots >> 1) {
    const length = word(stream, at);
    let hash: u32 = length * 0x9e3779b1;
    for (let x: u32 = 1; x <= length; x++) hash = (rotl(hash, 5) ^ word(stream, at + x)) * 0x9e3779b1;
    let slot = (hash ^ (hash >> 15)) & (slots - 1);
    let group: u32 = 0;
    while (true) {
      const entry = word(table, slot);
      if (entry == 0) {
        group = groups++;
        setWord(table, slot, group + 1);
        setWord(firstAt, group, at);
        setWord(counts, group, 0);
        break;
      }
      const other = word(firstAt, entry - 1);
      let same = true;
      for (let x: u32 = 0; x <= length; x++) {
        if (word(stream, at + x) != word(stream, other + x)) { same = false; break; }
      }
      if (same) { group = entry - 1; break; }
      slot = (slot + 1) & (slots - 1);
    }
    setWord(counts, group, word(counts, group) + 1);
    setWord(shapeOf, k++, group);
    at += length + 1;
  }
  shapeCount = groups;
  shapeLists = k;
  return at;
}
