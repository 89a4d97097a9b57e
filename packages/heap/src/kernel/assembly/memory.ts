// @ts-nocheck AssemblyScript: compiled by scripts/build-kernel.ts, not by tsc.

/** Word `i` of the 32-bit column that begins at `base`. */
@inline export function word(base: usize, i: u32): u32 {
  return load<u32>(base + (<usize>i << 2));
}

@inline export function setWord(base: usize, i: u32, value: u32): void {
  store<u32>(base + (<usize>i << 2), value);
}

@inline export function bit(base: usize, i: u32): bool {
  return ((<u32>load<u8>(base + (i >> 3)) >> (i & 7)) & 1) != 0;
}

@inline export function setBit(base: usize, i: u32): void {
  store<u8>(base + (i >> 3), <u8>(<u32>load<u8>(base + (i >> 3)) | (<u32>1 << (i & 7))));
}

@inline export function float(base: usize, i: u32): f64 {
  return load<f64>(base + (<usize>i << 3));
}

@inline export function setFloat(base: usize, i: u32, value: f64): void {
  store<f64>(base + (<usize>i << 3), value);
}

/** Marks an edge that retains nothing. */
// @ts-ignore
@inline export const weakBit: u32 = 0x80000000;
