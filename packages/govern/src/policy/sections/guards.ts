import { duration, percent } from '../form/quantity.ts';
import type { ValueOf } from '../form/shape.ts';
import { optional, table } from '../form/shape.ts';
import type { Rate } from '../form/span.ts';
import { rate } from '../form/span.ts';

const minute = 60_000;

/** Rules that prevent harm by the ladder itself. */
export interface GuardRules {
  readonly destructive: {
    /** Most scopes stopped in any period of this length. */
    readonly rate: Rate;
    /** Share of the open scopes of a kind that may be stopped in that time; one is always allowed. */
    readonly shareOfWorkRatio: number;
  };
  readonly selfDisable: {
    /** Share of refused work, and the time without falling pressure, after which refusing counts as useless. */
    readonly shedShareRatio: number;
    readonly forMs: number;
  };
}

export const guardDefaults: GuardRules = {
  destructive: { rate: { count: 10, perMs: minute }, shareOfWorkRatio: 0.1 },
  selfDisable: { shedShareRatio: 0.5, forMs: 5 * minute },
};

/** The section `guards` of a policy. */
export const guardsSection = table('the guards', {
  destructive: optional(
    table('the guard of destructive actions', {
      rate: optional(rate('10/m'), 'Most scopes stopped in any stretch of that time. Default 10/m.'),
      'share-of-work': optional(
        percent('10%'),
        'Most of the open scopes of one kind that are stopped in that time; one is always allowed. Default 10%.',
      ),
    }),
    'Bounds for scope.stop.',
  ),
  'self-disable': optional(
    table('the self-disabling', {
      'shed-share': optional(percent('50%'), 'Share of the work that is refused. Default 50%.'),
      for: optional(
        duration('5m', 10_000, 1440 * minute),
        'How long it has to last without pressure falling. Default 5m.',
      ),
    }),
    'When refusing does not help at level critical, the ladder stops refusing until the level is normal or emergency, or the policy changes. At emergency it refuses on until the restart.',
  ),
});

export function guardRulesOf(given: ValueOf<typeof guardsSection> | undefined): GuardRules {
  const base = guardDefaults;
  return {
    destructive: {
      rate: given?.destructive?.rate ?? base.destructive.rate,
      shareOfWorkRatio: given?.destructive?.['share-of-work'] ?? base.destructive.shareOfWorkRatio,
    },
    selfDisable: {
      shedShareRatio: given?.['self-disable']?.['shed-share'] ?? base.selfDisable.shedShareRatio,
      forMs: given?.['self-disable']?.for ?? base.selfDisable.forMs,
    },
  };
}
