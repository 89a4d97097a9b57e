/** What runs inside of a worker thread: it says which script the thread runs, and how much it holds when it is asked. */
import { performance } from 'node:perf_hooks';
import { BroadcastChannel, threadId } from 'node:worker_threads';
import { getHeapStatistics } from 'node:v8';
import { exposedGc, type CollectGarbage } from '../exposed-gc.ts';
import { channelName } from './worker-heaps.ts';

/** Sent to a worker: collect and tell what is left. */
export interface FloorRequest {
  readonly floorOf: number;
}

/** The live bytes of a worker right after a collection. */
export interface FloorAnswer {
  readonly threadId: number;
  readonly floorBytes: number;
  readonly pauseMs: number;
  /** How long its event loop was busy so far, without our collections. */
  readonly activeMs: number;
}

/** Called by the preload inside of a worker. Nothing of it keeps the worker alive. */
export function announceWorker(): void {
  const channel = new BroadcastChannel(channelName);
  let collect: CollectGarbage | undefined;
  let ownMs = 0;
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    if ((data as Partial<FloorRequest>).floorOf !== threadId) return;
    try {
      const started = performance.now();
      collect ??= exposedGc();
      if (collect === undefined) return;
      collect();
      const pauseMs = performance.now() - started;
      ownMs += pauseMs;
      const activeMs = performance.eventLoopUtilization().active - ownMs;
      const floorBytes = getHeapStatistics().used_heap_size;
      channel.postMessage({ threadId, floorBytes, pauseMs, activeMs } satisfies FloorAnswer);
    } catch {
      // The thread is ending: there is nobody to tell.
    }
  };
  channel.unref();
  channel.postMessage({ threadId, script: process.argv[1] ?? '' });
}
