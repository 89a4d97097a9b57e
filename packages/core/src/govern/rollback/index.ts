export { GcEffectiveness } from './gc-effectiveness.ts';
export { inMode, isEnforcing } from './policy-mode.ts';
export { PolicyShelf } from './policy-shelf.ts';
export { Rollback } from './rollback.ts';
export type { RollbackState } from './rollback.ts';
export type { PolicyMark, RollbackRecord, RollbackTrigger } from './rollback-record.ts';
export type { RollbackSignals } from './rollback-signals.ts';
