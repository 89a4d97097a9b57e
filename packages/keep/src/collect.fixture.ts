import { setImmediate as turn } from 'node:timers/promises';

/** Used heap after the garbage is gone. */
export async function usedHeap(): Promise<number> {
  for (let round = 0; round < 6; round += 1) {
    (globalThis.gc as NodeJS.GCFunction)();
    await turn();
    await turn();
  }
  return process.memoryUsage().heapUsed;
}

/** Runs major GCs until the object behind the reference is gone; false when it stays. */
export async function isCollected(ref: WeakRef<object>): Promise<boolean> {
  for (let round = 0; round < 20; round += 1) {
    await turn();
    (globalThis.gc as NodeJS.GCFunction)();
    await turn();
    if (ref.deref() === undefined) return true;
  }
  return false;
}
