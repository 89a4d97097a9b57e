export { PlimsollError, isPlimsollError } from './errors.ts';
export { formatByteSize, formatUsedOfLimit, parseByteSize } from './units/byte-size.ts';
export { formatDuration, parseDuration } from './units/duration.ts';
export { currentScope, open, processScope, roster } from './scope/index.ts';
export type { CloseReport, OpenOptions, Roster, Scope, ScopeFault } from './scope/index.ts';
export {
  admit,
  admitOrWait,
  isAdmitError,
  isReady,
  isUnderPressure,
  management,
  pressure,
} from './govern/admission/index.ts';
export type { AdmitError } from './govern/admission/index.ts';
export { approval, needsApproval } from './govern/approvals/approval.ts';
export { ApprovalRefusal } from './govern/approvals/approval-refusal.ts';
export type { ApprovalRequest } from './govern/approvals/approval.ts';
export { onDrain } from './govern/restart/drain-hooks.ts';
