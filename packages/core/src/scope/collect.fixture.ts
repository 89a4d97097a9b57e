import { setImmediate as turn } from 'node:timers/promises';

/** Runs major GCs and the finalizers after them until the condition holds; false when it never did. */
export async function collectUntil(condition: () => boolean, rounds = 30): Promise<boolean> {
  for (let round = 0; round < rounds; round += 1) {
    // What the condition dereferenced stays alive to the end of its job.
    await turn();
    (globalThis.gc as NodeJS.GCFunction)();
    // Finalizers run in a task of their own after the collection.
    await turn();
    await turn();
    if (condition()) return true;
  }
  return false;
}

/** Used heap after the garbage is gone. */
export async function usedHeap(): Promise<number> {
  for (let round = 0; round < 6; round += 1) {
    (globalThis.gc as NodeJS.GCFunction)();
    await turn();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

/** Process warnings with their code that come while the work runs. */
export async function warningsOf(work: () => unknown): Promise<string[]> {
  const seen: string[] = [];
  const listener = (warning: Error & { code?: string }): void => {
    seen.push(`${warning.code}: ${warning.message}`);
  };
  process.on('warning', listener);
  await work();
  await turn();
  process.off('warning', listener);
  return seen;
}
