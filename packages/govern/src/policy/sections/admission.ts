import { amount, percent, whole } from '../form/quantity.ts';
import type { Amount } from '../form/amount.ts';
import type { ValueOf } from '../form/shape.ts';
import { optional, table } from '../form/shape.ts';

/** Limits of the shed points at any level, also at normal. A missing one is unbounded. */
export interface SteadyLimits {
  /** Most runs at once. */
  readonly runs?: number;
  /** Most agent scopes open at once. */
  readonly agents?: number;
  /** Most delegations at once, over all trees. */
  readonly delegations?: number;
  /** Least free memory below the limit that binds for admitting new work. */
  readonly freeMemory?: Amount;
  /** Highest share of busy time of the event loop before new work waits. */
  readonly cpuRatio?: number;
}

export const steadyDefaults: SteadyLimits = {};

const most = 1_000_000;

/** The section `admission` of a policy. */
export const admissionSection = table('the admission', {
  runs: optional(whole('a number of runs', '100', 1, most), 'Most runs at once. Default: no bound.'),
  agents: optional(
    whole('a number of agents', '50', 1, most),
    'Most agent scopes open at once; at the bound no session, run or delegation begins. Default: no bound.',
  ),
  delegations: optional(
    whole('a number of delegations', '32', 1, most),
    'Most delegations at once, over all trees. Default: no bound.',
  ),
  'free-memory': optional(
    amount('10%'),
    'Least memory free below the limit that binds, as a size or a share of it; with less no session, run or delegation begins. Default: none.',
  ),
  cpu: optional(
    percent('90%'),
    'Most of the time that the event loop may be busy, over the last seconds; above it no session, run or delegation begins. Default: no bound.',
  ),
});

export function steadyLimitsOf(given: ValueOf<typeof admissionSection> | undefined): SteadyLimits {
  if (given === undefined) return steadyDefaults;
  const { runs, agents, delegations, 'free-memory': freeMemory, cpu } = given;
  return {
    ...(runs === undefined ? {} : { runs }),
    ...(agents === undefined ? {} : { agents }),
    ...(delegations === undefined ? {} : { delegations }),
    ...(freeMemory === undefined ? {} : { freeMemory }),
    ...(cpu === undefined ? {} : { cpuRatio: cpu }),
  };
}
