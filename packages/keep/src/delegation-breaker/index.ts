export { DelegationBreaker } from './delegation-breaker.ts';
export type { DelegationRequest, DelegationStats, DelegationView } from './delegation-breaker.ts';
export type { Delegation, Remaining } from './delegation.ts';
export type { DelegationDenied, DelegationEvents, DelegationLimit } from './events.ts';
export type { ApprovalRequest, DelegationBreakerOptions } from './settings.ts';
