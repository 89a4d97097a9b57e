import type { ActionContext, ActionOf } from './action.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { bytesOf, keepersOf, planOfShed, shedAll } from './keeper-shed.ts';
import type { KeeperWish } from './keeper-shed.ts';

const defaultKinds = ['pool', 'weak-registry', 'cache'];

export const cacheDrop: ActionOf<'cache.drop'> = {
  plan: (context) => planOfShed('drop', wishes(context)),
  run: (context) => shedAll('drop', wishes(context), context.signal),
};

function wishes(context: ActionContext<OptionsOf<'cache.drop'>>): KeeperWish[] {
  return keepersOf(context, context.options.kinds ?? defaultKinds).map((keeper) => ({
    keeper,
    request: { bytes: Math.max(1, bytesOf(keeper)), reason: 'pressure' },
  }));
}
