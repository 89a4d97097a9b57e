/** Timings and heap figures shared by the keepers' rows. */
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

/** Used heap once the garbage is gone. */
export async function usedHeap(): Promise<number> {
  for (let round = 0; round < 6; round++) {
    gc();
    await turn();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

type Work = () => unknown;

/**
 * Nanoseconds per operation, one block of each rival in turn. A sample is the fastest of three blocks: on a shared machine a block that was
 * pre-empted says nothing about the code.
 */
export async function interleaved<Name extends string>(
  repeats: number,
  operations: number,
  work: Record<Name, Work>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(work) as Name[];
  const samples = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let repeat = -4; repeat < repeats; repeat++)
    for (const name of names) {
      let best = Number.POSITIVE_INFINITY;
      for (let block = 0; block < 3; block++) {
        const start = process.hrtime.bigint();
        await work[name]();
        best = Math.min(best, Number(process.hrtime.bigint() - start) / operations);
      }
      if (repeat >= 0) samples[name].push(best);
    }
  return samples;
}
