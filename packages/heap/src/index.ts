export { analyze, analyzeOpened, isAtLeast, type Analysis, type AnalyzeOptions } from './analysis.ts';
export { captureStream, captureToFile, type CaptureOptions, type CaptureResult } from './capture/capture.ts';
export { costNow, costOf, type SnapshotCost } from './capture/cost.ts';
export { predictCapture, type GuardOptions } from './capture/guard.ts';
export type { CapturePrediction } from './capture/prediction.ts';
export { diff, type Diff, type DiffOptions, type Growth } from './diff/diff.ts';
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
export { analysisText } from './report/analysis-text.ts';
export { bytesText } from './report/byte-text.ts';
export { diffText } from './report/diff-text.ts';
export { colours, plain, type Paint } from './report/paint.ts';
export { classText, nodeText, scopeText } from './report/question-text.ts';
export { renderHtml } from './report/render.ts';
export { traceText } from './report/trace-text.ts';
export { openSnapshot, type HeapGraph } from './snapshot.ts';
export type { Severity, Suspect } from './suspects/suspects.ts';
export type { LeakTrace, TraceStep } from './trace/leak-trace.ts';
export type { ScopeRow } from './trace/scope-roots.ts';
