import type { OptionsOf } from '../policy/actions.ts';
import { formatPercent } from '../policy/form/quantity.ts';
import type { ActionContext, ActionOf } from './action.ts';
import { skipped } from './action.ts';

const defaultScaled = { min: 0.8, max: 0.95 };

/** Refuses a share of new work that follows the pressure, so that load falls smoothly instead of at a cliff. */
export const admitThrottle: ActionOf<'admit.throttle'> = {
  plan: (context) => ({ text: `would have refused ${share(context)}.`, projectedBytes: 0 }),
  run(context) {
    if (context.levers.admission === undefined)
      return skipped('nothing asks the shed points in this process.');
    set(context);
    return { text: `refuses ${share(context)}.`, releasedBytes: 0 };
  },
  follow: set,
  release: (levers) => levers.admission?.release('throttle'),
};

type Context = ActionContext<OptionsOf<'admit.throttle'>>;

function set(context: Context): void {
  const { options, levers, level } = context;
  levers.admission?.throttle({
    ratio: ratioOf(context),
    ...(options.only === undefined ? {} : { only: options.only }),
    ...(options['retry-after'] === undefined ? {} : { retryAfterMs: options['retry-after'] }),
    reason: `memory is at level ${level}`,
  });
}

function ratioOf({ options, usedBytes, limitBytes }: Context): number {
  const { min, max } = options.scaled ?? defaultScaled;
  return Math.min(1, Math.max(0, (usedBytes / limitBytes - min) / (max - min)));
}

function share(context: Context): string {
  const { only } = context.options;
  return `${formatPercent(ratioOf(context))} of new${only === undefined ? '' : ` ${only}`} work, following the pressure`;
}
