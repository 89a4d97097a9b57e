// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, setBit, setFloat, setWord, weakBit, word } from './memory';
import { commas, commas32, digits, shortDigits } from './digits';

/** Where the last call stopped reading. */
export let position: usize = 0;
/** Sum of the edge counts after the last call of `nodes`. */
export let edgeSum: u32 = 0;
/** Sum of the self sizes of the rows of the last call of `nodes`. */
export let byteSum: f64 = 0;
/** All marks of detachedness of those rows together. */
export let detachedBits: u32 = 0;
/** The plain object whose list is open after the last call of `edges`. */
export let source: u32 = 0;
/** Words used of the stream of property names of plain objects. */
export let propertyWords: u32 = 0;
/** Words used of the list of edges that need a second look. */
export let noteWords: u32 = 0;

/** The longest row that the fast path takes: 7 numbers of 16 digits with their separators. */
const margin: usize = 160;
/** Every how many rows the offset in the file is kept. */
const blockMask: u32 = 63;

/**
 * Takes whole rows of section "nodes" in the usual field order. Stops at the first row that is anything else than
 * plain numbers inside their limits; the caller's reference reader decides about that row.
 */
export function nodes(
  p: usize, end: usize, first: u32, max: u32, fields: u32, detachedAt: u32, newline: u32, types: u32, names: u32, maxEdges: u32,
  plainType: u32, plainName: u32, watched: usize, watchList: usize,
  kind: usize, name: usize, id: usize, size: usize, firstEdge: usize, plain: usize, blocks: usize, base: f64, sum: u32,
): u32 {
  let start = p;
  let n = first;
  let watch: u32 = 0;
  let bytes: u64 = 0;
  let anyDetached: u32 = 0;
  while (n < max && start + margin <= end) {
    const row = start;
    // All commas of the row are in these 64 bytes, unless a number is longer than it may be.
    let mask = commas(row);
    let comma = row + <usize>ctz(mask); mask &= mask - 1;
    const type = shortDigits(row, comma);
    let from = comma + 1;
    comma = row + <usize>ctz(mask); mask &= mask - 1;
    const nameIndex = digits(from, comma); from = comma + 1;
    comma = row + <usize>ctz(mask); mask &= mask - 1;
    const nodeId = digits(from, comma); from = comma + 1;
    comma = row + <usize>ctz(mask); mask &= mask - 1;
    const selfSize = digits(from, comma); from = comma + 1;
    let edgeCount: u64 = 0;
    let detached: u64 = 0;
    let value: u64 = 0;
    for (let k: u32 = 4; k < fields; k++) {
      if (mask == 0) { value = 0xffffffffffffffff; break; }
      comma = row + <usize>ctz(mask); mask &= mask - 1;
      let stop = comma;
      if (k + 1 == fields && newline != 0) {
        stop--;
        if (load<u8>(stop) != 10) { value = 0xffffffffffffffff; break; }
      }
      value = shortDigits(from, stop);
      from = comma + 1;
      if (k == 4) edgeCount = value;
      else if (k == detachedAt) detached = value;
      if (value > 0xffffffff) break;
    }
    const after = <u64>sum + edgeCount;
    if (
      value > 0xffffffff || type >= <u64>types || nameIndex >= <u64>names || nodeId > 0xffffffff ||
      selfSize > 0xfffffffe || detached > 3 || after > <u64>maxEdges
    ) break;
    start = from;
    store<u8>(kind + n, <u8>(<u32>type | (<u32>detached << 6)));
    setWord(name, n, <u32>nameIndex);
    if (id != 0) setWord(id, n, <u32>nodeId);
    setWord(size, n, <u32>selfSize);
    setWord(firstEdge, n, sum);
    sum = <u32>after;
    bytes += selfSize;
    anyDetached |= <u32>detached;
    if (<u32>nameIndex == plainName && <u32>type == plainType) setBit(plain, n);
    if (bit(watched, <u32>nodeId & 0xffff)) {
      setWord(watchList, watch, n);
      setWord(watchList, watch + 1, <u32>nodeId);
      watch += 2;
    }
    if ((n & blockMask) == 0 && blocks != 0) setFloat(blocks, n >> 6, base + <f64>row);
    n++;
  }
  position = start;
  edgeSum = sum;
  noteWords = watch;
  byteSum = <f64>bytes;
  detachedBits = anyDetached;
  return n - first;
}

/** The next plain object from `node` on, or `count`. */
function nextPlain(plain: usize, node: u32, count: u32): u32 {
  let n = node;
  while (n < count) {
    const rest = <u32>load<u8>(plain + (n >> 3)) >> (n & 7);
    if (rest != 0) return n + ctz(rest);
    n = (n | 7) + 1;
  }
  return count;
}

/**
 * Takes whole rows of section "edges". Notes the edges that only the caller can judge: shortcuts, and internal edges
 * whose name is that of a WeakMap pair. Collects the property names of plain objects, which name their shapes: the list
 * of `plainNode` begins at word `countAt`.
 */
export function edges(
  p: usize, end: usize, first: u32, max: u32, fields: u32, newline: u32, types: u32, nodeCount: u32,
  weak: u32, internal: u32, shortcut: u32, property: u32, numbered: u32, stringCount: u32, pairs: usize,
  firstEdge: usize, plain: usize, to: usize, names: usize, properties: usize, notes: usize, noteLimit: u32,
  blocks: usize, base: f64, plainNode: u32, fromWords: u32, countAt: u32,
): u32 {
  let start = p;
  let e = first;
  let node = plainNode;
  // Without lists no edge is one of a plain object.
  let plainStart: u32 = node < nodeCount ? word(firstEdge, node) : 0xffffffff;
  let plainEnd: u32 = node < nodeCount ? word(firstEdge, node + 1) : 0xffffffff;
  let words = fromWords;
  let count = countAt;
  let note: u32 = 0;
  while (e < max && start + margin <= end && note < noteLimit) {
    const row = start;
    // The type is one digit, and three numbers below 2^32 with their commas fit into 32 bytes.
    let mask = commas32(row);
    const type: u32 = <u32>load<u8>(row) - 48;
    const lead = mask & 3;
    mask &= 0xfffffffc;
    const second = row + <usize>ctz(mask); mask &= mask - 1;
    const third = row + <usize>ctz(mask);
    if (lead != 2 || mask == 0) break;
    const stop = third - <usize>newline;
    if (newline != 0 && load<u8>(stop) != 10) break;
    const nameOrIndex = digits(row + 2, second);
    const index = digits(second + 1, stop);
    const small = <u32>index;
    const target: u32 = fields == 6 ? small / 6 : fields == 7 ? small / 7 : small / fields;
    const text = <u32>nameOrIndex;
    if (
      type >= types || nameOrIndex > 0xffffffff || index > 0xffffffff || target >= nodeCount ||
      target * fields != small || (text >= stringCount && ((numbered >> type) & 1) == 0)
    ) break;
    if (names != 0) {
      if (text >= 0x0fffffff) break;
      setWord(names, e, (type << 28) | text);
    }
    while (e == plainEnd) {
      setWord(properties, count, words - count - 1);
      node = nextPlain(plain, node + 1, nodeCount);
      if (node == nodeCount) {
        plainStart = 0xffffffff;
        plainEnd = 0xffffffff;
      } else {
        plainStart = word(firstEdge, node);
        plainEnd = word(firstEdge, node + 1);
        count = words++;
      }
    }
    // No branch on the type: it is as good as random.
    if (properties != 0) {
      setWord(properties, words, text);
      words += <u32>(type == property) & <u32>(e >= plainStart);
    }
    const named: u32 = type == internal ? text : 0;
    if ((<u32>(type == internal) & <u32>bit(pairs, named)) | <u32>(type == shortcut)) {
      setWord(notes, note, e);
      setWord(notes, note + 1, type);
      setWord(notes, note + 2, text);
      note += 3;
    }
    setWord(to, e, target | (type == weak ? weakBit : 0));
    if ((e & blockMask) == 0 && blocks != 0) setFloat(blocks, e >> 6, base + <f64>row);
    start = third + 1;
    e++;
  }
  position = start;
  source = node;
  propertyWords = words;
  propertyCountAt = count;
  noteWords = note;
  return e - first;
}

/** Where the count of the last plain object stands in the stream of property names. */
export let propertyCountAt: u32 = 0;

/** Takes whole rows of four numbers below 2^32 (section "locations"). */
export function quads(p: usize, end: usize, first: u32, max: u32, newline: u32, out: usize): u32 {
  let start = p;
  let block = p;
  let mask = commas(p);
  let n = first;
  while (n < max && start + margin <= end) {
    const row = start;
    let bad = false;
    for (let k: u32 = 0; k < 4; k++) {
      while (mask == 0) { block += 64; mask = commas(block); }
      const comma = block + <usize>ctz(mask); mask &= mask - 1;
      let stop = comma;
      if (k == 3 && newline != 0) {
        stop--;
        if (load<u8>(stop) != 10) { bad = true; break; }
      }
      const value = digits(start, stop); start = comma + 1;
      if (value > 0x7fffffff) { bad = true; break; }
      setWord(out, (n << 2) + k, <u32>value);
    }
    if (bad) { start = row; break; }
    n++;
  }
  position = start;
  return n - first;
}
