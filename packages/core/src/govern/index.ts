export type { ActionOutcome, ActionRecord } from './action.ts';
export type { Hint } from './actions/hint.ts';
export type { Ladder } from './ladder/ladder.ts';
export { admission, isSelfCall, selfCallHeaders, shedPoints } from './admission/index.ts';
export type { AdmissionControl, AdmissionReading, AdmissionRow, AdmitOptions } from './admission/index.ts';
export { installHeldGate } from './approvals/approval.ts';
export type { ApprovalDesk, HeldGate } from './approvals/index.ts';
export type { ApprovalRow, DeskDecision, TicketRequest } from './approvals/index.ts';
export type { GovernorOptions, RaisedLevelRow } from './governor.ts';
export { Governor } from './governor.ts';
export type { LevelChange, LevelSource } from './level-change.ts';
export { LevelMachine } from './level-machine.ts';
export type { ApprovalGate, EvidenceAnswer, EvidenceRequest, LeverScope, Levers } from './levers.ts';
export { limitPolicyOf } from './limit-policy.ts';
export type { GovernedReading } from './process-levels.ts';
export { Reconciliation } from './reconciliation.ts';
export type { GovernedScope } from './scope-table.ts';
export { TimeToLimit } from './time-to-limit.ts';
export { budgetFor } from '../policy/budget.ts';
export { builtInPolicy } from '../policy/built-in.ts';
export type { Level, Mode, Policy } from '../policy/policy.ts';
export { levels } from '../policy/policy.ts';
export {
  drainHooks,
  emptyLog,
  parseRestartLog,
  planRestart,
  requestRestart,
  restartExitCode,
  restartTimes,
  resumeFrom,
  runDrain,
  setRestart,
  withEntry,
} from './restart/index.ts';
export type { DrainResult, Restart, RestartEntry, RestartLog, Resume } from './restart/index.ts';
export { GcEffectiveness } from './rollback/gc-effectiveness.ts';
export type { RollbackRecord, RollbackSignals, RollbackState } from './rollback/index.ts';
