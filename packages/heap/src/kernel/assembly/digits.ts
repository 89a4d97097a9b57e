// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.

/** What `digits` answers when the text is not a number of 1 to 16 digits. */
// @ts-ignore
@inline export const invalid: u64 = 0xffffffffffffffff;

const zeros: u64 = 0x3030303030303030;
const sixes: u64 = 0x0606060606060606;
const highs: u64 = 0xf0f0f0f0f0f0f0f0;

/** Eight digits as bytes, most significant first in memory, to a number (SWAR: pairs, fours, all eight). */
@inline function fold(bytes: u64): u64 {
  let t = ((bytes * 2561) >> 8) & 0x00ff00ff00ff00ff;
  t = ((t * 6553601) >> 16) & 0x0000ffff0000ffff;
  return (t * 42949672960001) >> 32;
}

/** The number written from `start` to `end`. Reads the eight bytes before `end`, whatever stands there. */
@inline export function digits(start: usize, end: usize): u64 {
  const length = end - start;
  if (length - 1 >= 8) return wide(start, end);
  const shift = <u64>(64 - (length << 3));
  const bytes = ((load<u64>(end - 8) ^ zeros) >> shift) << shift;
  if ((((bytes + sixes) | bytes) & highs) != 0) return invalid;
  return fold(bytes);
}

/** As `digits`, faster for the numbers of one or two digits that are usual in some fields. */
@inline export function shortDigits(start: usize, end: usize): u64 {
  const length = end - start;
  if (length - 1 >= 2) return digits(start, end);
  const pair = <u32>load<u16>(end - 2);
  const ones = (pair >> 8) - 48;
  const tens = length == 2 ? (pair & 0xff) - 48 : 0;
  if (ones > 9 || tens > 9) return invalid;
  return <u64>(tens * 10 + ones);
}

function wide(start: usize, end: usize): u64 {
  const length = end - start;
  if (length == 0 || length > 16) return invalid;
  const low = load<u64>(end - 8) ^ zeros;
  const shift = <u64>(128 - (length << 3));
  const high = length == 16 ? load<u64>(end - 16) ^ zeros : ((load<u64>(end - 16) ^ zeros) >> shift) << shift;
  if (((((low + sixes) | low) | ((high + sixes) | high)) & highs) != 0) return invalid;
  return fold(high) * 100000000 + fold(low);
}

/** One bit per byte of the 32 at `p`: set where the byte is a comma. */
@inline export function commas32(p: usize): u32 {
  const comma = i8x16.splat(44);
  const a = <u32>i8x16.bitmask(i8x16.eq(v128.load(p), comma));
  const b = <u32>i8x16.bitmask(i8x16.eq(v128.load(p, 16), comma));
  return a | (b << 16);
}

/** One bit per byte of the 64 at `p`: set where the byte is a comma. */
@inline export function commas(p: usize): u64 {
  const comma = i8x16.splat(44);
  const a = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(p), comma)));
  const b = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(p, 16), comma)));
  const c = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(p, 32), comma)));
  const d = <u64>(<u32>i8x16.bitmask(i8x16.eq(v128.load(p, 48), comma)));
  return a | (b << 16) | (c << 32) | (d << 48);
}
