import { setImmediate as turn } from 'node:timers/promises';
import v8 from 'node:v8';
import { exposedGc } from '@plimsoll/core/internal/exposed-gc';
import type { CollectGarbage } from '@plimsoll/core/internal/exposed-gc';
import { failure } from '@plimsoll/core/internal/errors';

let known: CollectGarbage | undefined;

/** V8's full collection, without a flag on the command line. Throws PLM_TESTKIT_NO_GC where V8 does not give it. */
export function collector(): CollectGarbage {
  known ??= exposedGc();
  if (known === undefined) throw failure('PLM_TESTKIT_NO_GC', { node: process.version });
  return known;
}

/**
 * Collections per reading. The first may leave objects that a finalizer or a WeakRef still held. The third frees at most a few hundred
 * bytes.
 */
const collections = 3;
/** From this heap size on fewer collections are enough: those bytes do not matter, and a collection takes a tenth of a second. */
const largeBytes = 24 * 1024 * 1024;
const collectionsWhenLarge = 2;

/** Lets pending work of the loop run and collects until only reachable objects are left. */
export async function settle(times?: number): Promise<void> {
  const collect = collector();
  const count =
    times ?? (v8.getHeapStatistics().used_heap_size > largeBytes ? collectionsWhenLarge : collections);
  for (let i = 0; i < count; i++) {
    await turn();
    collect();
  }
  await turn();
}
