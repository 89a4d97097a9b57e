import { formatUsedOfLimit } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { ActionContext, ActionOf } from './action.ts';

/** The alert itself is the record that the ladder publishes; this is its sentence. */
export const notify: ActionOf<'notify'> = {
  plan: (context) => ({ text: 'would have raised an alert: ' + sentence(context), projectedBytes: 0 }),
  run: (context) => ({ text: sentence(context), releasedBytes: 0 }),
};

function sentence({ change, usedBytes, limitBytes }: ActionContext): string {
  const { scope, level, from, source, rule, timeToLimitMs } = change;
  const forecast =
    timeToLimitMs === undefined
      ? ''
      : `, at this growth the limit is reached in ${formatDuration(timeToLimitMs)}`;
  return `${scope} holds ${formatUsedOfLimit(usedBytes, limitBytes)} by ${source}, level ${level} (was ${from})${forecast}; rule ${rule}.`;
}
