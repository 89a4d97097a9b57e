import type { ActionContext, ActionOf } from './action.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { bytesOf, keepersOf, planOfShed, shedAll } from './keeper-shed.ts';
import type { KeeperWish } from './keeper-shed.ts';

const defaultTo = 0.25;

/** Trims replay buffers. Entries that a reader has not read yet stay, on disk or in memory. */
export const replayTrim: ActionOf<'replay.trim'> = {
  plan: (context) => planOfShed('trim', wishes(context)),
  run: (context) => shedAll('trim', wishes(context), context.signal),
};

function wishes(context: ActionContext<OptionsOf<'replay.trim'>>): KeeperWish[] {
  const { to = defaultTo } = context.options;
  return keepersOf(context, ['replay-buffer']).map((keeper) => ({
    keeper,
    request: { bytes: Math.max(1, Math.ceil((1 - to) * bytesOf(keeper))), reason: 'pressure' },
  }));
}
