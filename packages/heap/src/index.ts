export { analyze, isAtLeast, type Analysis, type AnalyzeOptions } from './analysis.ts';
export {
  captureStream,
  captureToFile,
  type CaptureOptions,
  type CaptureResult,
} from './capture/capture.ts';
export { predictCapture, type GuardOptions } from './capture/guard.ts';
export type { CapturePrediction } from './capture/prediction.ts';
export { catalogue as heapErrors, HeapError, isHeapError, type HeapErrorCode } from './errors.ts';
export type { KnownLeak, KnownLeakMatcher } from './known-leaks/known-leak.ts';
export {
  open,
  type DominatorRow,
  type HeapObject,
  type Snapshot,
  type SnapshotOptions,
} from './opened-snapshot.ts';
export { redact, type RedactOptions, type RedactResult } from './redact/redact.ts';
export { openSnapshot, type HeapGraph } from './snapshot.ts';
export type { Severity, Suspect } from './suspects/suspects.ts';
export type { LeakTrace, TraceStep } from './trace/leak-trace.ts';
export type { ScopeRow } from './trace/scope-roots.ts';
