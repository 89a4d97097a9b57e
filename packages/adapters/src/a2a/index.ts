export type { A2aSinkOptions } from './a2a-sink.ts';
export { A2aSink } from './a2a-sink.ts';
export type { ApprovalHandler, ApprovalHandlerOptions } from './approval-handler.ts';
export { approvalHandler } from './approval-handler.ts';
export type { ApprovalServerOptions } from './approval-server.ts';
export { ApprovalServer } from './approval-server.ts';
export type { A2aApprover, A2aDecision, ApprovalsView } from './approval-view.ts';
