export { DelegationBreaker } from './delegation-breaker.ts';
export type { DelegationRequest, DelegationStats } from './delegation-breaker.ts';
export type { Delegation, Remaining } from './delegation.ts';
export type { DelegationDenied, DelegationEvents, DelegationLimit } from './events.ts';
export type { DelegationApproval, DelegationBreakerOptions } from './settings.ts';
export type { DelegationView } from './subtree.ts';
