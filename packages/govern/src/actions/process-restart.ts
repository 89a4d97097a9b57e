import { formatUsedOfLimit } from '@plimsoll/core/units';
import { formatDuration } from '@plimsoll/core/units';
import type { RestartRequest } from '@plimsoll/core/internal/gate/drain-hooks';
import type { OptionsOf } from '../policy/actions.ts';
import type { ActionContext, ActionOf } from './action.ts';
import { isByHand, skipped } from './action.ts';

const defaults = { drainMs: 30_000, jitterMs: 60_000, atMost: { count: 3, perMs: 3_600_000 } };

/** The last action, for an emergency that no other action ends. The lever turns readiness off, drains, parks and ends the process. */
export const processRestart: ActionOf<'process.restart'> = {
  plan: (context) => ({
    text: `would have drained for up to ${formatDuration(context.options.drain ?? defaults.drainMs)} and ended the process: ${reasonOf(context)}.`,
    projectedBytes: context.usedBytes,
  }),
  run(context) {
    const { options, levers, scope, level } = context;
    if (levers.restart === undefined) return skipped('this process may not end itself.');
    const drainMs = options.drain ?? defaults.drainMs;
    const answer = levers.restart({
      drainMs,
      jitterMs: options.jitter ?? defaults.jitterMs,
      atMost: options['at-most'] ?? defaults.atMost,
      reason: reasonOf(context),
      scope,
      level,
      ...(options['min-uptime'] === undefined ? {} : { minUptimeMs: options['min-uptime'] }),
      ...handoverOf(options),
    });
    if (answer.state === 'refused') return skipped(`may not restart: ${answer.why}.`);
    if (answer.despite !== undefined)
      return {
        text: `ends the process in order, because it is about to die; a restart would have been refused: ${answer.despite}.`,
        releasedBytes: 0,
      };
    return {
      text: `drains for up to ${formatDuration(drainMs)} and ends the process: ${reasonOf(context)}.`,
      releasedBytes: 0,
    };
  },
  /** A refused restart is tried again soon, because its reason, such as a young process, passes. */
  cooldownMs: () => 10_000,
};

/** The policy's bounds for restarts in which the next life takes over first. */
export function handoverOf({
  overlap,
  handovers,
}: OptionsOf<'process.restart'>): Pick<RestartRequest, 'handovers' | 'overlapBytes'> {
  return {
    ...(handovers !== undefined && { handovers }),
    ...(overlap !== undefined && overlap !== 'auto' && { overlapBytes: overlap === 'off' ? 0 : overlap }),
  };
}

function reasonOf({ usedBytes, limitBytes, level, change }: ActionContext): string {
  // A request by a person does not depend on the level.
  if (isByHand(change)) return `asked for ${change.rule}`;
  return `it holds ${formatUsedOfLimit(usedBytes, limitBytes)} at level ${level} and no rung of the ladder freed enough`;
}
