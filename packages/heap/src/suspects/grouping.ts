/** The member of middle size, so that neither the empty nor the one giant stands for all. */
export function middleMember(members: Uint32Array, bytesOf: (node: number) => number): number {
  const size = Math.min(members.length, 201);
  const step = members.length / size;
  const sample = Array.from({ length: size }, (_, i) => members[Math.floor(i * step)] as number);
  sample.sort((a, b) => bytesOf(a) - bytesOf(b) || a - b);
  return sample[sample.length >> 1] as number;
}
