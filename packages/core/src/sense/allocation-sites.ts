/**
 * Tier 2: which code allocated what is alive now, by V8's sampling heap profiler.
 *
 * It answers "which line", never "which session": V8 records the synchronous stack, and after the first `await` no frame of the caller is
 * left. It sees heap objects only, no ArrayBuffers. While it runs it costs 3 to 6 µs per sample (about 0.1 % of a core per 100 MB/s at the
 * default interval). Reading through the inspector forces one full GC, about 0.6 ms per MB of heap; Node 26 has a reader without it, whose
 * figures then include garbage that was not collected yet.
 */
import type { Session } from 'node:inspector';
import v8 from 'node:v8';
import { inspectorSession } from '../inspector.ts';
import { slots } from '../slots.ts';
import { failure } from '../errors.ts';
import { bounded } from './option.ts';

/** One place in the code with the bytes allocated there that were still on the heap when the run ended. */
interface AllocationSite {
  readonly name: string;
  /** "file:line:column", or "(native)". */
  readonly where: string;
  /** Estimate from samples; the error is about bytes / sqrt(samples). */
  readonly bytes: number;
}

export interface AllocationSites {
  /** Largest first. */
  readonly sites: readonly AllocationSite[];
  readonly totalBytes: number;
  readonly durationMs: number;
  readonly intervalBytes: number;
  /** True when reading collected the heap first. Then every byte listed was alive. */
  readonly forcedGc: boolean;
  /** How long reading blocked the event loop. */
  readonly pauseMs: number;
}

interface AllocationSamplingOptions {
  /** How long to sample, 10 to 600,000 ms; default 10,000. */
  readonly durationMs?: number;
  /** One sample per this many bytes on average, 1 KiB to 64 MiB; default 512 KiB. */
  readonly intervalBytes?: number;
  /** Most sites returned, 1 to 1,000; default 50. */
  readonly top?: number;
  /** Ends the run early with what there is. */
  readonly signal?: AbortSignal;
}

interface SampledFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A node of the profile, as the inspector and `v8.startHeapProfile` both write it. */
export interface ProfileNode {
  readonly callFrame: SampledFrame;
  readonly selfSize: number;
  readonly children: readonly ProfileNode[];
}

interface Sampling {
  readonly forcesGc: boolean;
  read(): Promise<ProfileNode>;
}

/** Samples allocations for a while and says which sites they came from. Rejects with PLM_SENSE_SAMPLING_BUSY while another run is on. */
export async function sampleAllocationSites(
  options: AllocationSamplingOptions = {},
): Promise<AllocationSites> {
  const durationMs = bounded('durationMs', options.durationMs ?? 10_000, 10, 600_000);
  const intervalBytes = bounded('intervalBytes', options.intervalBytes ?? 512 * 1024, 1024, 64 * 1024 ** 2);
  const top = bounded('top', options.top ?? 50, 1, 1000);
  const shared = slots();
  const running = shared.sampling;
  const started = performance.now();
  if (running !== undefined) {
    throw failure('PLM_SENSE_SAMPLING_BUSY', { runningMs: Math.round(started - running.since) });
  }
  shared.sampling = { since: started };
  try {
    const sampling = await begin(intervalBytes);
    await pause(durationMs, options.signal);
    const before = performance.now();
    const head = await sampling.read();
    const pauseMs = performance.now() - before;
    const sites = sum(head);
    return {
      sites: sites.slice(0, top),
      totalBytes: sites.reduce((total, site) => total + site.bytes, 0),
      durationMs: before - started,
      intervalBytes,
      forcedGc: sampling.forcesGc,
      pauseMs,
    };
  } finally {
    shared.sampling = undefined;
  }
}

/** Bytes per site over all stacks that end there, largest first. */
export function sum(head: ProfileNode): AllocationSite[] {
  const bySite = new Map<string, { name: string; where: string; bytes: number }>();
  const pending: ProfileNode[] = [head];
  let node: ProfileNode | undefined;
  while ((node = pending.pop()) !== undefined) {
    pending.push(...node.children);
    if (node.selfSize === 0) continue;
    const { functionName, url, lineNumber, columnNumber } = node.callFrame;
    const where = url === '' ? '(native)' : `${url}:${lineNumber + 1}:${columnNumber + 1}`;
    const name = functionName || '(anonymous)';
    const key = `${name} ${where}`;
    const site = bySite.get(key);
    if (site === undefined) bySite.set(key, { name, where, bytes: node.selfSize });
    else site.bytes += node.selfSize;
  }
  return [...bySite.values()].sort((a, b) => b.bytes - a.bytes);
}

async function begin(intervalBytes: number): Promise<Sampling> {
  const { startHeapProfile } = v8 as { startHeapProfile?: StartHeapProfile };
  return startHeapProfile === undefined
    ? throughInspector(intervalBytes)
    : throughV8(startHeapProfile, intervalBytes);
}

type StartHeapProfile = (options: { sampleInterval: number }) => { stop(): string };

/** Node 26: no GC, and no inspector session in the process. */
export function throughV8(startHeapProfile: StartHeapProfile, intervalBytes: number): Sampling {
  const profile = startHeapProfile({ sampleInterval: intervalBytes });
  return {
    forcesGc: false,
    read: async () => (JSON.parse(profile.stop()) as { head: ProfileNode }).head,
  };
}

function throughInspector(samplingInterval: number): Sampling {
  const session = inspectorSession() as Session;
  session.post('HeapProfiler.startSampling', { samplingInterval });
  return { forcesGc: true, read: async () => stopSampling(session) };
}

/** What was sampled. The callback of a session in its own thread runs before `post` returns. */
export function stopSampling(session: Session): ProfileNode {
  let head: ProfileNode | undefined;
  let failed: Error | null = null;
  session.post('HeapProfiler.stopSampling', (error, found) => {
    failed = error;
    head = found?.profile.head as ProfileNode | undefined;
  });
  if (head === undefined) throw failed ?? new Error('the sampler gave no answer');
  return head;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    timer.unref();
    signal?.addEventListener('abort', done, { once: true });
  });
}
