import { formatByteSize } from '@plimsoll/core/units';
import type { ActionContext, ActionOf } from './action.ts';

/** Tells the operator of a program that has no alerts. */
export const warn: ActionOf<'warn'> = {
  plan: (context) => ({ text: `would have warned: ${sentenceOf(context)}`, projectedBytes: 0 }),
  run(context) {
    process.emitWarning(sentenceOf(context), { type: 'PlimsollWarning' });
    return { text: `warned: ${sentenceOf(context)}`, releasedBytes: 0 };
  },
};

function sentenceOf({ scope, level, usedBytes, limitBytes }: ActionContext): string {
  return `${scope} holds ${formatByteSize(usedBytes)} of ${formatByteSize(limitBytes)}, level ${level}.`;
}
