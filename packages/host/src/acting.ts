/** The parts of a host that only a policy needs. Loaded with it: under pressure nothing has to be read from disk any more. */
export { Ladder } from '@plimsoll/govern/internal/ladder/ladder';
export { PolicyFile } from '@plimsoll/govern/internal/policy/policy-file';
export { approvalsOf } from './approvals.ts';
export { leversOf } from './levers.ts';
export { PolicyGuard } from './rollback.ts';
