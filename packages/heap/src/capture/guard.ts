import { setImmediate as macrotask } from 'node:timers/promises';
import { failure } from '../errors.ts';
import { bytesText, countText, msText } from '../byte-text.ts';
import { freeMemory, type FreeMemory } from './free-memory.ts';
import { countObjects, estimateObjects, longestArray } from './object-count.ts';
import { predict, type CapturePrediction } from './prediction.ts';

export interface CaptureGuardOptions {
  /** Take the snapshot although it does not fit. */
  readonly force?: boolean;
  /** Asked when the guard would refuse; true lets the snapshot be taken. A failure or no answer within `askTimeoutMs` is a no. */
  readonly ask?: (prediction: CapturePrediction) => boolean | Promise<boolean>;
  /** Default 60,000. */
  readonly askTimeoutMs?: number;
  /** Longest stop of the event loop that is allowed; default none. */
  readonly maxStopMs?: number;
  /** Bytes that must stay free; default a tenth of the limit, at most 256 MiB. */
  readonly reserveBytes?: number;
  /** What is free; default: cgroup and host, whichever is tighter. */
  readonly memory?: () => FreeMemory;
  /** The snapshot is analysed in this process instead of written to a file. */
  readonly analyse?: boolean;
}

const mib = 1024 * 1024;

/**
 * What a snapshot taken now would cost. The estimate is free; only when it does not fit comfortably is the heap counted,
 * which stops the process for about a tenth of the time of a snapshot.
 */
export async function predictCapture(options: CaptureGuardOptions = {}): Promise<CapturePrediction> {
  const free = (options.memory ?? freeMemory)();
  const reserveBytes = options.reserveBytes ?? Math.min(256 * mib, free.limitBytes / 10);
  const analyse = options.analyse ?? false;
  const rough = predict({
    count: estimateObjects(),
    longestArray: longestArray(),
    rssBytes: process.memoryUsage.rss(),
    free,
    analyse,
    reserveBytes,
  });
  const slow = options.maxStopMs !== undefined && rough.stopMs > options.maxStopMs;
  if (!slow && rough.neededBytes * 2 + reserveBytes <= free.freeBytes) return rough;
  const count = await countObjects();
  return predict({
    count,
    longestArray: longestArray(),
    rssBytes: process.memoryUsage.rss(),
    free: (options.memory ?? freeMemory)(),
    analyse,
    reserveBytes,
  });
}

/**
 * Lets a capture pass, or throws the error that says why not. Returns in a fresh macrotask: a snapshot in the same job as
 * `new WeakRef` or `deref` shows every such target as held by V8.
 */
export async function admitCapture(options: CaptureGuardOptions = {}): Promise<CapturePrediction> {
  const prediction = await predictCapture(options);
  const slow = options.maxStopMs !== undefined && prediction.stopMs > options.maxStopMs;
  if ((!prediction.fits || slow) && options.force !== true) {
    if (options.ask === undefined) throw refusal(prediction, slow ? options.maxStopMs : undefined);
    const answer = await answerOf(options.ask, prediction, options.askTimeoutMs ?? 60_000);
    if (answer !== 'yes') throw failure('PLM_HEAP_CAPTURE_DENIED', { reason: answer });
  }
  await macrotask();
  return prediction;
}

function refusal(prediction: CapturePrediction, allowedMs: number | undefined): Error {
  const objects = countText(prediction.objects);
  const stop = msText(prediction.stopMs);
  if (allowedMs !== undefined && prediction.fits) {
    return failure('PLM_HEAP_CAPTURE_PAUSE', { objects, stop, allowed: msText(allowedMs) });
  }
  return failure('PLM_HEAP_CAPTURE_REFUSED', {
    objects,
    stop,
    needed: bytesText(prediction.neededBytes),
    free: bytesText(prediction.freeBytes),
    limit: bytesText(prediction.limitBytes),
    binds: prediction.binds,
  });
}

/** A guarded question to user code: "yes", or the reason it counts as no. */
async function answerOf(
  ask: NonNullable<CaptureGuardOptions['ask']>,
  prediction: CapturePrediction,
  timeoutMs: number,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((settle) => {
    timer = setTimeout(() => settle(`no answer within ${msText(timeoutMs)}`), timeoutMs);
    timer.unref();
  });
  const asked = (async () => ((await ask(prediction)) ? 'yes' : 'the answer was no'))().catch(
    (error: unknown) => `the question failed: ${error instanceof Error ? error.message : String(error)}`,
  );
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
