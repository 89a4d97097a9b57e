/**
 * The feed, the control socket and the files of a run. The operator's side and the page know a host by this entry and by `protocol/frame`,
 * `protocol/api`, `protocol/answers`, `protocol/death`, `protocol/fleet` and `protocol/text`, and by nothing else.
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
