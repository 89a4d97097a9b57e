import type { ActionContext, ActionOf } from './action.ts';
import type { OptionsOf } from '../policy/actions.ts';
import { bytesOf, keepersOf, planOfShed, shedAll } from './keeper-shed.ts';
import type { KeeperWish } from './keeper-shed.ts';

/** Kinds whose content can be rebuilt or is spilled to disk. Sessions and conversations are a user's work and have their own actions. */
const defaultKinds = ['pool', 'weak-registry', 'output-bag', 'replay-buffer', 'cache'];
const defaultTo = 0.7;

export const keepersShrink: ActionOf<'keepers.shrink'> = {
  plan: (context) => planOfShed('give up', wishes(context)),
  run: (context) => shedAll('give up', wishes(context), context.signal),
};

function wishes(context: ActionContext<OptionsOf<'keepers.shrink'>>): KeeperWish[] {
  const { to = defaultTo, kinds = defaultKinds } = context.options;
  return keepersOf(context, kinds).map((keeper) => ({
    keeper,
    request: { bytes: Math.max(1, Math.ceil((1 - to) * bytesOf(keeper))), reason: 'pressure' },
  }));
}
