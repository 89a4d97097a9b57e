import { explain } from '@plimsoll/govern/internal/policy/explain';
import type { Policy } from '@plimsoll/govern/internal/policy/policy';
import { failure } from '@plimsoll/core/internal/errors';
import type { ControlOps } from '../protocol/control.ts';
import { policyInForce } from '../protocol/policy-in-force.ts';

/** What the operations need of the host. */
export interface PolicyView {
  readonly policy: () => Policy;
  readonly limitBytes: () => number;
}

/** `explain` with `{ scope }`, and `policy`: what the process goes by now, which may not be what its file says. */
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
