// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, float, setBit, setWord, weakBit, word } from './memory';

/** Marks the names that objects (but plain ones), native nodes and code bear. */
export function usedNames(first: u32, last: u32, kind: usize, name: usize, plain: usize, acts: usize, used: usize): void {
  for (let n = first; n < last; n++) {
    const does = <u32>load<u8>(acts + (load<u8>(kind + n) & 63));
    if (does < 1 || does > 3 || (does == 1 && bit(plain, n))) continue;
    setBit(used, word(name, n));
  }
}

/** Where the next note of `surveyNodes` goes. */
export let surveyNotes: u32 = 0;

/**
 * Gives every node its role and notes those that belong on a list, as pairs of node and list. The numbers are those of
 * `act`, `trait` and `list` in ../typescript/survey.ts.
 */
export function surveyNodes(
  first: u32, last: u32, kind: usize, name: usize, plain: usize, objectName: u32, size: usize, firstEdge: usize, to: usize,
  vertex: usize, order: usize, retained: usize, large: u32, least: f64, acts: usize, defaults: usize, traits: usize,
  inCode: usize, roles: usize, notes: usize, noteAt: u32, noteEnd: u32,
): void {
  let at = noteAt;
  for (let n = first; n < last; n++) {
    const type = <usize>(load<u8>(kind + n) & 63);
    const does = <u32>load<u8>(acts + type);
    let role = <u32>load<u8>(defaults + type);
    let said: u32 = 0;
    const begin = word(firstEdge, n);
    const end = word(firstEdge, n + 1);
    if (at + 8 > noteEnd) break;
    if (does <= 3) {
      if (word(size, n) >= 65536) { setWord(notes, at++, n); setWord(notes, at++, 3); }
      if (does != 0) said = <u32>load<u8>(traits + (does == 1 && bit(plain, n) ? objectName : word(name, n)));
      if (said != 0) {
        if (does == 3) {
          if ((said & 16) != 0) {
            for (let e = begin; e < end; e++) {
              const target = word(vertex, word(to, e) & 0x7fffffff);
              if (load<u8>(acts + (load<u8>(kind + target) & 63)) == 5) setBit(inCode, word(name, target));
            }
          }
        } else if (does == 2) {
          if ((said & 2) != 0) role &= 63;
        } else {
          if ((said & 32) != 0) { setWord(notes, at++, n); setWord(notes, at++, 4); }
          if ((said & 8) != 0 && end - begin > 10) {
            let functions: u32 = 0;
            for (let e = begin; e < end; e++) {
              const target = word(vertex, word(to, e) & 0x7fffffff);
              if (load<u8>(acts + (load<u8>(kind + target) & 63)) == 4) functions++;
            }
            if (functions > 10) { setWord(notes, at++, n); setWord(notes, at++, 2); }
          }
          if ((said & 4) != 0) role = 50 | 64;
          else if ((said & 1) != 0) role &= 63;
        }
      }
    } else if (does == 9) {
      for (let e = begin; e < end; e++) {
        const j = word(to, e) & 0x7fffffff;
        if (load<u8>(acts + (load<u8>(kind + word(vertex, j)) & 63)) == 1) {
          store<u8>(roles + j, load<u8>(roles + j) | 128);
        }
      }
    } else if (does == 8) {
      setWord(notes, at++, n);
      setWord(notes, at++, 5);
    }
    if (end - begin >= 20 && does != 3 && does != 9 && (said & 64) == 0) {
      let sum: f64 = 0;
      for (let e = begin; e < end; e++) {
        const j = word(to, e);
        if (j < weakBit) sum += large != 0 ? float(retained, j) : <f64>word(retained, j);
      }
      if (sum >= least) { setWord(notes, at++, n); setWord(notes, at++, 1); }
    }
    const i = word(order, n);
    store<u8>(roles + i, <u8>(<u32>load<u8>(roles + i) | role));
  }
  surveyNotes = at;
}

export let ropeCount: u32 = 0;
export let ropeBytes: f64 = 0;

/** Counts the nodes of each text, and ropes with their bytes (those of this call). */
export function countTexts(
  first: u32, last: u32, kind: usize, name: usize, size: usize, string: u32, rope: u32, counts: usize,
): void {
  ropeCount = 0;
  ropeBytes = 0;
  for (let n = first; n < last; n++) {
    const type = <u32>(load<u8>(kind + n) & 63);
    if (type == string) {
      const index = word(name, n);
      setWord(counts, index, word(counts, index) + 1);
    } else if (type == rope) {
      ropeCount++;
      ropeBytes += <f64>word(size, n);
    }
  }
}

/** Where the next entry of the list of `slicedTexts` goes. */
export let sliceNotes: u32 = 0;

/** Lists slices and the texts they are of, as pairs of node and preorder number, and marks the latter. */
export function slicedTexts(
  first: u32, last: u32, kind: usize, firstEdge: usize, to: usize, vertex: usize, acts: usize, pinned: usize, list: usize, listAt: u32,
): void {
  let at = listAt;
  for (let n = first; n < last; n++) {
    if (load<u8>(acts + (load<u8>(kind + n) & 63)) != 7) continue;
    const end = word(firstEdge, n + 1);
    for (let e = word(firstEdge, n); e < end; e++) {
      const j = word(to, e) & 0x7fffffff;
      const does = <u32>load<u8>(acts + (load<u8>(kind + word(vertex, j)) & 63));
      if (does < 5 || does > 7) continue;
      setBit(pinned, j);
      setWord(list, at++, j);
      break;
    }
  }
  sliceNotes = at;
}

/** Takes the mark from every vertex that a node other than a slice retains. */
export function unpin(first: u32, last: u32, kind: usize, firstEdge: usize, to: usize, acts: usize, pinned: usize): void {
  for (let n = first; n < last; n++) {
    if (load<u8>(acts + (load<u8>(kind + n) & 63)) == 7) continue;
    const end = word(firstEdge, n + 1);
    for (let e = word(firstEdge, n); e < end; e++) {
      const j = word(to, e);
      if (j >= weakBit || !bit(pinned, j)) continue;
      store<u8>(pinned + (j >> 3), <u8>(<u32>load<u8>(pinned + (j >> 3)) & ~(<u32>1 << (j & 7))));
    }
  }
}

/** Where the next entry of the list of `edgesInto` goes. */
export let edgeNotes: u32 = 0;

/** Lists the edges that retain a marked vertex. */
export function edgesInto(first: u32, last: u32, to: usize, wanted: usize, list: usize, listAt: u32, listEnd: u32): void {
  let at = listAt;
  for (let e = first; e < last && at < listEnd; e++) {
    const j = word(to, e);
    if (j < weakBit && bit(wanted, j)) setWord(list, at++, e);
  }
  edgeNotes = at;
}

/** How many edges `edgeNames` has listed. */
export let namedEdges: u32 = 0;

/** Notes for every string what its edges say, or, with a list, lists the edges that have been noted. */
export function edgeNames(
  first: u32, last: u32, object: u32, empty: u32, most: u32, name: usize, firstEdge: usize, words: usize, bits: usize, seen: usize,
  list: usize, listAt: u32,
): void {
  let at = listAt;
  let end = word(firstEdge, first);
  for (let n = first; n < last; n++) {
    const begin = end;
    end = word(firstEdge, n + 1);
    const named = word(name, n);
    const plain: u32 = named == object || named == empty || end - begin > most ? 1 : 0;
    for (let e = begin; e < end; e++) {
      const edge = word(words, e);
      const bit = word(bits, ((edge >>> 28) << 1) + plain);
      if (bit == 0) continue;
      const noted = word(seen, edge & 0x0fffffff);
      if (list == 0) setWord(seen, edge & 0x0fffffff, noted | bit);
      else if ((noted & bit) != 0) setWord(list, at++, e);
    }
  }
  namedEdges = at;
}
