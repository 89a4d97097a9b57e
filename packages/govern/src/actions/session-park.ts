import type { OptionsOf } from '../policy/actions.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import type { ActionContext, ActionOf } from './action.ts';
import { skipped } from './action.ts';
import { bytesOf, keepersOf, planOfShed, shedAll } from './keeper-shed.ts';
import type { KeeperWish } from './keeper-shed.ts';

/** Our session caches, and keepers that the program registered with kind "parker". */
const kinds = ['session-cache', 'parker'];
const defaultUntil = 0.7;
const defaultBatch = 50;

/** Parks to a target below the limit. Parking to the limit itself would begin again at once. */
export const sessionPark: ActionOf<'session.park'> = {
  plan: (context) => planOfShed('park', wishes(context)),
  run: (context) =>
    wantedBytes(context) > 0
      ? shedAll('park', wishes(context), context.signal)
      : skipped(`is below ${formatPercent(context.options.until ?? defaultUntil)} already.`),
};

function wantedBytes({ usedBytes, limitBytes, options }: ActionContext<OptionsOf<'session.park'>>): number {
  return Math.ceil(usedBytes - (options.until ?? defaultUntil) * limitBytes);
}

/** Each cache gives in proportion to what it holds. */
function wishes(context: ActionContext<OptionsOf<'session.park'>>): KeeperWish[] {
  const wanted = wantedBytes(context);
  // A cache without sizes parks one batch, and the freed memory is measured.
  const found = wanted > 0 ? keepersOf(context, kinds, 'unknown') : [];
  const held = found.reduce((sum, keeper) => sum + bytesOf(keeper), 0);
  const { order = 'idle-x-size', batch = defaultBatch } = context.options;
  return found.map((keeper) => ({
    keeper,
    request: {
      bytes: Math.max(1, held === 0 ? wanted : Math.ceil((Math.min(wanted, held) * bytesOf(keeper)) / held)),
      reason: 'pressure',
      order,
      atMost: batch,
    },
  }));
}
