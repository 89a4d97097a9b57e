/** What a process needs to act on a policy. `govern` alone tells levels; a process without a policy loads none of this. */
export { ApprovalDesk, HeldRequests } from './approvals/index.ts';
export { Ladder } from './ladder/ladder.ts';
export { PolicyShelf, Rollback, inMode } from './rollback/index.ts';
