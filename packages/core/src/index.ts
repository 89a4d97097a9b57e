export { PlimsollError, isPlimsollError } from './errors.ts';
export { currentScope, open, processScope } from './scope/index.ts';
export type { CloseReport, OpenOptions, Scope } from './scope/index.ts';
export { admit, admitOrWait, isReady, isUnderPressure, management, scopeLevel } from './gate/admit.ts';
export { isAdmitError } from './gate/admit-error.ts';
export type { AdmitError } from './gate/admit-error.ts';
export { approval } from './gate/approval.ts';
export { onDrain } from './gate/drain-hooks.ts';
