/**
 * The feed, the control socket and the files of a run: with `protocol/frame`, `protocol/api`, `protocol/answers`, `protocol/black-box` and `protocol/text` all that
 * the operator's side and the page know of a host.
 */
export type { Descriptor } from './descriptor.ts';
export type { KnownApprover } from './approver-file.ts';
export { policyInForce } from './policy-in-force.ts';
export { ask } from './control.ts';
export { liveDescriptors, removeDescriptor, socketPath, writeDescriptor } from './descriptor.ts';
export { parseFrame, watchFeed } from './feed-client.ts';
export { takeLastFrame } from './last-frame.ts';
export { addApprover, approverFile, findApprover, ownerName } from './approver-file.ts';
export { approvalRows } from './approval-entry.ts';
export { readHandover, writeHandover } from './handover-file.ts';
export { readRestartLog, restartFile, writeRestartLog } from './restart-file.ts';
