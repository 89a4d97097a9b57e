import { channel } from 'node:diagnostics_channel';
import type { Level } from '@plimsoll/core/internal/level';
import { formatPercent } from '../policy/form/quantity.ts';
import type { ActionContext, ActionOf } from './action.ts';
import { skipped } from './action.ts';

const hintChannel = channel('plimsoll:hint');

/** The message on the channel `plimsoll:hint`, for parts of the program that can reduce their own memory. */
export interface Hint {
  readonly at: number;
  /** Whose memory is short: "process" or the path of a scope. */
  readonly scope: string;
  readonly level: Level;
  /** Used / limit, 0 to 1. */
  readonly ratio: number;
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** Asks the program to reduce its memory. The next reading shows whether it did. */
export const hint: ActionOf<'hint'> = {
  plan: (context) => ({
    text: `would have published plimsoll:hint (pressure ${formatPercent(ratioOf(context))})${hintChannel.hasSubscribers ? '' : ', but nothing subscribes'}.`,
    projectedBytes: 0,
  }),
  run(context) {
    if (!hintChannel.hasSubscribers) return skipped('nothing subscribes to plimsoll:hint.');
    const { scope, level, usedBytes, limitBytes, change } = context;
    const message: Hint = { at: change.at, scope, level, ratio: ratioOf(context), usedBytes, limitBytes };
    hintChannel.publish(message);
    return {
      text: `published plimsoll:hint (pressure ${formatPercent(message.ratio)}).`,
      releasedBytes: 0,
    };
  },
};

function ratioOf({ usedBytes, limitBytes }: ActionContext): number {
  return Math.min(1, Math.max(0, usedBytes / limitBytes));
}
