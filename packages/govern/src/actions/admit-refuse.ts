import type { OptionsOf } from '../policy/actions.ts';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionOf } from './action.ts';
import { skipped } from './action.ts';

const defaultRetry = { min: 5000, max: 20_000 };

/** Refuses new work. It frees nothing itself, so the rungs that free memory run again while it is in force. */
export const admitRefuse: ActionOf<'admit.refuse'> = {
  plan: ({ options }) => ({ text: `would have refused ${what(options)}.`, projectedBytes: 0 }),
  run({ options, levers, level }) {
    if (levers.admission === undefined) return skipped('nothing asks the shed points in this process.');
    levers.admission.refuse({
      ...(options.only === undefined ? {} : { only: options.only }),
      except: options.except ?? [],
      retryAfterMs: options['retry-after'] ?? defaultRetry,
      reason: `memory is at level ${level}`,
    });
    return { text: `refuses ${what(options)}.`, releasedBytes: 0 };
  },
  release: (levers) => levers.admission?.release('refuse'),
};

function what(options: OptionsOf<'admit.refuse'>): string {
  const { only, except = [] } = options;
  const { min, max } = options['retry-after'] ?? defaultRetry;
  const spared = except.length === 0 ? '' : ` but ${except.join(', ')}`;
  return `new${only === undefined ? '' : ` ${only}`} work${spared}, to come back in ${formatDuration(min)} to ${formatDuration(max)}`;
}
