// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { bit, float, setBit, setFloat, setWord, word } from './memory';
import { pop, pushVertex } from './paths';

// The numbers are those of ../typescript/path-groups.ts.
// @ts-ignore
@inline const unknown: u32 = 0xffffffff;
// @ts-ignore
@inline const noEdge: u32 = 0x7fffffff;
// @ts-ignore
@inline const knownMark: u32 = 0x08000000;
// @ts-ignore
@inline const scopeMark: u32 = 0x10000000;
// @ts-ignore
@inline const visibleMark: u32 = 0x20000000;
// @ts-ignore
@inline const plainMark: u32 = 0x04000000;
// @ts-ignore
@inline const groupMask: u32 = 0x000fffff;

/** The three words of a vertex. */
@inline function recordOf(records: usize, i: u32): usize {
  return records + 12 * <usize>i;
}

@inline function answer(pairs: usize, mask: u32, key: u32): u32 {
  let at = ((key * 0x9e3779b1) >>> 8) & mask;
  let pair = pairs + (<usize>at << 3);
  let found = load<u32>(pair);
  while (found != 0) {
    if (found == key + 1) return load<u32>(pair, 4);
    at = (at + 1) & mask;
    pair = pairs + (<usize>at << 3);
    found = load<u32>(pair);
  }
  return unknown;
}

/** Writes class and marks of every vertex; stops at a node of which an answer is missing, and returns it. */
export function classWords(
  first: u32, last: u32, kind: usize, name: usize, plain: usize, acts: usize, objectName: u32, emptyName: u32, scopeName: u32, order: usize, roles: usize,
  ids: usize, known: usize, knownWords: u32, text: u32, pairs: usize, mask: u32, records: usize,
): u32 {
  let lastKey: u32 = unknown;
  let lastFound: u32 = 0;
  for (let n = first; n < last; n++) {
    const i = word(order, n);
    const does = <u32>load<u8>(acts + (load<u8>(kind + n) & 63));
    const role = <u32>load<u8>(roles + i);
    const hidden = (role & 64) == 0;
    const index = bit(plain, n) ? objectName : word(name, n);
    let w = visibleMark | text;
    if (hidden) w = index == scopeName ? scopeMark : 0;
    else if (does < 5 || does > 7) {
      const asked: u32 = does == 4 ? 2 : does == 1 || does == 2 ? 1 : 3;
      const key = 16 * index + asked;
      if (key != lastKey) {
        lastFound = answer(pairs, mask, key);
        if (lastFound == unknown) return n;
        lastKey = key;
      }
      w = visibleMark | lastFound;
    }
    if (index == objectName || index == emptyName) w |= plainMark;
    const id = word(ids, n);
    if ((id >>> 5) < knownWords && ((word(known, id >>> 5) >>> (id & 31)) & 1) != 0) w |= knownMark;
    store<u32>(recordOf(records, i), w | ((role >= 128 ? 10 : role & 63) << 20));
  }
  return last;
}

/** How a search with groups goes on, and how many groups there are and have a place. */
export let groupNow: u32 = 0;
export let groupWaiting: u32 = 0;
export let groupVertex: u32 = 0;
export let groupEdge: u32 = 0;
export let groupKey: u32 = 0;
export let groupCount: u32 = 0;
export let groupsPlaced: u32 = 0;

/** The group below `owner` with this label and class; made when there is none and room for it. */
@inline function groupOf(
  owner: u32, label: u32, cls: u32, parents: usize, labels: usize, classes: usize, counts: usize, fresh: usize, places: usize,
  bytes: usize, knownBytes: usize, slots: usize, mask: u32, most: u32,
): u32 {
  let above = owner;
  for (let period = 1; period <= 3 && above > 0; period++) {
    const before = word(parents, above);
    if (
      word(labels, above) == label && word(classes, above) == cls &&
      (period == 1 || word(labels, before) == word(labels, owner) && word(classes, before) == word(classes, owner))
    ) return above;
    above = before;
  }
  const mixed = (owner * 0x9e3779b1 ^ label) * 0x85ebca6b ^ cls;
  let slot = (((mixed ^ (mixed >>> 15)) * 0xc2b2ae35) >>> 8) & mask;
  let found = word(slots, slot);
  while (found != 0) {
    if (word(parents, found - 1) == owner && word(labels, found - 1) == label && word(classes, found - 1) == cls) return found - 1;
    slot = (slot + 1) & mask;
    found = word(slots, slot);
  }
  if (groupCount >= most) return owner;
  const group = groupCount++;
  setWord(slots, slot, groupCount);
  setWord(parents, group, owner);
  setWord(labels, group, label);
  setWord(classes, group, cls);
  setWord(counts, group, 0);
  setWord(fresh, group, 0);
  setWord(places, group, 0);
  setFloat(bytes, group, 0);
  setFloat(knownBytes, group, 0);
  return group;
}

/**
 * Settles at most `budget` vertices and gives those that they reach their groups; the counters above say how to go on. Own bytes are added
 * to the groups, but those of the largest sizes, which are kept apart.
 */
export function groupedPaths(
  now: u32, waiting: u32, resumeVertex: u32, resumeEdge: u32, placed: u32, count: u32, budget: u32, firstEdge: usize, to: usize,
  vertex: usize, reached: usize, pool: usize, records: usize, edgeWords: usize, name: usize,
  plain: usize, objectName: u32, pairs: usize, mask: u32, property: u32, variable: u32, slotType: u32, element: u32, internal: u32,
  dictionaryEdges: u32, parents: usize, labels: usize, classes: usize, counts: usize, fresh: usize, samples: usize, places: usize,
  bytes: usize, knownBytes: usize, slots: usize, slotMask: u32, most: u32, size: usize,
): void {
  let at = now;
  let wait = waiting;
  let left = budget;
  let edge = resumeEdge;
  let i = resumeVertex;
  groupCount = count;
  groupsPlaced = placed;
  while (edge != noEdge || (wait > 0 && left > 0)) {
    let e = edge;
    if (e == noEdge) {
      while (word(pool, at & 63) == 0) at++;
      i = pop(pool, at & 63);
      wait--;
      left--;
      const settled = load<u32>(recordOf(records, i));
      const group = settled & groupMask;
      const own = word(size, word(vertex, i));
      if (own != 0xffffffff && i != 0) {
        setFloat(bytes, group, float(bytes, group) + <f64>own);
        if ((settled & knownMark) != 0) setFloat(knownBytes, group, float(knownBytes, group) + <f64>own);
      }
      if (settled >= visibleMark && i != 0) {
        if (word(places, group) == 0) setWord(places, group, ++groupsPlaced);
        setWord(counts, group, word(counts, group) + 1);
        const news = word(fresh, group);
        if ((settled & knownMark) == 0) {
          setWord(fresh, group, news + 1);
          setWord(samples, group, i);
        } else if (news == 0) setWord(samples, group, i);
      }
      e = word(firstEdge, word(vertex, i));
    }
    edge = noEdge;
    const record = recordOf(records, i);
    const v = word(vertex, i);
    const begin = word(firstEdge, v);
    const end = word(firstEdge, v + 1);
    const self = load<u32>(record);
    const owner = self & groupMask;
    // By what properties of this node are told apart.
    const properties: u32 = (self & plainMark) != 0 || end - begin > dictionaryEdges ? 5 : 4;
    const open = load<u32>(record, 4);
    for (; e < end; e++) {
      const j = word(to, e);
      if (j >= 0x80000000 || bit(reached, j)) continue;
      const target = recordOf(records, j);
      const w = load<u32>(target);
      let label = open - 1;
      if (open == 0) {
        const said = word(edgeWords, e);
        const type = said >>> 28;
        let key: u32 = unknown;
        if (type == slotType) label = element;
        else if (type == property || type == variable) {
          key = (said & 0x0fffffff) * 16 + (type == property ? properties : 6);
          label = answer(pairs, mask, key);
        } else if (w >= visibleMark) label = internal;
        else {
          key = 16 * (bit(plain, v) ? objectName : word(name, v)) + 7;
          label = answer(pairs, mask, key);
        }
        if (label == unknown) { groupKey = key; edge = e; break; }
      }
      setBit(reached, j);
      store<u32>(target, e, 8);
      pushVertex(pool, (at + ((w >>> 20) & 63)) & 63, j);
      wait++;
      if (w < visibleMark) {
        store<u32>(target, owner | (w & (knownMark | plainMark)));
        store<u32>(target, (w & scopeMark) == 0 ? label + 1 : 0, 4);
      } else {
        const group = groupOf(owner, label, w & groupMask, parents, labels, classes, counts, fresh, places, bytes, knownBytes, slots, slotMask, most);
        store<u32>(target, group | (w & (visibleMark | knownMark | plainMark)));
        store<u32>(target, 0, 4);
      }
    }
    if (edge != noEdge) break;
  }
  groupNow = at;
  groupWaiting = wait;
  groupVertex = i;
  groupEdge = edge;
}
