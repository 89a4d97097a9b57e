import { formatUsedOfLimit } from '../units/byte-size.ts';
import { formatDuration } from '../units/duration.ts';
import type { ActionRunner } from './action.ts';

/** The alert itself is the record that the ladder publishes; this is its sentence. */
export const notify: ActionRunner = ({ change }) => {
  const { scope, usedBytes, limitBytes, level, from, source, rule, timeToLimitMs } = change;
  const forecast =
    timeToLimitMs === undefined
      ? ''
      : `, at this growth the limit is reached in ${formatDuration(timeToLimitMs)}`;
  return {
    text: `${scope} holds ${formatUsedOfLimit(usedBytes, limitBytes)} by ${source}, level ${level} (was ${from})${forecast}; rule ${rule}.`,
    freedBytes: 0,
  };
};
