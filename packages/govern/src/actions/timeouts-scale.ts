import { keepers as rosterKeepers } from '@plimsoll/core/keeper';
import type { Keeper } from '@plimsoll/core/keeper';
import type { OptionsOf } from '../policy/actions.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import type { ActionContext, ActionOf } from './action.ts';
import { skipped } from './action.ts';
import type { Levers } from './levers.ts';

const defaultFloor = 0.1;

/** Shortens idle timeouts with rising pressure: from the full timeout at the top of warning to the floor at emergency. */
export const timeoutsScale: ActionOf<'timeouts.scale'> = {
  plan: (context) => ({
    text: `would have scaled the idle timeouts of ${scalable(context.levers).length} keepers to ${formatPercent(scaleOf(context))}.`,
    projectedBytes: 0,
  }),
  run(context) {
    const found = scalable(context.levers);
    if (found.length === 0) return skipped('no keeper has an idle timeout that scales.');
    const ratio = scaleOf(context);
    apply(found, ratio);
    return {
      text: `scaled the idle timeouts of ${found.length} keepers to ${formatPercent(ratio)}.`,
      releasedBytes: 0,
    };
  },
  follow: (context) => apply(scalable(context.levers), scaleOf(context)),
  release: (levers) => apply(scalable(levers), 1),
};

function scaleOf({
  usedBytes,
  limitBytes,
  policy,
  options,
}: ActionContext<OptionsOf<'timeouts.scale'>>): number {
  const from = policy.levels.warning.exitRatio;
  const to = policy.levels.emergency.enterRatio;
  const scale = 1 - (usedBytes / limitBytes - from) / (to - from);
  return Math.min(1, Math.max(options.floor ?? defaultFloor, scale));
}

function scalable(levers: Levers): readonly Keeper[] {
  return (levers.keepers ?? rosterKeepers)().filter((keeper) => keeper.scaleIdle !== undefined);
}

function apply(found: readonly Keeper[], ratio: number): void {
  for (const keeper of found) {
    try {
      keeper.scaleIdle?.(ratio);
    } catch {
      // A keeper of the program's own keeps its timeout.
    }
  }
}
