import type { Session } from 'node:inspector';
import { inspectorSession } from '@plimsoll/core/internal/inspector';
import { stopSampling, sum } from '@plimsoll/core/internal/sense/allocation-sites';
import { slots } from '@plimsoll/core/internal/slots';

/** Allocations while a call ran, by V8's sampling profiler. It counts the whole thread, so run the call alone. */
export interface Allocated {
  /** Estimate, garbage included. */
  readonly bytes: number;
  /** The places that allocated most, largest first. */
  readonly sites: readonly { readonly name: string; readonly where: string; readonly bytes: number }[];
}

const intervalBytes = 16 * 1024;
const mostSites = 5;

/** Starts sampling; undefined when V8's only sampler is in use or there is no inspector. Reading collects the heap once. */
export function sampleAllocated(): (() => Allocated | null) | undefined {
  const shared = slots();
  const session = inspectorSession();
  if (shared.sampling !== undefined || session === undefined) return undefined;
  shared.sampling = { since: performance.now() };
  try {
    session.post('HeapProfiler.startSampling', {
      samplingInterval: intervalBytes,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    return () => read(session);
  } catch {
    shared.sampling = undefined;
    return undefined;
  }
}

function read(session: Session): Allocated | null {
  try {
    const sites = sum(stopSampling(session));
    return {
      bytes: sites.reduce((total, { bytes }) => total + bytes, 0),
      sites: sites.filter(({ where }) => where !== '(native)').slice(0, mostSites),
    };
  } catch {
    return null;
  } finally {
    slots().sampling = undefined;
  }
}
