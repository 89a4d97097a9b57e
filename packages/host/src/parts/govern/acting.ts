/**
 * The modules that only a policy needs. They are loaded together with the policy, so that nothing has to be read from disk under pressure.
 */
export { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
export { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
export { approvalsOf } from '../approvals/host-approvals.ts';
export { leversOf } from './levers.ts';
export { PolicyGuard } from './rollback.ts';
