/**
 * CPU time of rivals, decided by pairs: on a machine that others use, two blocks that follow each other met the same neighbours, two medians
 * over a minute did not. One block of each rival makes a round, and the order turns with every round, so that no rival always follows the
 * same one.
 */
export type Rounds<Name extends string> = Readonly<Record<Name, readonly number[]>>;

/** CPU nanoseconds per operation, one figure per round. A block has `operations` of them. */
export async function cpuRounds<Name extends string>(
  rounds: number,
  operations: number,
  block: Readonly<Record<Name, () => Promise<unknown>>>,
): Promise<Rounds<Name>> {
  const names = Object.keys(block) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = -2; round < rounds; round++)
    for (let i = 0; i < names.length; i++) {
      const name = names[(i + round + names.length * 2) % names.length] as Name;
      const before = process.cpuUsage();
      await block[name]();
      const { user, system } = process.cpuUsage(before);
      if (round >= 0) samples[name].push((1000 * (user + system)) / operations);
    }
  return samples;
}
