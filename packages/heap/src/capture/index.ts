/** Takes a snapshot of this process, with a guard that says before what it costs. */
export { captureStream, captureToFile, type CaptureOptions, type CaptureResult } from './capture.ts';
export { predictCapture, type CaptureGuardOptions } from './guard.ts';
export type { CapturePrediction } from './prediction.ts';
