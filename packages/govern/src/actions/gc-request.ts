import { formatDuration } from '@plimsoll/core/units';
import type { ActionOf } from './action.ts';
import { skipped } from './action.ts';

const defaultEveryMs = 30_000;

/** One full collection. It frees only garbage. Its purpose is to make the effect of earlier actions visible at once. */
export const gcRequest: ActionOf<'gc.request'> = {
  plan: () => ({ text: 'would have asked V8 for one full collection.', projectedBytes: 0 }),
  run({ levers }) {
    if (levers.gc === undefined) return skipped('this process cannot ask for a collection.');
    const started = performance.now();
    levers.gc();
    return {
      text: `asked V8 for one full collection, which took ${formatDuration(performance.now() - started)}`,
      releasedBytes: 0,
    };
  },
  cooldownMs: (options) => options.every ?? defaultEveryMs,
};
