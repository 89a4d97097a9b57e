// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, setBit, setFloat, setWord, weakBit, word } from './memory';
import { commas, digits } from './digits';

/** Where the last call stopped reading. */
export let position: usize = 0;
/** Sum of the edge counts after the last call of `nodes`. */
export let edgeSum: u32 = 0;
/** The node that the next edge goes out of. */
export let source: u32 = 0;
/** Words used of the stream of property names of plain objects. */
export let propertyWords: u32 = 0;
/** Words used of the list of edges that need a second look. */
export let noteWords: u32 = 0;

/** The longest row that the fast path takes: 7 numbers of 16 digits with their separators. */
const margin: usize = 160;
/** Every how many rows the offset in the file is kept. */
const blockMask: u32 = 255;

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
  let block = p;
  let mask = commas(p);
  let n = first;
  let watch: u32 = 0;
  while (n < max && start + margin <= end) {
    const row = start;
    while (mask == 0) { block += 64; mask = commas(block); }
    let comma = block + <usize>ctz(mask); mask &= mask - 1;
    const type = digits(start, comma); start = comma + 1;
    while (mask == 0) { block += 64; mask = commas(block); }
    comma = block + <usize>ctz(mask); mask &= mask - 1;
    const nameIndex = digits(start, comma); start = comma + 1;
    while (mask == 0) { block += 64; mask = commas(block); }
    comma = block + <usize>ctz(mask); mask &= mask - 1;
    const nodeId = digits(start, comma); start = comma + 1;
    while (mask == 0) { block += 64; mask = commas(block); }
    comma = block + <usize>ctz(mask); mask &= mask - 1;
    const selfSize = digits(start, comma); start = comma + 1;
    let edgeCount: u64 = 0;
    let detached: u64 = 0;
    let value: u64 = 0;
    for (let k: u32 = 4; k < fields; k++) {
      while (mask == 0) { block += 64; mask = commas(block); }
      comma = block + <usize>ctz(mask); mask &= mask - 1;
      let stop = comma;
      if (k + 1 == fields && newline != 0) {
        stop--;
        if (load<u8>(stop) != 10) { value = 0xffffffffffffffff; break; }
      }
      value = digits(start, stop);
      start = comma + 1;
      if (k == 4) edgeCount = value;
      else if (k == detachedAt) detached = value;
      if (value > 0xffffffff) break;
    }
    const after = <u64>sum + edgeCount;
    if (
      value > 0xffffffff || type >= <u64>types || nameIndex >= <u64>names || nodeId > 0xffffffff ||
      selfSize > 0xfffffffe || detached > 3 || after > <u64>maxEdges
    ) { start = row; break; }
    store<u8>(kind + n, <u8>(<u32>type | (<u32>detached << 6)));
    setWord(name, n, <u32>nameIndex);
    if (id != 0) setWord(id, n, <u32>nodeId);
    setWord(size, n, <u32>selfSize);
    setWord(firstEdge, n, sum);
    sum = <u32>after;
    if (<u32>nameIndex == plainName && <u32>type == plainType) setBit(plain, n);
    if (bit(watched, <u32>nodeId & 0xffff)) {
      setWord(watchList, watch, n);
      setWord(watchList, watch + 1, <u32>nodeId);
      watch += 2;
    }
    if ((n & blockMask) == 0 && blocks != 0) setFloat(blocks, n >> 8, base + <f64>row);
    n++;
  }
  position = start;
  edgeSum = sum;
  noteWords = watch;
  return n - first;
}

/**
 * Takes whole rows of section "edges". Notes the edges that only the caller can judge: shortcuts, and internal edges
 * whose name is that of a WeakMap pair. Collects the property names of plain objects, which name their shapes.
 */
export function edges(
  p: usize, end: usize, first: u32, max: u32, fields: u32, newline: u32, types: u32, nodeCount: u32, root: u32,
  weak: u32, internal: u32, shortcut: u32, property: u32, numbered: u32, stringCount: u32, pairs: usize,
  firstEdge: usize, plain: usize, to: usize, names: usize, properties: usize, notes: usize, noteLimit: u32,
  blocks: usize, base: f64, fromNode: u32, fromWords: u32, countAt: u32,
): u32 {
  let start = p;
  let block = p;
  let mask = commas(p);
  let e = first;
  let node = fromNode;
  let nodeEnd = word(firstEdge, node + 1);
  let words = fromWords;
  let isPlain = properties != 0 && bit(plain, node);
  let count = countAt;
  let note: u32 = 0;
  while (e < max && start + margin <= end && note < noteLimit) {
    const row = start;
    while (mask == 0) { block += 64; mask = commas(block); }
    let comma = block + <usize>ctz(mask); mask &= mask - 1;
    const type: u32 = comma == start + 1 ? <u32>load<u8>(start) - 48 : 0xff;
    start = comma + 1;
    while (mask == 0) { block += 64; mask = commas(block); }
    comma = block + <usize>ctz(mask); mask &= mask - 1;
    const nameOrIndex = digits(start, comma); start = comma + 1;
    while (mask == 0) { block += 64; mask = commas(block); }
    comma = block + <usize>ctz(mask); mask &= mask - 1;
    let stop = comma;
    if (newline != 0) {
      stop--;
      if (load<u8>(stop) != 10) { start = row; break; }
    }
    const index = digits(start, stop); start = comma + 1;
    const small = <u32>index;
    const target: u32 = fields == 6 ? small / 6 : fields == 7 ? small / 7 : small / fields;
    if (type >= types || nameOrIndex > 0xffffffff || index > 0xffffffff || target >= nodeCount || target * fields != small) {
      start = row;
      break;
    }
    const text = <u32>nameOrIndex;
    if (text >= stringCount && ((numbered >> type) & 1) == 0) { start = row; break; }
    if (names != 0) {
      if (text >= 0x0fffffff) { start = row; break; }
      setWord(names, e, (type << 28) | text);
    }
    while (e == nodeEnd) {
      node++;
      nodeEnd = word(firstEdge, node + 1);
      isPlain = properties != 0 && bit(plain, node);
      if (isPlain) { count = words; setWord(properties, words++, 0); }
    }
    let value = target;
    if (type == weak || target == node) value |= weakBit;
    if (type == property) {
      if (isPlain) {
        setWord(properties, words++, text);
        setWord(properties, count, word(properties, count) + 1);
      }
    } else if ((type == internal && bit(pairs, text)) || (type == shortcut && node != root)) {
      setWord(notes, note, e);
      setWord(notes, note + 1, node);
      setWord(notes, note + 2, type);
      setWord(notes, note + 3, text);
      note += 4;
    }
    setWord(to, e, value);
    if ((e & blockMask) == 0 && blocks != 0) setFloat(blocks, e >> 8, base + <f64>row);
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
