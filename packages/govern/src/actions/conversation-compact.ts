import type { ActionContext, ActionOf } from './action.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { bytesOf, keepersOf, planOfShed, shedAll } from './keeper-shed.ts';
import type { KeeperWish } from './keeper-shed.ts';

/** Our conversation windows, and keepers that the program registered with kind "conversation". */
const kinds = ['conversation-window', 'conversation'];

export const conversationCompact: ActionOf<'conversation.compact'> = {
  plan: (context) => planOfShed('compact', wishes(context)),
  run: (context) => shedAll('compact', wishes(context), context.signal),
  cooldownMs: () => 5 * 60_000,
};

function wishes(context: ActionContext<OptionsOf<'conversation.compact'>>): KeeperWish[] {
  const keepLast = context.options['keep-last'];
  return keepersOf(context, kinds).map((keeper) => ({
    keeper,
    request: {
      bytes: Math.max(1, bytesOf(keeper)),
      reason: 'pressure',
      ...(keepLast === undefined ? {} : { keepLast }),
    },
  }));
}
