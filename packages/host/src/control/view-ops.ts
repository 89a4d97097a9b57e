import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Sampler } from '@plimsoll/core/internal/sense/sampler';
import type { ControlOps } from '../protocol/control.ts';
import { policyOps } from './explain.ts';
import { ScopeWatches, scopeOps } from './scopes.ts';
import type { ScopeView } from './scopes.ts';

/** What the live views ask a process for: its scopes, its policy and the reasons of a number. */
export function viewOps(
  bytes: ScopeView['bytes'],
  governor: Pick<Governor, 'policy' | 'raised'>,
  sampler: Pick<Sampler, 'limits'>,
): ControlOps {
  const policy = (): Governor['policy'] => governor.policy;
  const limitBytes = (): number => sampler.limits.binding.bytes;
  const watches = new ScopeWatches({ bytes, raised: () => governor.raised(), policy, limitBytes });
  return { ...scopeOps(watches), ...policyOps({ policy, limitBytes }) };
}
