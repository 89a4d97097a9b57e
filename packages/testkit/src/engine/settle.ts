import { setImmediate as turn } from 'node:timers/promises';
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

/** Collections per reading. The first may leave what a finalizer or a WeakRef still held; the third frees nothing in practice. */
const collections = 3;

/** Lets pending work of the loop run and collects until only what is reachable is left. */
export async function settle(times = collections): Promise<void> {
  const collect = collector();
  for (let i = 0; i < times; i++) {
    await turn();
    collect();
  }
  await turn();
}
