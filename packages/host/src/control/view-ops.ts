import type { Governor } from '@plimsoll/govern/internal/level/governor';
import type { Sampler } from '@plimsoll/core/internal/sense/sampler';
import type { ControlOps } from '../protocol/control.ts';
import { ScopeWatches, scopeOps } from './scopes.ts';
import type { ScopeView } from './scopes.ts';
import { explain } from '@plimsoll/govern/internal/policy/explain';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { failure } from '@plimsoll/core/internal/errors';
import { policyInForce } from '../protocol/policy-in-force.ts';

/** The operations of the live views: scopes, policy, and the explanation of a number. */
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

/** What the operations need of the host. */
interface PolicyView {
  readonly policy: () => Policy;
  readonly limitBytes: () => number;
}

/** `explain` with `{ scope }`, and `policy`: the policy in force, which may differ from the file. */
export function policyOps({ policy, limitBytes }: PolicyView): ControlOps {
  return {
    explain: ({ scope }) => {
      if (typeof scope !== 'string' || scope.length === 0 || scope.length > 4096) {
        const accepted = '{"scope":"process/agent:planner/session:42"}';
        throw failure('PLM_CONTROL_BAD_REQUEST', { reason: 'there is no scope path in it', accepted });
      }
      return explain(policy(), scope, limitBytes());
    },
    policy: () => policyInForce(policy(), limitBytes()),
  };
}
