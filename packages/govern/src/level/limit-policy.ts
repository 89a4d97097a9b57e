import type { Policy } from '../policy/policy.ts';
import type { LimitPolicy } from '@plimsoll/core/internal/sense/limits';

/** The part of a policy for the sampler: the limits that the operator adds to those of V8 and the container. */
export function limitPolicyOf(policy: Policy): LimitPolicy {
  const { limits, global } = policy;
  return {
    heapRatio: limits.heapUsableRatio,
    ...(limits.nativeMaxBytes === undefined ? {} : { nativeBytes: limits.nativeMaxBytes }),
    ...('bytes' in global.max ? { processBytes: Math.max(1, global.max.bytes - global.reserveBytes) } : {}),
  };
}
