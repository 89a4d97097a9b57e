import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import v8 from 'node:v8';
import { admitCapture, type CaptureGuardOptions } from './guard.ts';
import type { CapturePrediction } from './prediction.ts';

export interface CaptureOptions extends CaptureGuardOptions {
  /** Write the values of numbers too; default false, they are content. */
  readonly numericValues?: boolean;
}

export interface CaptureResult {
  readonly file: string;
  readonly fileBytes: number;
  readonly prediction: CapturePrediction;
  /** How long building the snapshot stopped the process; writing it adds pauses of a few milliseconds. */
  readonly stopMs: number;
  readonly totalMs: number;
}

/** Takes a snapshot of this process into a file of mode 0600, after the guard has let it pass. The name appears when the file is whole. */
export async function captureToFile(file: string, options: CaptureOptions = {}): Promise<CaptureResult> {
  const prediction = await admitCapture(options);
  const started = performance.now();
  const source = snapshotStream(options);
  const stopMs = performance.now() - started;
  const partial = `${file}.partial`;
  // Left over by a process that was killed while it wrote.
  await rm(partial, { force: true });
  const target = createWriteStream(partial, { flags: 'wx', mode: 0o600, highWaterMark: 1 << 20 });
  try {
    await pipeline(source, target);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {});
    throw error;
  }
  return { file, fileBytes: target.bytesWritten, prediction, stopMs, totalMs: performance.now() - started };
}

/** Takes a snapshot of this process as a stream, for the analyser in this process or a pipe to another; no file is written. */
export async function captureStream(options: CaptureOptions = {}): Promise<Readable> {
  await admitCapture(options);
  return snapshotStream(options);
}

function snapshotStream(options: CaptureOptions): Readable {
  return v8.getHeapSnapshot({ exposeInternals: false, exposeNumericValues: options.numericValues ?? false });
}
