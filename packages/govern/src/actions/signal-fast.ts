import { formatDuration } from '@plimsoll/core/units';
import type { ActionOf } from './action.ts';
import { skipped } from './action.ts';

const defaultMs = 60_000;

/** Takes readings more often for a while, so that the next rungs are judged on fresh numbers. */
export const signalFast: ActionOf<'signal.fast'> = {
  plan: ({ options, policy }) => ({
    text: `would have read every ${formatDuration(policy.signal.fastMs)} for ${formatDuration(options.for ?? defaultMs)}.`,
    projectedBytes: 0,
  }),
  run({ options, levers, policy }) {
    if (levers.hurry === undefined) return skipped('this process takes no readings.');
    const forMs = options.for ?? defaultMs;
    levers.hurry(forMs);
    return {
      text: `reads every ${formatDuration(policy.signal.fastMs)} for ${formatDuration(forMs)}.`,
      releasedBytes: 0,
    };
  },
};
