// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.
import { setWord } from './memory';

/** Where the last call stopped reading. */
export let stringPosition: usize = 0;
/** 0 between strings, 1 inside, 2 after a backslash, 3 after a comma, 4 at the end of the section, 5 at a bad byte. */
export let stringState: u32 = 0;
/** How many words of the list of noteworthy strings are used. */
export let stringNotes: u32 = 0;
/** How many offsets were written. */
export let stringOffsets: u32 = 0;

/** Bytes that have to follow a quote, so that the beginning of a string can be looked at. */
const ahead: usize = 32;

/**
 * Walks over strings: the position of every 16th goes to `offsets`, number and position of those that are empty or begin
 * like one of the three prefixes or like the name of a WeakMap pair to `notes`. Returns how many strings began.
 */
export function strings(
  p: usize, end: usize, last: u32, state: u32, count: u32, offsets: usize, notes: usize,
  prefixA: u64, prefixB: u64, word7: u64,
): u32 {
  const quote = i8x16.splat(34);
  const slash = i8x16.splat(92);
  const space = i8x16.splat(32);
  const first = count;
  let offset: u32 = 0;
  let note: u32 = 0;
  while (p < end) {
    if (state == 1) {
      while (p + 16 <= end) {
        const v = v128.load(p);
        const m = i8x16.bitmask(v128.or(v128.or(i8x16.eq(v, quote), i8x16.eq(v, slash)), i8x16.lt_u(v, space)));
        if (m) { p += <usize>ctz(m); break; }
        p += 16;
      }
      if (p >= end) break;
      const c = load<u8>(p);
      if (c == 34) state = 0;
      else if (c == 92) state = 2;
      else if (c < 32) { state = 5; break; }
      p++;
      continue;
    }
    if (state == 2) { p++; state = 1; continue; }
    const c = load<u8>(p);
    if (c == 34 && (state == 3 || count == 0)) {
      if (last == 0 && p + ahead > end) break;
      if ((count & 15) == 0) setWord(offsets, offset++, <u32>p);
      const head = load<u64>(p + 1);
      if ((head & 0xff) == 34 || head == prefixA || head == prefixB || (head & 0x00ffffffffffffff) == word7 || isPairName(p + 1)) {
        setWord(notes, note, count);
        setWord(notes, note + 1, <u32>p);
        note += 2;
      }
      count++;
      state = 1;
      p++;
    } else if (c == 44 && state == 0 && count > 0) {
      state = 3;
      p++;
    } else if (c == 93 && state == 0) {
      state = 4;
      p++;
      break;
    } else if (c == 32 || c == 10 || c == 13 || c == 9) {
      p++;
    } else {
      state = 5;
      break;
    }
  }
  stringPosition = p;
  stringState = state;
  stringNotes = note;
  stringOffsets = offset;
  return count - first;
}

/** Digits and a space, as in "17 / part of key (...". */
@inline function isPairName(p: usize): bool {
  let c = <u32>load<u8>(p) - 48;
  if (c > 9) return false;
  let k = p + 1;
  while (k < p + 16) {
    c = <u32>load<u8>(k);
    if (c - 48 > 9) return c == 32 && load<u8>(k + 1) == 47;
    k++;
  }
  return true;
}
