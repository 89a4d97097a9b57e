export { openLedger, Ledger } from './ledger.ts';
export type { LedgerHealth } from './ledger.ts';
export type { LedgerOptions, Retention } from './options.ts';
export type { LevelName, ProcessSample, Sample, ScopeSample } from './sample.ts';
export type { AuditBody, AuditEntry, AuditKind, AuditRow } from './audit-entry.ts';
