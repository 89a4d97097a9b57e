/** A heap snapshot in, who retains what out. Texts for people are in `./report`, taking a snapshot is in `./capture`. */
export { analyze, isAtLeast, type Analysis, type AnalyzeOptions } from './analysis.ts';
export { diff, type Diff, type DiffOptions, type Growth } from './diff/diff.ts';
export { HeapError, isHeapError } from './errors.ts';
export type { KnownLeak } from './known-leaks/known-leak.ts';
export {
  open,
  type DominatorRow,
  type HeapObject,
  type Snapshot,
  type SnapshotOptions,
} from './opened-snapshot.ts';
export { redact, type RedactOptions, type RedactResult } from './redact/redact.ts';
export type { Severity, Suspect } from './suspects/suspects.ts';
export type { LeakTrace, TraceStep } from './trace/leak-trace.ts';
export type { RetainedScope } from './trace/scope-roots.ts';
